//! Estimates the tokens of an entry.

use aside_messages::conversation::{Entry, Part};
use aside_messages::wire::{ContentBlock, MediaSource, ResultContent};
use aside_messages::{TokenEstimate, estimate_tokens};

/// The API scales an image down to about this many tokens.
const IMAGE: TokenEstimate = TokenEstimate::of_tokens(1_600);

/// A PDF of a few pages. According to the API's documentation, a page has 1,500
/// to 3,000 tokens.
const DOCUMENT: TokenEstimate = TokenEstimate::of_tokens(10_000);

/// Estimates the tokens of all parts of an entry.
pub(super) fn entry_tokens(entry: &Entry) -> u64 {
    let parts = entry.parts.iter().map(part);
    parts.sum::<TokenEstimate>().tokens()
}

fn part(part: &Part) -> TokenEstimate {
    match part {
        Part::Text(text) => estimate_tokens(&text.text),
        Part::Reminder { body } => estimate_tokens(body),
        Part::ToolUse(call) => estimate_tokens(&call.name) + estimate_tokens(&call.input.0),
        Part::ToolResult(result) => content(&result.content),
        Part::Image(_) => IMAGE,
        Part::Document(document) => source(&document.source),
        Part::Thinking(thinking) => estimate_tokens(&thinking.thinking),
        Part::Other(other) => estimate_tokens(other.raw().get()),
        // Other parts hold no text for the model.
        _ => TokenEstimate::ZERO,
    }
}

fn content(content: &ResultContent) -> TokenEstimate {
    match content {
        ResultContent::Text(text) => estimate_tokens(text),
        ResultContent::Blocks(blocks) => blocks.iter().map(block).sum(),
    }
}

fn block(block: &ContentBlock) -> TokenEstimate {
    match block {
        ContentBlock::Text(text) => estimate_tokens(&text.text),
        ContentBlock::Image(_) => IMAGE,
        ContentBlock::Document(document) => source(&document.source),
        ContentBlock::Other(other) => estimate_tokens(other.raw().get()),
        _ => TokenEstimate::ZERO,
    }
}

fn source(source: &MediaSource) -> TokenEstimate {
    match source {
        MediaSource::Text { data, .. } => estimate_tokens(data),
        MediaSource::Content { content } => estimate_tokens(content.get()),
        _ => DOCUMENT,
    }
}
