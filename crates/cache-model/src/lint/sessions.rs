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

use crate::model::Trace;
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;

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
}

/// What a session's first request has in common with those of others.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The position where the common prefix ends, and when the other request was sent, if that was
    /// in the hour before.
    pub(super) prefix: Option<(usize, Duration)>,
    /// The first common block after one that differs, and how many tokens they share there.
    pub(super) after: Option<(String, u64)>,
}

/// How many sessions to compare.
const RECENT: usize = 8;

/// How many blocks of a first request to compare.
const MAX_BLOCKS: usize = 1_000;

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
        };
        let same = self.recent.iter().filter(|it| it.model == start.model);
        let after = same.clone().filter_map(|it| start.shared_after(it, trace.minimum));
        let after = after.max_by_key(|it| it.1).and_then(|(index, tokens)| {
            let (level, item, _, block) = request.blocks().nth(index)?;
            Some((request.block_path(level, item, block).to_string(), tokens))
        });
        let hour = CacheLifetime::OneHour.duration();
        let warm = same.filter(|it| start.at.saturating_sub(it.at) < hour);
        let prefix = warm.filter_map(|it| Some((start.shared_prefix(it)?, it.at))).max();
        self.recent.push_back(start);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        Shared { prefix, after }
    }
}

impl Start {
    /// Returns the last position of the common prefix.
    fn shared_prefix(&self, other: &Self) -> Option<usize> {
        let pairs = self.prefixes.iter().zip(&other.prefixes);
        pairs.take_while(|(a, b)| a == b).count().checked_sub(1)
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
