//! The seam to the prompt cache's model.
//!
//! Converts the judge's own types; no cache rule is here.

use std::time::Duration;

use aside_cache_model::{
    Body, CacheModel, CacheRules, ResponseParts, Timed, UnreadThinking, Usage,
};
use aside_models::Platform;

use super::response::{ContextManagement, Response, ResponseBlock, ResponseUsage, TokenCount};

/// A request that the model of the cache has billed.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "servers"),
    expect(dead_code, reason = "only the servers report what was billed")
)]
pub(crate) struct Billed {
    pub(crate) entry: Timed,
    pub(crate) usage: Usage,
}

pub(super) fn rules(platform: Platform) -> CacheRules {
    match platform {
        Platform::BedrockMessages | Platform::BedrockInvoke => CacheRules::bedrock(),
        _ => CacheRules::anthropic(),
    }
}

/// Returns a body's input tokens.
///
/// A body that the cache model cannot read counts as 0.
pub(super) fn tokens(
    body: &[u8],
    unread: UnreadThinking,
    platform: Platform,
    has_edits: bool,
) -> TokenCount {
    let Ok(request) = Body::parse(body) else {
        return TokenCount::new(0, None);
    };
    let edits = ContextManagement::of(&request, &rules(platform), has_edits);
    let mut entry = Timed::new(request, Duration::ZERO);
    entry.unread = unread;
    let verdict = CacheModel::new(rules(platform)).send_timed(&entry);
    TokenCount::new(verdict.usage.input(), edits.as_ref())
}

/// Returns the cache model's path for the API's: `messages[1].content[0]` for
/// `messages.1.content.0`.
pub(super) fn path(path: &str) -> String {
    let parts = path.split('.').map(|part| match part.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{part}"),
    });
    parts.collect::<String>().trim_start_matches('.').to_owned()
}

/// Returns what the next request recognizes this response by.
pub(super) fn answer(response: &Response) -> ResponseParts {
    let blocks = response.content.iter();
    let calls = blocks.clone().filter_map(|block| match block {
        ResponseBlock::ToolUse { id, .. } => Some(id.clone()),
        _ => None,
    });
    let mut texts = blocks.filter_map(|block| match block {
        ResponseBlock::Text { text, .. } => Some(text.clone()),
        _ => None,
    });
    ResponseParts::new(calls.collect(), texts.next())
}

/// Returns usage in the API's form.
pub(super) fn usage(cached: Usage) -> ResponseUsage {
    let mut usage = ResponseUsage::default();
    usage.input_tokens = cached.uncached;
    usage.cache_creation_input_tokens = cached.written();
    usage.cache_read_input_tokens = cached.read;
    usage.cache_creation.ephemeral_5m_input_tokens = cached.write_5m;
    usage.cache_creation.ephemeral_1h_input_tokens = cached.write_1h;
    usage.speed = cached.is_fast.then_some("fast");
    usage
}
