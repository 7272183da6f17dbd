//! Old tool results that the API clears (`clear_tool_uses_20250919`).
//!
//! Clients send the whole conversation, and the API decides anew for each request: once it has more
//! tool uses or input tokens than the trigger, all but the last results are replaced by a
//! placeholder. The prefix is another one from the first result that the request before still had.
//! A trigger in tokens is compared with the estimate.

use std::collections::HashSet;

use aside_models::TokenEstimate;

use super::shown::edit;
use aside_body::body::{Block, BlockKind, Body};
use aside_body::hash::of_bytes;
use aside_body::path::Level;
use aside_json::scan::{self as json, Kind, Span};

/// The input tokens that trigger clearing by default.
const DEFAULT_TRIGGER: u64 = 100_000;

/// How many tool uses the API keeps by default.
const DEFAULT_KEPT: u64 = 3;

/// The tool uses that the API clears, by the hashes of their ids.
#[derive(Default)]
pub(super) struct Cleared {
    results: HashSet<u64>,
    inputs: HashSet<u64>,
}

impl Cleared {
    pub(super) fn of(request: &Body) -> Self {
        edit(request, "clear_tool_uses").map_or_else(Self::default, |it| Self::by(request, &it))
    }

    /// Returns the tokens that the blocks had.
    pub(super) fn tokens(&self, request: &Body) -> u64 {
        let blocks = request.section(Level::Messages).iter().flat_map(|it| &it.item.blocks);
        blocks.filter(|it| self.has(it)).map(|it| it.tokens).sum::<TokenEstimate>().tokens()
    }

    /// Returns how many results are cleared.
    pub(super) fn count(&self) -> usize {
        self.results.len()
    }

    /// Returns true if the model sees a placeholder instead of the block.
    pub(super) fn has(&self, block: &Block) -> bool {
        let all = match block.kind {
            BlockKind::ToolUse => &self.inputs,
            BlockKind::ToolResult => &self.results,
            _ => return false,
        };
        block.call_id.is_some_and(|it| all.contains(&it))
    }

    fn by(request: &Body, edit: &Span) -> Self {
        let bytes = request.as_bytes();
        let member = |of: &Span, key: &str| json::get(bytes, of.start, key);
        let amount = |key: &str| {
            let limit = member(edit, key)?;
            let kind = json::string(bytes, &member(&limit, "type")?)?;
            let value = std::str::from_utf8(&bytes[member(&limit, "value")?]).ok()?;
            Some((kind, value.parse::<u64>().ok()?))
        };
        let names = |key: &str| -> HashSet<u64> {
            let list = member(edit, key).filter(|it| json::kind(bytes, it.start) == Kind::Array);
            let list = list.and_then(|it| json::elements(bytes, it.start).ok());
            let names = list.into_iter().flatten().filter_map(|it| json::string(bytes, &it));
            names.map(|it| of_bytes(it.as_bytes())).collect()
        };
        let messages = request.section(Level::Messages).iter().flat_map(|it| &it.item.blocks);
        let uses: Vec<&Block> = messages.filter(|it| it.kind == BlockKind::ToolUse).collect();
        let (unit, limit) = amount("trigger").unwrap_or_else(|| (String::new(), DEFAULT_TRIGGER));
        let is_reached = match unit.as_str() {
            "tool_uses" => uses.len() as u64 > limit,
            _ => {
                let blocks = request.blocks().map(|it| it.3).filter(|it| !it.is_deferred);
                blocks.map(|it| it.tokens).sum::<TokenEstimate>().tokens() > limit
            }
        };
        let kept = amount("keep").map_or(DEFAULT_KEPT, |it| it.1);
        let until = uses.len().saturating_sub(usize::try_from(kept).unwrap_or(usize::MAX));
        if !is_reached {
            return Self::default();
        }
        let (excluded, with_input) = (names("exclude_tools"), names("clear_tool_inputs"));
        let has_all_inputs =
            member(edit, "clear_tool_inputs").is_some_and(|it| &bytes[it] == b"true");
        let is_one_of = |it: &Block, all: &HashSet<u64>| it.names.iter().any(|it| all.contains(it));
        let old = uses[..until].iter().filter(|it| !is_one_of(it, &excluded));
        let inputs = old.clone().filter(|it| has_all_inputs || is_one_of(it, &with_input));
        let cleared = Self {
            results: old.clone().filter_map(|it| it.call_id).collect(),
            inputs: inputs.filter_map(|it| it.call_id).collect(),
        };
        let least = amount("clear_at_least").map_or(0, |it| it.1);
        if cleared.tokens(request) < least {
            return Self::default();
        }
        cleared
    }
}
