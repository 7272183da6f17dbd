//! A prompt's tokens, estimated from the texts in a body, and the context window.
//!
//! - `prompt-length`: a prompt that is certainly longer than the window. Refusal: `prompt is too
//!   long: A tokens > B maximum`. Prompt and `max_tokens` together may be over the window: models
//!   from generation 4.5 on accept it (documented), so it is not a rule.
//!
//! The estimate counts texts only, so the real prompt is longer.

use aside_models::{TokenEstimate, Tokenizer, estimate};

use super::view::{Block, View};
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::table::PROMPT_LENGTH;
use aside_json::Value;

/// In a long text, tokens have fewer bytes on average.
///
/// A prompt is reported only if it is too long by this bound too.
const MAX_TOKEN_BYTES: u64 = 10;

/// How many bytes a token has on average in Chinese or code, where tokens are shortest.
const DENSE_TOKEN_BYTES: u64 = 3;

/// Reports a prompt that is certainly longer than the context window. When it may fill half the
/// window, its length is not checked.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let Some(facts) = checker.facts else { return };
    let Some(window) = facts.context_window else {
        return;
    };
    let bytes = view.root.raw().len() as u64;
    // A token has at least one byte.
    let is_short = bytes <= window;
    // The API removes tokens, and counts any number of them.
    let is_cut =
        ["context_management", "compaction"].iter().any(|key| view.root.given(key).is_some());
    let is_counted = checker.endpoint == ApiEndpoint::CountTokens;
    let is_uncertain = facts.less_certain.contains(&"context_window");
    if is_short || is_cut || is_counted || is_uncertain {
        return;
    }
    // The estimate takes longer than all other rules, so it is made only where it decides.
    if bytes / MAX_TOKEN_BYTES > window {
        let tokens = estimate_prompt(view, facts.estimated_tokenizer(), u64::MAX).tokens();
        // It is up to a third too high for languages that the fit has not seen, and more for runs
        // of one letter. It lacks tokens for media.
        if tokens / 3 * 2 > window {
            let found = format!("~{tokens} tokens, {} has {window}", facts.id);
            checker.add(&PROMPT_LENGTH, "messages", found);
            return;
        }
    }
    if bytes > window / 2 * DENSE_TOKEN_BYTES {
        let reason = format!("whether {bytes} bytes fit into the window of {window} tokens");
        checker.skip("prompt-length", 1, reason);
    }
}

/// Estimates the tokens in tools, system prompt and messages, without those that the API adds.
/// Images and documents count as 0.
///
/// Stops at the first part that brings the sum above `enough`.
pub(super) fn estimate_prompt(view: &View<'_>, family: Tokenizer, enough: u64) -> TokenEstimate {
    let raw = |value: Value<'_>| estimate(value.raw(), family);
    let text = |value: Value<'_>| match value.text() {
        Some(text) => estimate(&text, family),
        None => TokenEstimate::ZERO,
    };
    let tools = view.tools.iter().copied().map(raw);
    let system = view.root.given("system").into_iter().map(text);
    let blocks = view.system().filter_map(|block| block.value.get("text"));
    let texts = view.messages.iter().filter_map(|it| it.text.as_deref());
    let texts = texts.map(|it| estimate(it, family));
    let of_block = |block: &Block<'_>| {
        let value = |key: &str| block.value.get(key);
        match &*block.kind {
            "text" => value("text").map_or(TokenEstimate::ZERO, text),
            "tool_use" => {
                let parts = [value("name").map(text), value("input").map(raw)];
                parts.into_iter().flatten().sum()
            }
            // Blocks in a result are counted by themselves.
            "tool_result" => value("content").map_or(TokenEstimate::ZERO, text),
            "search_result" => ["title", "source"].into_iter().filter_map(value).map(text).sum(),
            "image" | "document" => TokenEstimate::ZERO,
            _ => raw(block.value),
        }
    };
    let mut parts = tools
        .chain(system)
        .chain(blocks.map(text))
        .chain(texts)
        .chain(view.all_blocks().map(of_block));
    let mut sum = TokenEstimate::ZERO;
    while sum.tokens() <= enough
        && let Some(part) = parts.next()
    {
        sum += part;
    }
    sum
}
