//! What two sessions' first requests have in common.
//!
//! Requests with one prompt and different questions continue nothing, but their
//! common prefix needs to be paid for only once.
//!
//! Two sessions with one agent often differ in one block near the start, a date
//! or a directory, while the long blocks after it are the same and could be
//! shared if they came first.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::difference::{Cause, Difference, first_difference};
use crate::model::Trace;
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;
use aside_body::path::Level;

/// The first requests of recent sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    recent: VecDeque<Start>,
}

#[derive(Clone, Debug)]
struct Start {
    model: String,
    at: Duration,
    /// Each block's hash and tokens.
    blocks: Vec<(u64, u64)>,
    /// The hash of each prefix.
    prefixes: Vec<u64>,
    request: Body,
}

/// What a session's first request has in common with those of others.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The position where the common prefix ends, and when the other request was sent, if that was
    /// in the hour before.
    pub(super) prefix: Option<(usize, Duration)>,
    /// The first common block after one that differs, and how many tokens they share there.
    pub(super) after: Option<(String, u64)>,
    /// A clock or an id, the only difference to the system prompt of another session.
    pub(super) volatile: Option<Difference>,
}

/// How many sessions to compare.
const RECENT: usize = 8;

/// How many blocks of a first request to compare.
const MAX_BLOCKS: usize = 1_000;

/// How many bytes longer one spelling of a time may be than another.
const MAX_LONGER: usize = 8;

impl Starts {
    /// Adds a session's first request.
    pub(super) fn add(&mut self, trace: &Trace, request: &Body) -> Shared {
        let blocks = request.blocks().take(MAX_BLOCKS);
        let positions = trace.chain.positions.iter().take(MAX_BLOCKS);
        let start = Start {
            model: request.model().unwrap_or_default().to_owned(),
            at: trace.at,
            blocks: blocks
                .map(|(_, _, _, block)| (block.hash, trace.counted(block.tokens.tokens())))
                .collect(),
            prefixes: positions.map(|it| it.hash).collect(),
            request: request.clone(),
        };
        let same = self.recent.iter().filter(|it| it.model == start.model);
        let after = same.clone().filter_map(|it| start.shared_after(it, trace.plan.minimum));
        let after = after.max_by_key(|it| it.1).and_then(|(index, tokens)| {
            let (level, item, _, block) = request.blocks().nth(index)?;
            Some((request.block_path(level, item, block).to_string(), tokens))
        });
        let within = |it: &&Start, lifetime: CacheLifetime| {
            start.at.saturating_sub(it.at) < lifetime.duration()
        };
        // Blocks that are shared after a difference say the same with more certainty.
        let volatile = after.is_none().then(|| {
            let lifetime =
                trace.plan.above().next_back().map_or(CacheLifetime::FiveMinutes, |it| it.1);
            let mut latest = same.clone().rev().filter(|it| within(it, lifetime));
            latest.find_map(|it| start.volatile(it))
        });
        let warm = same.filter(|it| within(it, CacheLifetime::OneHour));
        let prefix = warm.filter_map(|it| Some((start.shared_prefix(it)?, it.at))).max();
        self.recent.push_back(start);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        Shared { prefix, after, volatile: volatile.flatten() }
    }
}

impl Start {
    /// Returns the last position of the common prefix.
    fn shared_prefix(&self, other: &Self) -> Option<usize> {
        let pairs = self.prefixes.iter().zip(&other.prefixes);
        pairs.take_while(|(a, b)| a == b).count().checked_sub(1)
    }

    /// Returns the clock or id in which alone the system prompts differ.
    fn volatile(&self, other: &Self) -> Option<Difference> {
        let [ours, theirs] = [self, other].map(|it| it.request.head());
        if ours[0] != theirs[0] || ours[1] == theirs[1] {
            return None;
        }
        let difference = first_difference(&other.request, &self.request)?;
        let is_volatile = matches!(difference.cause, Cause::DateOrClock | Cause::RandomId);
        let is_as_long = difference.before.bytes.abs_diff(difference.after.bytes) <= MAX_LONGER;
        let is_system = difference.level == Some(Level::System);
        Some(difference).filter(|_| is_system && is_volatile && is_as_long)
    }

    /// Returns the first common block after a difference, and the tokens in all
    /// of those, if they are worth caching.
    fn shared_after(&self, other: &Self, minimum: u64) -> Option<(usize, u64)> {
        let pairs = self.blocks.iter().zip(&other.blocks);
        let common = pairs.take_while(|(a, b)| a.0 == b.0).count();
        let theirs = other.blocks.get(common + 1..)?;
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for (hash, _) in theirs {
            *counts.entry(*hash).or_default() += 1;
        }
        let (mut first, mut tokens) = (None, 0);
        for (index, (hash, length)) in self.blocks.iter().enumerate().skip(common + 1) {
            if let Some(count) = counts.get_mut(hash)
                && *count > 0
            {
                *count -= 1;
                first.get_or_insert(index);
                tokens += length;
            }
        }
        first.filter(|_| tokens >= minimum).map(|it| (it, tokens))
    }
}
