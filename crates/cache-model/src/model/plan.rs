//! What a request can read and write, and what it is billed for.

use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;

use crate::cache_rules::Mechanism;
use crate::chain::{Chain, Position};
use crate::parameters::CacheOptions;
use crate::tokens::{Tokens, scaled};
use crate::usage::{Usage, written};

/// How many breakpoints OpenAI writes per request at most, counting its own.
const BREAKPOINT_WRITES: usize = 4;

/// The positions that matter to the cache.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) mechanism: Mechanism,
    /// The positions with markers, in order.
    pub(crate) markers: Vec<(usize, CacheLifetime)>,
    /// The positions to write, in order.
    pub(crate) writes: Vec<(usize, CacheLifetime)>,
    /// The position that each marker finds.
    pub(crate) found: Vec<Option<usize>>,
    /// The breakpoints where an entry can be read, in order. The other
    /// mechanisms read elsewhere, too.
    pub(crate) reads: Vec<usize>,
    /// The position that is read.
    pub(crate) hit: Option<usize>,
    /// The estimated tokens that are read of the block after it.
    pub(crate) beginning: u64,
    pub(crate) minimum: u64,
    pub(crate) scale: f64,
}

impl Plan {
    /// Returns true if a position is not too short for an entry.
    pub(crate) fn is_long(&self, position: &Position) -> bool {
        scaled(position.tokens, self.scale) >= self.minimum
    }

    /// Returns the position after the hit.
    pub(crate) fn next(&self) -> usize {
        self.hit.map_or(0, |it| it + 1)
    }

    /// Returns true if a position is written, which is never below the hit.
    pub(crate) fn is_written(&self, index: usize) -> bool {
        index >= self.next() && self.writes.binary_search_by_key(&index, |it| it.0).is_ok()
    }

    /// Iterates over the writes above the hit.
    pub(crate) fn above(&self) -> impl DoubleEndedIterator<Item = (usize, CacheLifetime)> {
        self.writes.iter().copied().filter(|it| it.0 >= self.next())
    }

    /// Splits a request's tokens into billing classes: read up to the hit,
    /// written up to the markers above it, uncached after them. On the Messages
    /// API, tokens up to the last one-hour marker are billed as such, and the
    /// rest up to the last marker for five minutes.
    pub(crate) fn bill(&self, tokens: &Tokens, chain: &Chain) -> Usage {
        let mut usage = Usage::default();
        let hit = self.hit.map_or(0, |it| chain.positions[it].tokens);
        let read = tokens.of_estimate(hit + self.beginning).max(chain.unseen.read);
        let mut from = self.mechanism.readable(read);
        usage.read = from;
        let ends: Vec<(usize, CacheLifetime)> = match self.mechanism {
            Mechanism::Markers => {
                // One hour up to its last marker, then five minutes.
                let all: Vec<_> = self.above().collect();
                let is_hour = |it: &&(usize, CacheLifetime)| it.1 == CacheLifetime::OneHour;
                let hour = all.iter().rfind(is_hour);
                let last = all.last().filter(|it| !is_hour(it));
                hour.into_iter().chain(last).copied().collect()
            }
            Mechanism::Implicit { .. } => Vec::new(),
            Mechanism::Breakpoints => self.above().collect(),
        };
        for (index, lifetime) in ends {
            let end = tokens.of_estimate(chain.positions[index].tokens);
            usage += written(lifetime, end.saturating_sub(from));
            from = from.max(end);
        }
        usage.uncached = tokens.all().saturating_sub(from);
        usage
    }

    /// Adds OpenAI's breakpoints.
    ///
    /// A request writes at its newest breakpoints. In implicit mode, one of
    /// them is the provider's, at the end of the latest user or tool message;
    /// such messages in earlier turns were earlier requests' latest, so there
    /// may be entries at their ends.
    pub(crate) fn breakpoints(&mut self, request: &Body, chain: &Chain) {
        let options = CacheOptions::from_request(request);
        let lifetime = |stated: CacheLifetime| match stated {
            CacheLifetime::ThirtyMinutes | CacheLifetime::TwelveHours => stated,
            _ => options.lifetime,
        };
        for marker in &mut self.markers {
            marker.1 = lifetime(marker.1);
        }
        let inputs = if options.is_explicit { Vec::new() } else { chain.inputs(request) };
        let own = inputs.last().map(|it| (*it, options.lifetime));
        let is_explicit = |it: &(usize, CacheLifetime)| own.is_none_or(|own| own.0 != it.0);
        let explicit = self.markers.iter().rev().copied().filter(is_explicit);
        self.writes = own.into_iter().chain(explicit).take(BREAKPOINT_WRITES).collect();
        self.writes.sort_by_key(|it| it.0);
        self.reads = inputs;
        self.reads.extend(self.markers.iter().map(|it| it.0));
        self.reads.sort_unstable();
        self.reads.dedup();
    }
}
