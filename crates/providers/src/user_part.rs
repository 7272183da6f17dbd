//! User message parts, on wires that have them.

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, MediaSource, Other, RawJson, ToolResult};
use serde::Deserialize;

use crate::body_writer::Sink;
use crate::loss::{ConversionLoss, Reason};
use crate::result_text::{ResultText, has_hidden_media, is_other_file, text_of};

/// A text, an image or a document on a wire.
pub(crate) trait UserPart<'a>: Sized {
    /// Converts a text, an image or a document; `None` for another block, and for data that the
    /// wire cannot get.
    fn of(block: &'a ContentBlock) -> Option<Self>;

    /// Returns true if there is nothing to read.
    fn is_blank(&self) -> bool;

    /// Returns true if the part has a document's title.
    fn has_title(&self) -> bool {
        false
    }

    /// Converts a block in a user message at `(message, place)`, and reports what is left out.
    fn of_user(
        block: &'a ContentBlock,
        (message, place): (usize, usize),
        sink: &mut Sink<'_>,
    ) -> Option<Self> {
        if is_of_model(block) {
            sink.lose(message, place, Reason::NotOfUser);
            return None;
        }
        let part = Self::of(block);
        for (key, reason) in Self::lost_of(block, part.as_ref()) {
            let path = format_args!("messages[{message}].content[{place}]{key}");
            sink.losses.push(reason.at(path));
        }
        if part.as_ref().is_some_and(Self::is_blank) {
            sink.lose(message, place, Reason::BlankText);
            return None;
        }
        part
    }

    /// Separates a result's blocks, and reports what the parts do not hold. The result is at
    /// `(message, block)` in the request.
    fn of_result(
        result: &'a ToolResult,
        (message, block): (usize, usize),
        losses: &mut Vec<ConversionLoss>,
    ) -> ResultText<'a> {
        for (inner, content) in result.content.blocks().iter().enumerate() {
            if matches!(content, ContentBlock::Text(_) | ContentBlock::Image(_)) {
                continue;
            }
            for (key, reason) in Self::lost_of(content, Self::of(content).as_ref()) {
                let path =
                    format_args!("messages[{message}].content[{block}].content[{inner}]{key}");
                losses.push(reason.at(path));
            }
        }
        ResultText::of(result)
    }

    /// Returns what the part of a block does not hold: a path in the block, and the reason.
    fn lost_of(block: &'a ContentBlock, part: Option<&Self>) -> Vec<(&'static str, Reason)> {
        let Some(part) = part else {
            let is_file = matches!(block, ContentBlock::Document(it) if is_other_file(it));
            return vec![("", if is_file { Reason::OtherFile } else { Reason::UnknownBlock })];
        };
        let (title, context, citations) = match block {
            ContentBlock::Document(it) => (&it.title, &it.context, it.citations.clone()),
            ContentBlock::Other(other) => (&None, &None, citations(other)),
            _ => return Vec::new(),
        };
        // A document that is sent as text begins with its title and its context.
        let is_text = text_of(block).is_some();
        let found = [
            (has_hidden_media(block), "", Reason::DocumentMedia),
            (title.is_some() && !is_text && !part.has_title(), ".title", Reason::NoTitle),
            (context.is_some() && !is_text, ".context", Reason::NoContext),
            (citations.is_some_and(|it| enables(&it)), ".citations", Reason::NoCitations),
        ];
        let found = found.into_iter().filter(|(is_lost, ..)| *is_lost);
        found.map(|(_, key, reason)| (key, reason)).collect()
    }
}

/// Converts the blocks of a user message except results, and reports those that are left out.
pub(crate) fn user_parts<'a, P: UserPart<'a>>(
    message: usize,
    blocks: &'a [ContentBlock],
    sink: &mut Sink<'_>,
) -> Vec<P> {
    let is_result = |block: &ContentBlock| matches!(block, ContentBlock::ToolResult(_));
    let others = blocks.iter().enumerate().filter(|it| !is_result(it.1));
    others.filter_map(|(place, block)| P::of_user(block, (message, place), sink)).collect()
}

/// Returns the citations of a search result, which have the form of a document's.
fn citations(block: &Other) -> Option<RawJson> {
    #[derive(Deserialize)]
    struct Found {
        citations: Option<RawJson>,
    }
    serde_json::from_str::<Found>(block.raw().get()).ok()?.citations
}

/// Returns true for `{"enabled":true}`.
fn enables(citations: &RawJson) -> bool {
    #[derive(Deserialize)]
    struct Citations {
        enabled: bool,
    }
    serde_json::from_str::<Citations>(citations.get()).is_ok_and(|it| it.enabled)
}

/// Returns true if only a model writes such blocks.
fn is_of_model(block: &ContentBlock) -> bool {
    matches!(
        block,
        ContentBlock::ToolUse(_) | ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_)
    )
}

/// Returns the address of the data, which may be the data itself; `None` for a file by
/// its id and for text.
pub(crate) fn address(source: &MediaSource) -> Option<Cow<'_, str>> {
    match source {
        MediaSource::Base64 { media_type, data } => {
            Some(Cow::Owned(format!("data:{media_type};base64,{data}")))
        }
        MediaSource::Url { url } => Some(Cow::Borrowed(url)),
        _ => None,
    }
}
