//! The entries of a cache.
//!
//! An entry is alive for its lifetime after its last use, and readable once the
//! response that wrote it has begun. An expired entry is kept for a day, so
//! that a miss can be explained by its age.

use std::collections::HashMap;
use std::time::Duration;

use crate::cache_rules::{CacheRules, HourOverFive};
use crate::chain::{Chain, Position};
use aside_body::lifetime::CacheLifetime;

/// An entry: a prefix that can be read until it is too old.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The longest lifetime with which it was written while it was alive.
    pub(crate) lifetime: CacheLifetime,
    /// The time of the last write or read.
    pub(crate) used: Duration,
    /// The time from which on other requests can read it.
    pub(crate) readable: Duration,
    /// The tokens of the prefix as the provider counted them.
    pub(crate) counted: Option<u64>,
}

/// All entries, by the hash of the prefix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    by_hash: HashMap<u64, Entry>,
    /// The time from which on expired entries are removed again.
    next_sweep: Duration,
}

/// The interval at which entries are checked. An expired entry is never found,
/// however long it is kept.
const SWEEP: Duration = Duration::from_secs(600);

/// The time for which the age of an expired entry is known.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

impl Entry {
    /// Returns true if the last use was less than a lifetime ago.
    pub(crate) fn is_live(&self, at: Duration) -> bool {
        at.saturating_sub(self.used) < self.lifetime.duration()
    }

    /// Returns true if another request can read the entry now.
    pub(crate) fn is_readable(&self, at: Duration) -> bool {
        self.is_live(at) && at >= self.readable
    }
}

impl Entries {
    /// Returns an entry, also one that has expired.
    pub(crate) fn get(&self, hash: u64) -> Option<&Entry> {
        self.by_hash.get(&hash)
    }

    /// Returns the position that a marker reads.
    ///
    /// From the marker back, the first position with a readable entry is taken,
    /// within the number of units of the rules. `control` is the lifetime of
    /// the marker: by the rules, an entry of five minutes may be out of reach
    /// of a marker of one hour.
    pub(crate) fn look_back<'a>(
        &self,
        chain: &'a Chain,
        from: usize,
        control: CacheLifetime,
        rules: &CacheRules,
        at: Duration,
    ) -> Option<&'a Position> {
        let marker = &chain.positions[from];
        let back = chain.positions[..=from].iter().rev();
        let mut seen = back.take_while(|it| marker.unit - it.unit < rules.look_back);
        seen.find(|it| {
            let Some(entry) = self.get(it.hash) else {
                return false;
            };
            let is_long = rules.hour_over_five == HourOverFive::Reads || entry.lifetime >= control;
            entry.is_readable(at) && is_long
        })
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
        let entry = self.by_hash.entry(hash).or_insert(Entry {
            lifetime,
            used: at,
            readable,
            counted: None,
        });
        if entry.is_live(at) {
            entry.lifetime = entry.lifetime.max(lifetime);
            entry.readable = entry.readable.min(readable);
        } else {
            entry.lifetime = lifetime;
            entry.readable = readable;
        }
        entry.used = at;
    }

    /// Sets the tokens of a prefix as the provider counted them.
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
        self.next_sweep = at + SWEEP;
        self.by_hash
            .retain(|_, it| at.saturating_sub(it.used) < REMEMBERED);
    }
}
