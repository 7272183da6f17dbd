//! Writes a tool result as one text.
//!
//! Plain text documents, search results and tool references have a text form here; images and other
//! documents go to the wire, which sends them elsewhere.

use std::borrow::Cow;

use aside_messages::wire::{
    ContentBlock, Document, MediaSource, Message, Other, RawJson, ResultContent, ToolResult,
};
use aside_text::REMINDER_TAG;
use serde::Deserialize;

/// A tool result, for a wire that accepts only text there: its blocks' texts, with a blank line
/// between them, and its other blocks.
///
/// ```text
/// [text "a", document "t" of plain text "b", image]   →   "a\n\nt\n\nb", with the image as media
/// ```
///
/// A wire that accepts both takes them in order ([`ResultText::in_order`]).
pub(crate) struct ResultText<'a> {
    pieces: Vec<Piece<'a>>,
}

/// A block in a result.
pub(crate) enum Piece<'a> {
    /// Borrowed if it is a single block's text.
    Text(Cow<'a, str>),
    /// An image, or a document that is not plain text.
    Media(&'a ContentBlock),
}

impl<'a> ResultText<'a> {
    /// Separates a result's blocks.
    pub(crate) fn of(result: &'a ToolResult) -> Self {
        let mut pieces = Vec::new();
        let blocks = match &result.content {
            ResultContent::Text(text) => {
                pieces.push(Piece::Text(Cow::Borrowed(text)));
                &[]
            }
            ResultContent::Blocks(blocks) => &blocks[..],
        };
        for block in blocks {
            match (text_of(block), block) {
                (Some(text), _) => pieces.push(Piece::Text(text)),
                (None, ContentBlock::Document(_) | ContentBlock::Image(_)) => {
                    pieces.push(Piece::Media(block));
                }
                _ => {}
            }
        }
        Self { pieces }
    }

    /// Returns all texts as one, and the media.
    pub(crate) fn text_and_media(self) -> (Cow<'a, str>, Vec<&'a ContentBlock>) {
        let (mut texts, mut media) = (Vec::new(), Vec::new());
        for piece in self.pieces {
            match piece {
                Piece::Text(text) => texts.push(text),
                Piece::Media(block) => media.push(block),
            }
        }
        (join(texts, "\n\n"), media)
    }

    /// Returns texts and media in order; adjacent texts are joined.
    pub(crate) fn in_order(self) -> Vec<Piece<'a>> {
        let (mut ordered, mut texts) = (Vec::new(), Vec::new());
        let close = |texts: &mut Vec<_>, ordered: &mut Vec<_>| {
            if !texts.is_empty() {
                ordered.push(Piece::Text(join(std::mem::take(texts), "\n\n")));
            }
        };
        for piece in self.pieces {
            match piece {
                Piece::Text(text) => texts.push(text),
                media => {
                    close(&mut texts, &mut ordered);
                    ordered.push(media);
                }
            }
        }
        close(&mut texts, &mut ordered);
        ordered
    }

    /// Returns the text to send on a wire without an error flag: a failed result begins with
    /// `Error:`, and is `Error` if it has no text.
    pub(crate) fn marked_as_error(text: Cow<'a, str>, result: &ToolResult) -> Cow<'a, str> {
        match (result.is_error, &*text) {
            (Some(true), "") => Cow::Borrowed("Error"),
            (Some(true), text) => Cow::Owned(format!("Error: {text}")),
            _ => text,
        }
    }

    /// Returns true if there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.pieces[..] {
            [] => true,
            [Piece::Text(text)] => text.is_empty(),
            _ => false,
        }
    }
}

/// Returns a block's text: a text, a plain text document or a search result.
pub(crate) fn text_of(block: &ContentBlock) -> Option<Cow<'_, str>> {
    match block {
        ContentBlock::Text(text) => Some(Cow::Borrowed(&text.text)),
        ContentBlock::Document(document) => document_text(document),
        ContentBlock::Other(other) => searched(other).map(Cow::Owned),
        _ => None,
    }
}

/// Returns a search result's text: a passage from a source, or a tool.
///
/// A `search_result` gives its title, source and content on a line each; a `tool_reference`, the
/// tool's name.
fn searched(block: &Other) -> Option<String> {
    #[derive(Deserialize)]
    struct Found {
        source: Option<String>,
        title: Option<String>,
        content: Option<RawJson>,
        tool_name: Option<String>,
    }
    let found: Found = serde_json::from_str(block.raw().get()).ok()?;
    let texts = match block.kind() {
        "search_result" => {
            let content = found.content.as_ref().map(|it| content_text(it).into_owned());
            vec![found.title, found.source, content]
        }
        "tool_reference" => vec![found.tool_name],
        _ => return None,
    };
    let texts = texts.into_iter().flatten().map(Cow::Owned).collect();
    Some(join(texts, "\n").into_owned())
}

/// Returns a plain text document, with its title and context before it.
fn document_text(document: &Document) -> Option<Cow<'_, str>> {
    let text = match &document.source {
        MediaSource::Text { data, .. } => Cow::Borrowed(&**data),
        MediaSource::Content { content } => content_text(content),
        _ => return None,
    };
    let head: Vec<_> = [&document.title, &document.context]
        .into_iter()
        .flatten()
        .map(|it| Cow::Borrowed(&**it))
        .collect();
    if head.is_empty() {
        return Some(text);
    }
    Some(join(vec![join(head, "\n"), text], "\n\n"))
}

/// Returns true for a document whose data is no PDF, such as audio from Gemini's wire: OpenAI's
/// wires would take it for one.
pub(crate) fn is_other_file(document: &Document) -> bool {
    let source = &document.source;
    matches!(source, MediaSource::Base64 { media_type, .. } if media_type != "application/pdf")
}

/// Joins blocks' texts, for a wire that has one text in their place. Text from outside cannot form
/// a reminder tag across blocks: only the harness's own are left.
pub(crate) fn join<'a>(mut texts: Vec<Cow<'a, str>>, separator: &str) -> Cow<'a, str> {
    match texts.len() {
        1 => texts.remove(0),
        _ => Cow::Owned(aside_text::join(&texts, separator, &[REMINDER_TAG])),
    }
}

/// Returns true for a document that consists of content blocks, some of which are no text.
pub(crate) fn has_hidden_media(block: &ContentBlock) -> bool {
    let ContentBlock::Document(Document { source: MediaSource::Content { content }, .. }) = block
    else {
        return false;
    };
    let mut blocks = content_blocks(content).into_iter().flatten();
    blocks.any(|it| !matches!(it, ContentBlock::Text(_)))
}

/// Returns true if a text inside a document or a search result has a cache marker.
pub(crate) fn has_hidden_marker(block: &ContentBlock) -> bool {
    #[derive(Deserialize)]
    struct Found {
        content: Option<RawJson>,
    }
    // Most have none, and need no second parse.
    let may_have = |json: &RawJson| json.get().contains("cache_control");
    let blocks = match block {
        ContentBlock::Document(Document { source: MediaSource::Content { content }, .. })
            if may_have(content) =>
        {
            content_blocks(content)
        }
        ContentBlock::Other(other) if other.kind() == "search_result" && may_have(other.raw()) => {
            let found: Option<Found> = serde_json::from_str(other.raw().get()).ok();
            found.and_then(|it| content_blocks(&it.content?))
        }
        _ => None,
    };
    blocks.into_iter().flatten().any(|it| it.cache_control().is_some())
}

/// Returns the blocks that a document consists of.
fn content_blocks(content: &RawJson) -> Option<Vec<ContentBlock>> {
    // The message reader knows both forms, a string and blocks.
    let message = format!(r#"{{"role":"user","content":{}}}"#, content.get());
    Some(Message::parse(message.as_bytes()).ok()?.value.content)
}

/// Returns the texts when a document consists of content blocks.
fn content_text(content: &RawJson) -> Cow<'_, str> {
    let Some(blocks) = content_blocks(content) else {
        return Cow::Borrowed(content.get());
    };
    let texts = blocks.iter().map(|block| match block {
        ContentBlock::Text(text) => Cow::Owned(text.text.to_string()),
        _ => Cow::Borrowed("[left out: no text]"),
    });
    join(texts.collect(), "\n\n")
}
