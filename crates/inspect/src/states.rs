//! A request's blocks with their tokens and their states in the cache.
//!
//! The cache model's verdict says how long the read prefix and each written
//! prefix are. Every block up to the read prefix is read, then written up to
//! each marker, then plain.
//!
//! ```text
//! blocks     tools  system  message 0  message 1  message 2
//! verdict    read up to system, wrote at message 1 for 5 minutes
//! states     read   read    written 5m written 5m plain
//! ```

use std::ops::Range;

use aside_cache_model::{
    BlockPath, Body, CacheLifetime, CacheRules, Effect, Mechanism, OutlineBlock, Verdict, outline,
};
use aside_messages::TokenEstimate;

use crate::part::CacheState;
use crate::sources::BodySources;

/// A block, with what a report needs.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The block, with its position and its marker.
    pub(crate) block: OutlineBlock,
    /// Its path.
    pub(crate) path: BlockPath,
    /// Its tokens; 0 if the model does not see it. Over all slots they add up
    /// to the request's estimate.
    pub(crate) tokens: u64,
    /// The tokens up to its end, with those of the deferred tools that it loads.
    pub(crate) until: u64,
    /// Its state, by its position and by its source.
    pub(crate) state: CacheState,
}

/// A tool, a system prompt part or a message, with its blocks.
#[derive(Debug)]
pub(crate) struct ItemSlots {
    /// The item's bytes.
    pub(crate) range: Range<usize>,
    /// The indices of its slots, in cache order.
    pub(crate) slots: Range<usize>,
}

/// All blocks in a request, in cache order.
#[derive(Debug)]
pub(crate) struct Slots {
    /// The blocks, in cache order: tools, system prompt, messages.
    pub(crate) slots: Vec<Slot>,
    /// The items, in body order, which may differ.
    pub(crate) items: Vec<ItemSlots>,
}

impl Slots {
    /// Reads the blocks, and divides each state's tokens among them.
    ///
    /// Rounding is spread over the blocks, so that no token is lost. If the
    /// next request does not have a plain block's bytes, by their sources, the
    /// block is volatile.
    pub(crate) fn of(
        request: &Body,
        rules: &CacheRules,
        sources: Option<&BodySources>,
        verdict: &Verdict,
    ) -> Self {
        let blocks = outline(request, rules);
        let paths: Vec<BlockPath> = blocks.iter().map(|it| it.path(request)).collect();
        let states = States::of(&paths, rules.mechanism_of(request), verdict);
        let loaded = blocks.iter().enumerate();
        let mut loaded: Vec<_> =
            loaded.filter_map(|(tool, it)| Some((it.loaded_by?, tool))).collect();
        loaded.sort_unstable();
        let mut loaded = loaded.into_iter().peekable();
        let (mut sum, mut before) = (TokenEstimate::ZERO, 0);
        let mut slots: Vec<Slot> = Vec::with_capacity(blocks.len());
        let mut items: Vec<ItemSlots> = Vec::new();
        for (index, (block, path)) in blocks.into_iter().zip(paths).enumerate() {
            if block.is_shown {
                sum += block.tokens;
            }
            let tokens = sum.tokens() - before;
            before = sum.tokens();
            let is_volatile = || sources.is_some_and(|it| it.is_volatile(&block.range));
            let state = match states.at(index) {
                _ if !block.is_shown => CacheState::NotShown,
                CacheState::Plain if is_volatile() => CacheState::Volatile,
                state => state,
            };
            match items.last_mut() {
                Some(item) if item.range == block.item_range => item.slots.end = index + 1,
                _ => items
                    .push(ItemSlots { range: block.item_range.clone(), slots: index..index + 1 }),
            }
            // A deferred tool is in the prompt after the block that names it first.
            while let Some((_, tool)) = loaded.next_if(|(by, _)| *by == index) {
                let tool = &mut slots[tool];
                sum += tool.block.tokens;
                tool.tokens = sum.tokens() - before;
                tool.state = state;
                before = sum.tokens();
            }
            slots.push(Slot { block, path, tokens, until: before, state });
        }
        items.sort_by_key(|it| it.range.start);
        Self { slots, items }
    }

    /// Returns the items within a range of the body.
    ///
    /// The cost is logarithmic in how many items there are.
    pub(crate) fn items_in(&self, range: &Range<usize>) -> &[ItemSlots] {
        let first = self.items.partition_point(|it| it.range.start < range.start);
        let rest = &self.items[first..];
        let count = rest.partition_point(|it| it.range.end <= range.end);
        &rest[..count]
    }
}

/// Where the read and the written prefixes end, as block indices.
struct States {
    /// The state of the blocks before each index: those read, then where the prefix ends that is
    /// written for 12 hours (OpenAI), for one hour, for five minutes, for another time (OpenAI); 0
    /// if none is.
    ends: [(usize, CacheState); 5],
    /// The state after the last prefix: plain, or automatic if the provider
    /// decides.
    rest: CacheState,
}

impl States {
    /// Finds where the prefixes end by the verdict's paths.
    ///
    /// A path that is not found counts as an empty prefix. OpenAI has breakpoints of its
    /// own, so what it writes ends where the verdict does.
    fn of(blocks: &[BlockPath], mechanism: Mechanism, verdict: &Verdict) -> Self {
        // The path of a tool result's element begins with its block's.
        let end = |path: &str| {
            let is_it = |it: &BlockPath| {
                let rest = path.strip_prefix(it.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(".content["))
            };
            let found = blocks.iter().rposition(is_it);
            found.map_or(0, |index| index + 1)
        };
        let written = |ttl: CacheLifetime| {
            let markers = verdict.markers.iter().rev();
            let mut wrote = markers.filter(|it| it.effect == Effect::Wrote && it.ttl == ttl);
            wrote.next().map_or(0, |it| end(it.path.as_str()))
        };
        let has_own = mechanism == Mechanism::Breakpoints;
        let last = verdict.end.as_ref().filter(|_| has_own);
        let read = verdict.hit.as_ref().map_or(0, |it| end(it.path.as_str()));
        Self {
            ends: [
                (read, CacheState::Read),
                (written(CacheLifetime::TwelveHours), CacheState::Write12h),
                (written(CacheLifetime::OneHour), CacheState::Write1h),
                (written(CacheLifetime::FiveMinutes), CacheState::Write5m),
                (last.map_or(0, |it| end(it.as_str())), CacheState::WriteOther),
            ],
            rest: match mechanism {
                Mechanism::Implicit { .. } => CacheState::Automatic,
                _ => CacheState::Plain,
            },
        }
    }

    fn at(&self, index: usize) -> CacheState {
        let state = self.ends.iter().find(|(end, _)| index < *end);
        state.map_or(self.rest, |it| it.1)
    }
}
