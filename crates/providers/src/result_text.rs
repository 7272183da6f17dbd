use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, Document, MediaSource, ResultContent, ToolResult};

/// What a tool said, for a wire whose results are text: the text of its
/// blocks, with a blank line between them, and what else it gave.
pub(crate) struct ResultText<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Images, and documents that are not plain text.
    pub(crate) media: Vec<&'a ContentBlock>,
}

impl<'a> ResultText<'a> {
    pub(crate) fn of(result: &'a ToolResult) -> Self {
        let mut media = Vec::new();
        let mut pieces: Vec<Cow<'a, str>> = Vec::new();
        let blocks = match &result.content {
            ResultContent::Text(text) => {
                pieces.push(Cow::Borrowed(text));
                &[]
            }
            ResultContent::Blocks(blocks) => &blocks[..],
        };
        for block in blocks {
            match block {
                ContentBlock::Text(text) => pieces.push(Cow::Borrowed(&text.text)),
                ContentBlock::Document(document) => match document_text(document) {
                    Some(text) => pieces.push(text),
                    None => media.push(block),
                },
                ContentBlock::Image(_) => media.push(block),
                // A search result, a reference to a tool: the model can read
                // the JSON.
                ContentBlock::Other(other) => pieces.push(Cow::Borrowed(other.raw().get())),
                _ => {}
            }
        }
        let text = match pieces.len() {
            0 => Cow::Borrowed(""),
            1 => pieces.remove(0),
            _ => Cow::Owned(pieces.join("\n\n")),
        };
        Self { text, media }
    }
}

/// A document that is plain text, with its title and context before it.
pub(crate) fn document_text(document: &Document) -> Option<Cow<'_, str>> {
    let text = match &document.source {
        MediaSource::Text { data, .. } => Cow::Borrowed(&**data),
        MediaSource::Content { content } => match serde_json::from_str::<String>(content.get()) {
            Ok(text) => Cow::Owned(text),
            // Content blocks, as JSON.
            Err(_) => Cow::Borrowed(content.get()),
        },
        _ => return None,
    };
    let head = [&document.title, &document.context];
    let head: Vec<&str> = head.into_iter().flatten().map(|it| &**it).collect();
    Some(if head.is_empty() {
        text
    } else {
        Cow::Owned(format!("{}\n\n{text}", head.join("\n")))
    })
}
