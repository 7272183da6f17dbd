//! The entries in a cache.
//!
//! An entry lives for its lifetime after its last use, and is readable once the
//! response that wrote it has begun. An expired entry is kept for a day, so
//! that its age can explain a miss.

use std::collections::HashMap;
use std::time::Duration;

use crate::cache_rules::{CacheRules, HourOverFive};
use crate::chain::{Chain, Position};
use aside_body::lifetime::CacheLifetime;

/// A prefix that can be read until it is too old.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The longest lifetime that it was written with while alive.
    pub(crate) lifetime: CacheLifetime,
    /// When it was last written or read.
    pub(crate) used: Duration,
    /// From when on other requests can read it.
    pub(crate) readable: Duration,
    /// The prefix's tokens, as the provider counted them.
    pub(crate) counted: Option<u64>,
}

/// All entries, by prefix hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    by_hash: HashMap<u64, Entry>,
    /// From when on to remove expired entries again.
    next_sweep: Duration,
}

/// How often to check entries. An expired entry is never found, however long it
/// is kept.
const SWEEP: Duration = Duration::from_secs(600);

/// For how long an expired entry's age is known.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

impl Entry {
    /// Returns the entry after a write, at which there may be a live one.
    pub(crate) fn written(
        live: Option<Self>,
        lifetime: CacheLifetime,
        used: Duration,
        readable: Duration,
    ) -> Self {
        Self {
            lifetime: live.map_or(lifetime, |it| it.lifetime.max(lifetime)),
            used,
            readable: live.map_or(readable, |it| it.readable.min(readable)),
            counted: None,
        }
    }

    /// Returns true if the last use was less than a lifetime ago.
    pub(crate) fn is_live(&self, at: Duration) -> bool {
        at.saturating_sub(self.used) < self.lifetime.duration()
    }

    /// Returns true if another request can read this entry now.
    pub(crate) fn is_readable(&self, at: Duration) -> bool {
        self.is_live(at) && at >= self.readable
    }
}

impl Entries {
    /// Returns an entry, even one that has expired.
    pub(crate) fn get(&self, hash: u64) -> Option<&Entry> {
        self.by_hash.get(&hash)
    }

    /// Returns true if a request can read this entry now.
    pub(crate) fn is_readable(&self, hash: u64, at: Duration) -> bool {
        self.get(hash).is_some_and(|it| it.is_readable(at))
    }

    /// Returns the position that each marker reads, if it finds one.
    ///
    /// This is the first position with a readable entry, from the marker back, within as many units
    /// as the rules say. Under some rules, a one-hour marker cannot reach a five-minute entry.
    /// Markers are in order, and look at no position twice: a unit can be a run of any length.
    pub(crate) fn look_back(
        &self,
        chain: &Chain,
        markers: &[(usize, CacheLifetime)],
        rules: &CacheRules,
        at: Duration,
    ) -> Vec<Option<usize>> {
        // Where the search goes on, by the lifetime of markers.
        let mut ends: Vec<(CacheLifetime, usize)> = Vec::new();
        let found = markers.iter().rev().map(|&(marker, control)| {
            let is_known = ends.iter().position(|it| it.0 == control);
            let known = is_known.unwrap_or_else(|| {
                ends.push((control, usize::MAX));
                ends.len() - 1
            });
            let end = &mut ends[known].1;
            *end = (*end).min(marker + 1);
            let unit = chain.positions[marker].unit;
            let in_reach = |it: &Position| unit - it.unit < rules.look_back;
            while let Some(last) = end.checked_sub(1)
                && let position = &chain.positions[last]
                && in_reach(position)
            {
                let entry = self.get(position.hash).filter(|it| it.is_readable(at));
                let reads_all = rules.hour_over_five == HourOverFive::Reads;
                if entry.is_some_and(|it| reads_all || it.lifetime >= control) {
                    return Some(last);
                }
                *end = last;
            }
            None
        });
        let mut found: Vec<_> = found.collect();
        found.reverse();
        found
    }

    /// Renews an entry that is read.
    pub(crate) fn touch(&mut self, hash: u64, at: Duration) {
        if let Some(entry) = self.by_hash.get_mut(&hash)
            && entry.is_readable(at)
        {
            entry.used = at;
        }
    }

    /// Writes an entry. An existing entry remains readable.
    pub(crate) fn write(
        &mut self,
        hash: u64,
        lifetime: CacheLifetime,
        at: Duration,
        readable: Duration,
    ) {
        let earlier = self.get(hash).copied();
        let live = earlier.filter(|it| it.is_live(at));
        let counted = earlier.and_then(|it| it.counted);
        let written = Entry { counted, ..Entry::written(live, lifetime, at, readable) };
        self.by_hash.insert(hash, written);
    }

    /// Sets a prefix's tokens as the provider counted them.
    pub(crate) fn count(&mut self, hash: u64, tokens: u64) {
        if let Some(entry) = self.by_hash.get_mut(&hash) {
            entry.counted = Some(tokens);
        }
    }

    /// Removes entries that expired long ago.
    pub(crate) fn sweep(&mut self, at: Duration) {
        if at < self.next_sweep {
            return;
        }
        self.next_sweep = at.saturating_add(SWEEP);
        self.by_hash.retain(|_, it| at.saturating_sub(it.used) < REMEMBERED);
    }
}
