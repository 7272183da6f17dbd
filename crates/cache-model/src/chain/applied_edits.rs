//! The context edits that the API applies, as its responses list them.

use aside_models::TokenEstimate;
use serde::Serialize;

use super::cleared::Cleared;
use super::shown::{Shown, edit};
use crate::cache_rules::CacheRules;
use aside_body::body::{BlockKind, Body, Role};
use aside_body::path::Level;

/// An edit in `context_management` that clears something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum AppliedEdit {
    /// The thinking of old turns.
    #[serde(rename = "clear_thinking_20251015")]
    Thinking {
        /// How many turns.
        cleared_thinking_turns: usize,
        /// The estimated tokens.
        cleared_input_tokens: u64,
    },
    /// Old tool results.
    #[serde(rename = "clear_tool_uses_20250919")]
    ToolUses {
        /// How many results.
        cleared_tool_uses: usize,
        /// The estimated tokens, with those of inputs.
        cleared_input_tokens: u64,
    },
}

impl AppliedEdit {
    /// Returns the estimated tokens that it clears.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        match self {
            Self::Thinking { cleared_input_tokens, .. }
            | Self::ToolUses { cleared_input_tokens, .. } => *cleared_input_tokens,
        }
    }
}

/// Returns the context edits that the API applies to a request, in its order.
///
/// ```
/// use aside_cache_model::{Body, CacheRules, applied_edits};
///
/// let body = br#"{"model":"claude-opus-5","context_management":{"edits":[
///     {"type":"clear_tool_uses_20250919"}]},"messages":[{"role":"user","content":"Hi"}]}"#;
/// assert!(applied_edits(&Body::parse(body)?, &CacheRules::anthropic()).is_empty());
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn applied_edits(request: &Body, rules: &CacheRules) -> Vec<AppliedEdit> {
    let mut applied = Vec::new();
    if edit(request, "clear_thinking").is_some() {
        let old = Shown::of(request, rules.facts(request), rules).thinking_from;
        let (mut turns, mut is_new, mut tokens) = (0, true, TokenEstimate::ZERO);
        for placed in &request.section(Level::Messages)[..old] {
            is_new |= placed.item.role == Role::User && !placed.item.has_tool_results;
            let blocks = placed.item.blocks.iter();
            for block in blocks.filter(|it| it.kind == BlockKind::Thinking) {
                turns += usize::from(std::mem::take(&mut is_new));
                tokens += block.tokens;
            }
        }
        if turns > 0 {
            applied.push(AppliedEdit::Thinking {
                cleared_thinking_turns: turns,
                cleared_input_tokens: tokens.tokens(),
            });
        }
    }
    let cleared = Cleared::of(request);
    if cleared.count() > 0 {
        applied.push(AppliedEdit::ToolUses {
            cleared_tool_uses: cleared.count(),
            cleared_input_tokens: cleared.tokens(request),
        });
    }
    applied
}
