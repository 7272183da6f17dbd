use std::borrow::Cow;

use aside_messages::wire::{
    ContentBlock, Document, MediaSource, Message, RawJson, ResultContent, ToolResult,
};

use crate::join::join;

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
        Self {
            text: join(pieces, "\n\n"),
            media,
        }
    }
}

/// A document that is plain text, with its title and context before it.
pub(crate) fn document_text(document: &Document) -> Option<Cow<'_, str>> {
    let text = match &document.source {
        MediaSource::Text { data, .. } => Cow::Borrowed(&**data),
        MediaSource::Content { content } => content_text(content),
        _ => return None,
    };
    let head = [&document.title, &document.context].into_iter().flatten();
    let head: Vec<_> = head.map(|it| Cow::Borrowed(&**it)).collect();
    if head.is_empty() {
        return Some(text);
    }
    Some(join(vec![join(head, "\n"), text], "\n\n"))
}

/// The texts of a document that is made of content blocks.
fn content_text(content: &RawJson) -> Cow<'_, str> {
    // The reading of messages knows both forms, a string and blocks.
    let message = format!(r#"{{"role":"user","content":{}}}"#, content.get());
    let Ok(message) = Message::parse(message.as_bytes()) else {
        return Cow::Borrowed(content.get());
    };
    let texts = message.value.content.iter().map(|block| match block {
        ContentBlock::Text(text) => Cow::Owned(text.text.to_string()),
        _ => Cow::Borrowed("[left out: no text]"),
    });
    join(texts.collect(), "\n\n")
}
