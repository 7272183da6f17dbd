//! The messages and blocks that the model sees.

use aside_models::{ModelFacts, ThinkingKept};

use crate::cache_rules::{CacheRules, ThinkingRule};
use crate::values::value_at;
use aside_body::body::{Block, BlockKind, Body, Placed, Role};
use aside_body::path::Level;
use aside_json::scan::{self as json, Kind, Span};

/// The messages and blocks that the model sees.
pub(super) struct Shown {
    /// The first block that it sees: after the server's newest summary.
    pub(super) from: (usize, usize),
    /// Turn-scoped messages before this one are cleared.
    pub(super) last_user: Option<usize>,
    /// Thinking before this message is removed.
    pub(super) thinking_from: usize,
}

impl Shown {
    /// Decides what the model sees in the conversation: what follows the newest
    /// summary, without cleared messages and without thinking that the API
    /// removes.
    pub(super) fn of(request: &Body, facts: &ModelFacts, rules: &CacheRules) -> Self {
        let messages = request.section(Level::Messages);
        let users = || {
            let users = messages.iter().enumerate();
            users.filter(|(_, it)| it.item.role == Role::User)
        };
        let kept = kept_thinking(request).unwrap_or(match rules.thinking {
            ThinkingRule::ByModel => facts.thinking_kept.unwrap_or(ThinkingKept::All).into(),
            ThinkingRule::Kept => KeptTurns::All,
            ThinkingRule::LastTurn => KeptTurns::Last(1),
        });
        let turns = users().filter(|(_, it)| !it.item.has_tool_results);
        let turns: Vec<usize> = turns.map(|(index, _)| index).collect();
        let summary = summary(messages).map(|(index, block, _)| (index, block));
        Self {
            from: summary.unwrap_or_default(),
            last_user: users().next_back().map(|(index, _)| index),
            thinking_from: match kept {
                KeptTurns::Last(count) => {
                    let from = turns.len().saturating_sub(count);
                    turns.get(from).copied().unwrap_or_default()
                }
                KeptTurns::All => 0,
            },
        }
    }
}

/// Returns the newest summary by the API: its message's index, its own there, and the block.
pub(crate) fn summary(messages: &[Placed]) -> Option<(usize, usize, &Block)> {
    let is_summary = |it: &Block| it.kind == BlockKind::Compaction && !it.is_empty;
    messages.iter().enumerate().rev().find_map(|(index, it)| {
        let block = it.item.blocks.iter().rposition(is_summary)?;
        Some((index, block, &it.item.blocks[block]))
    })
}

/// The user turns whose thinking the model sees.
#[derive(Clone, Copy)]
enum KeptTurns {
    All,
    /// As many of the last turns.
    Last(usize),
}

impl From<ThinkingKept> for KeptTurns {
    fn from(kept: ThinkingKept) -> Self {
        match kept {
            ThinkingKept::LastTurn => Self::Last(1),
            _ => Self::All,
        }
    }
}

/// Reads which thinking a request asks to keep: `keep` in the edit
/// `clear_thinking_20251015`, which is `"all"`, `{"type":"all"}` or
/// `{"type":"thinking_turns","value":N}`. `None` without this edit.
fn kept_thinking(request: &Body) -> Option<KeptTurns> {
    let bytes = request.as_bytes();
    let member = |of: &Span, key: &str| json::get(bytes, of.start, key);
    let keep = member(&edit(request, "clear_thinking")?, "keep")?;
    if json::string(bytes, &keep).as_deref() == Some("all") {
        return Some(KeptTurns::All);
    }
    match json::string(bytes, &member(&keep, "type")?)?.as_str() {
        "all" => Some(KeptTurns::All),
        "thinking_turns" => {
            let value = &bytes[member(&keep, "value")?];
            let count = std::str::from_utf8(value).ok()?.parse().ok()?;
            Some(KeptTurns::Last(count))
        }
        _ => None,
    }
}

/// Returns the edit of the context (`context_management`) whose type begins with `kind`.
pub(super) fn edit(request: &Body, kind: &str) -> Option<Span> {
    let bytes = request.as_bytes();
    let edits = value_at(request, "context_management.edits")?;
    if json::kind(bytes, edits.start) != Kind::Array {
        return None;
    }
    let edits = json::elements(bytes, edits.start).ok()?;
    let is_kind = |it: &Span| {
        let name = json::get(bytes, it.start, "type").and_then(|it| json::string(bytes, &it));
        name.is_some_and(|it| it.starts_with(kind))
    };
    edits.into_iter().find(is_kind)
}
