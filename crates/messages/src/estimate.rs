//! Estimating tokens in content blocks, documents and tools.
//!
//! Use estimates for plans and displays; only `count_tokens` and a response's
//! usage are exact.

use aside_models::{TokenEstimate, Tokenizer, estimate};

pub use aside_models::media::{estimate_image, estimate_pdf};

use crate::wire::{ContentBlock, Document, MediaSource, ResultContent, Tool};
use aside_models::media::LARGEST_IMAGE;

/// For a document when the request has neither its text nor its size.
const DOCUMENT: TokenEstimate = TokenEstimate::of_tokens(10_000);

/// Estimates a text's tokens when the model is not known: as the newest Claude
/// models count. If you know the model, use [`aside_models::estimate`] with its
/// tokenizer.
///
/// ```
/// use aside_messages::estimate_tokens;
///
/// let prose = "The build reads its settings from one file, and nothing else.";
/// assert_eq!(estimate_tokens(prose).to_string(), "~17");
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> TokenEstimate {
    estimate(text, Tokenizer::default())
}

/// Estimates a content block's tokens: texts, inputs and results by their
/// characters, images by their size, PDFs by their pages.
///
/// ```
/// use aside_messages::estimate_block;
/// use aside_messages::wire::ContentBlock;
/// use aside_models::Tokenizer;
///
/// let block = ContentBlock::text("The build reads its settings from one file.");
/// assert_eq!(estimate_block(&block, Tokenizer::O200k).to_string(), "~9");
/// ```
#[must_use]
pub fn estimate_block(block: &ContentBlock, family: Tokenizer) -> TokenEstimate {
    let text = |text: &str| estimate(text, family);
    match block {
        ContentBlock::Text(block) => text(&block.text),
        ContentBlock::Thinking(thinking) => text(&thinking.thinking),
        ContentBlock::ToolUse(call) => text(&call.name) + text(call.input.get()),
        ContentBlock::ToolResult(result) => estimate_result(&result.content, family),
        ContentBlock::Image(image) => match &image.source {
            MediaSource::Base64 { data, .. } => estimate_image(data).unwrap_or(LARGEST_IMAGE),
            _ => LARGEST_IMAGE,
        },
        ContentBlock::Document(document) => estimate_document(document, family),
        ContentBlock::Other(other) => text(other.raw().get()),
        _ => TokenEstimate::ZERO,
    }
}

/// Estimates a tool result's tokens.
#[must_use]
pub fn estimate_result(content: &ResultContent, family: Tokenizer) -> TokenEstimate {
    match content {
        ResultContent::Text(text) => estimate(text, family),
        // Blocks in a result hold no results, so the recursion ends here.
        ResultContent::Blocks(blocks) => blocks.iter().map(|it| estimate_block(it, family)).sum(),
    }
}

/// Estimates a document's tokens: its source, title and context.
#[must_use]
pub fn estimate_document(document: &Document, family: Tokenizer) -> TokenEstimate {
    let texts = [&document.title, &document.context].into_iter().flatten();
    let texts: TokenEstimate = texts.map(|text| estimate(text, family)).sum();
    let source = match &document.source {
        MediaSource::Text { data, .. } => estimate(data, family),
        MediaSource::Content { content } => estimate(content.get(), family),
        MediaSource::Base64 { data, .. } => estimate_pdf(data),
        _ => DOCUMENT,
    };
    source + texts
}

/// Estimates the tokens in a tool's definition.
#[must_use]
pub fn estimate_tool(tool: &Tool, family: Tokenizer) -> TokenEstimate {
    let texts = tool_texts(tool).into_iter();
    texts.map(|it| estimate(it, family)).sum()
}

/// Returns the texts in a tool's definition that [`estimate_tool`] counts: name, description and
/// schema, empty if absent.
#[must_use]
pub fn tool_texts(tool: &Tool) -> [&str; 3] {
    let schema = tool.input_schema.as_ref().map_or("", |schema| schema.get());
    let description = tool.description.as_deref().unwrap_or_default();
    [&tool.name, description, schema]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_documents_title_and_context_count() {
        let document = |more: &str| {
            let json = format!(
                r#"{{"type":"document","source":{{"type":"text","media_type":"text/plain","data":"d"}}{more}}}"#
            );
            let block = ContentBlock::parse(json.as_bytes()).unwrap().value;
            estimate_block(&block, Tokenizer::default())
        };
        let (short, words) = (document(""), "word ".repeat(1_000));
        let words_tokens = estimate_tokens(&words);
        assert_eq!(document(&format!(r#","context":"{words}""#)), words_tokens + short);
        assert_eq!(document(&format!(r#","title":"{words}""#)), words_tokens + short);
    }
}
