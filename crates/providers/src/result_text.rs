//! The result of a tool as one text.
//!
//! Documents that are plain text, results of a search and references to tools have a text form
//! here; images and other documents are handed to the wire, which sends them in another place.

use std::borrow::Cow;

use aside_messages::wire::{
    ContentBlock, Document, MediaSource, Message, Other, RawJson, ResultContent, ToolResult,
};
use aside_text::REMINDER_TAG;
use serde::Deserialize;

use crate::loss::{ConversionLoss, Reason};

/// The result of a tool, for a wire that accepts results as text only: the
/// texts of its blocks, with a blank line between them, and its other blocks.
///
/// ```text
/// [text "a", document "t" of plain text "b", image]   →   "a\n\nt\n\nb", with the image as media
/// ```
///
/// A wire that accepts both takes them in their order ([`ResultText::in_order`]).
pub(crate) struct ResultText<'a> {
    pieces: Vec<Piece<'a>>,
    /// The indices of blocks of an unknown kind.
    left_out: Vec<usize>,
}

/// A block of a result.
pub(crate) enum Piece<'a> {
    /// Borrowed if it is the text of one block.
    Text(Cow<'a, str>),
    /// An image, or a document that is not plain text.
    Media(&'a ContentBlock),
}

impl<'a> ResultText<'a> {
    /// Separates the blocks of a result.
    pub(crate) fn of(result: &'a ToolResult) -> Self {
        let (mut pieces, mut left_out) = (Vec::new(), Vec::new());
        let blocks = match &result.content {
            ResultContent::Text(text) => {
                pieces.push(Piece::Text(Cow::Borrowed(text)));
                &[]
            }
            ResultContent::Blocks(blocks) => &blocks[..],
        };
        for (place, block) in blocks.iter().enumerate() {
            match block {
                ContentBlock::Text(text) => pieces.push(Piece::Text(Cow::Borrowed(&text.text))),
                ContentBlock::Document(document) => match document_text(document) {
                    Some(text) => pieces.push(Piece::Text(text)),
                    None => pieces.push(Piece::Media(block)),
                },
                ContentBlock::Image(_) => pieces.push(Piece::Media(block)),
                ContentBlock::Other(other) => match searched(other) {
                    Some(text) => pieces.push(Piece::Text(Cow::Owned(text))),
                    None => left_out.push(place),
                },
                _ => left_out.push(place),
            }
        }
        Self { pieces, left_out }
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

    /// Returns texts and media in their order; texts next to each other are one.
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

    /// Separates the blocks of the result at `(message, block)` of the request, and reports those
    /// of an unknown kind.
    pub(crate) fn reporting(
        result: &'a ToolResult,
        (message, block): (usize, usize),
        losses: &mut Vec<ConversionLoss>,
    ) -> Self {
        let read = Self::of(result);
        for inner in &read.left_out {
            let path = format_args!("messages[{message}].content[{block}].content[{inner}]");
            losses.push(Reason::UnknownBlock.at(path));
        }
        read
    }

    /// Returns the text for a wire without a flag for errors: that of a failed result begins with
    /// `Error:`, and is `Error` if there is none.
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

/// Returns the text of a search result: a passage of a source, or a tool.
///
/// A `search_result` gives its title, source and content on a line each, a `tool_reference` the
/// name of the tool.
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
            let content = found
                .content
                .as_ref()
                .map(|it| content_text(it).into_owned());
            vec![found.title, found.source, content]
        }
        "tool_reference" => vec![found.tool_name],
        _ => return None,
    };
    let texts = texts.into_iter().flatten().map(Cow::Owned).collect();
    Some(join(texts, "\n").into_owned())
}

/// A document that is plain text, with its title and context before it.
pub(crate) fn document_text(document: &Document) -> Option<Cow<'_, str>> {
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

/// Joins the texts of blocks, for a wire that has one text in their place. Text from outside cannot
/// form a reminder tag across blocks: only those of the harness are left.
pub(crate) fn join<'a>(mut texts: Vec<Cow<'a, str>>, separator: &str) -> Cow<'a, str> {
    match texts.len() {
        1 => texts.remove(0),
        _ => Cow::Owned(aside_text::join(&texts, separator, &[REMINDER_TAG])),
    }
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
