//! The prompt cache of one account, by the documented rules.
//!
//! Source: the platform documentation on prompt caching. A prefix is summed
//! block by block in the order tools, system, messages. An entry is written at
//! a marker only. A read looks from each marker, the last one first, at twenty
//! positions, the marker's included; a run of calls or of results is one
//! position.

use std::collections::HashMap;
use std::time::Duration;

use super::cache_view::{CacheView, Lifetime};
use super::digest::Digest;
use super::response::{CacheCreation, Usage};

const LOOK_BACK: usize = 20;
/// Above this number of entries the expired and then the oldest are removed.
const MAX_ENTRIES: usize = 1 << 16;

/// The entries of one account.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache {
    entries: HashMap<Digest, Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    lifetime: Lifetime,
    expires: Duration,
}

impl Cache {
    /// Reads and writes the prefixes of a request, and returns its tokens
    /// without those of the output.
    pub(crate) fn send(&mut self, view: &CacheView, at: Duration) -> Usage {
        let blocks = &view.blocks;
        let total = blocks.last().map_or(0, |block| block.tokens);
        let markers: Vec<usize> = (0..blocks.len())
            .filter(|index| blocks[*index].marker.is_some())
            .filter(|index| blocks[*index].tokens >= view.minimum)
            .collect();
        let hit = markers
            .iter()
            .rev()
            .find_map(|marker| self.read(view, *marker, at));
        let read = hit.map_or(0, |index| blocks[index].tokens);
        if let Some(entry) = hit.and_then(|index| self.entries.get_mut(&blocks[index].prefix)) {
            entry.expires = at + entry.lifetime.duration();
        }
        let end_of = |lifetime: Option<Lifetime>| {
            let of_lifetime =
                |index: &&usize| lifetime.is_none() || blocks[**index].marker == lifetime;
            let last = markers.iter().rev().find(of_lifetime);
            last.map_or(0, |index| blocks[*index].tokens).max(read)
        };
        let (hour, all) = (end_of(Some(Lifetime::Hour)), end_of(None));
        for marker in markers {
            let block = &blocks[marker];
            if hit.is_none_or(|hit| marker > hit) {
                let lifetime = block.marker.unwrap_or(Lifetime::FiveMinutes);
                self.write(block.prefix, lifetime, at);
            }
        }
        self.forget(at);
        let mut usage = Usage::default();
        usage.input_tokens = total - all;
        usage.cache_creation_input_tokens = all - read;
        usage.cache_read_input_tokens = read;
        usage.cache_creation = CacheCreation {
            ephemeral_5m_input_tokens: all - hour.min(all),
            ephemeral_1h_input_tokens: hour.min(all) - read,
        };
        usage
    }

    /// Returns the block up to which an entry is live, looking back from a
    /// marker.
    fn read(&self, view: &CacheView, marker: usize, at: Duration) -> Option<usize> {
        let last = view.blocks[marker].position;
        let range = view.blocks[..=marker].iter().enumerate().rev();
        let mut near = range.take_while(|(_, block)| last - block.position < LOOK_BACK);
        let found = near.find(|(_, block)| {
            let entry = self.entries.get(&block.prefix);
            entry.is_some_and(|entry| at < entry.expires)
        });
        found.map(|(index, _)| index)
    }

    fn write(&mut self, prefix: Digest, lifetime: Lifetime, at: Duration) {
        let expires = at + lifetime.duration();
        let entry = self
            .entries
            .entry(prefix)
            .or_insert(Entry { lifetime, expires });
        if entry.expires <= expires {
            *entry = Entry { lifetime, expires };
        }
    }

    fn forget(&mut self, at: Duration) {
        if self.entries.len() <= MAX_ENTRIES {
            return;
        }
        self.entries.retain(|_, entry| at < entry.expires);
        if self.entries.len() > MAX_ENTRIES {
            let mut ends: Vec<Duration> = self.entries.values().map(|it| it.expires).collect();
            let middle = ends.len() / 2;
            let (_, median, _) = ends.select_nth_unstable(middle);
            let median = *median;
            self.entries.retain(|_, entry| entry.expires > median);
        }
    }
}
