//! User message parts, on wires that have them.

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, MediaSource};

use crate::body_writer::Sink;
use crate::loss::Reason;
use crate::result_text::has_hidden_media;

/// A text, an image or a document on a wire.
pub(crate) trait UserPart<'a>: Sized {
    /// Converts a text, an image or a document; `None` for another block, and for data that the
    /// wire cannot get.
    fn of(block: &'a ContentBlock) -> Option<Self>;

    /// Returns true if there is nothing to read.
    fn is_blank(&self) -> bool;

    /// Converts a block in a user message, or returns why to leave it out.
    fn of_user(block: &'a ContentBlock) -> Result<Self, Reason> {
        if is_of_model(block) {
            return Err(Reason::NotOfUser);
        }
        match Self::of(block) {
            Some(part) if part.is_blank() => Err(Reason::BlankText),
            Some(part) => Ok(part),
            None => Err(Reason::UnknownBlock),
        }
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
    let part = |(place, block)| {
        if has_hidden_media(block) {
            sink.lose(message, place, Reason::DocumentMedia);
        }
        let part = P::of_user(block);
        part.map_err(|reason| sink.lose(message, place, reason)).ok()
    };
    others.filter_map(part).collect()
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
