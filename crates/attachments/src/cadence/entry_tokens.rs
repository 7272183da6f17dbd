//! Estimates the tokens of an entry.

use aside_messages::conversation::{Entry, Part};
use aside_messages::wire::ContentBlock;
use aside_messages::{
    TokenEstimate, Tokenizer, estimate_block, estimate_document, estimate_result, estimate_tokens,
};

/// The model of the session is not known here, so tokens are those of the
/// newest models, which are more than those of older ones.
const FAMILY: Tokenizer = Tokenizer::ClaudeNew;

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
        Part::ToolResult(result) => estimate_result(&result.content, FAMILY),
        Part::Image(image) => estimate_block(&ContentBlock::Image(image.clone()), FAMILY),
        Part::Document(document) => estimate_document(&document.source, FAMILY),
        Part::Thinking(thinking) => estimate_tokens(&thinking.thinking),
        Part::Other(other) => estimate_tokens(other.raw().get()),
        // Other parts hold no text for the model.
        _ => TokenEstimate::ZERO,
    }
}
