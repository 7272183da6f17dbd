//! Estimating an entry's tokens.

use aside_messages::conversation::{Entry, Part};
use aside_messages::wire::ContentBlock;
use aside_messages::{
    TokenEstimate, Tokenizer, estimate, estimate_block, estimate_document, estimate_result,
};

pub(super) fn entry_tokens(entry: &Entry, family: Tokenizer) -> u64 {
    let parts = entry.parts.iter().map(|it| part(it, family));
    parts.sum::<TokenEstimate>().tokens()
}

fn part(part: &Part, family: Tokenizer) -> TokenEstimate {
    let text = |text: &str| estimate(text, family);
    match part {
        Part::Text(it) => text(&it.text),
        Part::Reminder { body } => text(body),
        Part::ToolUse(call) => text(&call.name) + text(&call.input.0),
        Part::ToolResult(result) => estimate_result(&result.content, family),
        Part::Image(image) => estimate_block(&ContentBlock::Image(image.clone()), family),
        Part::Document(document) => estimate_document(&document.source, family),
        Part::Thinking(thinking) => text(&thinking.thinking),
        Part::Other(other) => text(other.raw().get()),
        // Other parts hold no text for the model.
        _ => TokenEstimate::ZERO,
    }
}
