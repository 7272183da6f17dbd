//! Messages in order, in the form of a wire.

use std::fmt;
use std::sync::Arc;

use aside_messages::encode::{BodyParts, Encoded};
use aside_messages::wire::{ContentBlock, Extra, Message, Tool};

use super::{Numbered, Sink, Slot, WriteMessages};
use crate::gemini::{MEDIA_TYPE, RESPONSE};
use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::refused::RefusedError;

/// Numbers messages, and remembers the one before each.
pub(super) struct Messages<'a> {
    /// The index of the next message in the request.
    index: usize,
    /// The message before the next one; `None` for the first.
    before: Option<&'a Message>,
    /// The tools of the request, which some writers need to name changes of tools.
    tools: &'a [Tool],
}

/// Messages in the form of the wire.
#[derive(Default)]
pub(super) struct WrittenMessages {
    /// Items of the wire, with commas between them.
    pub(super) bytes: Vec<u8>,
    /// The parts that were left out or changed, in the order of the messages.
    pub(super) losses: Vec<ConversionLoss>,
    /// The places where a cache marker can be, with offsets in `bytes`.
    pub(super) slots: Vec<Slot>,
}

impl<'a> Messages<'a> {
    /// Starts after the first `known` messages.
    pub(super) fn new(parts: &BodyParts<'a>, known: usize) -> Self {
        let last = known.checked_sub(1).and_then(|index| parts.history.messages_from(index).next());
        Self {
            index: known,
            before: last.and_then(|it| it.as_message()),
            tools: parts.tools.as_tools(),
        }
    }

    /// Writes the messages that come next.
    ///
    /// # Errors
    /// As the writer: the first message that is refused ends the writing.
    pub(super) fn write(
        &mut self,
        messages: impl IntoIterator<Item = &'a Arc<Encoded>>,
        writer: &mut impl WriteMessages,
        names: &mut Names,
    ) -> Result<WrittenMessages, RefusedError> {
        let mut written = WrittenMessages::default();
        for encoded in messages {
            let message =
                encoded.as_message().expect("a body has messages only among its messages");
            let numbered =
                Numbered { index: self.index, message, before: self.before, tools: self.tools };
            let sink = &mut Sink {
                out: &mut written.bytes,
                names,
                losses: &mut written.losses,
                slots: &mut written.slots,
            };
            keys_lost(numbered, sink.losses);
            writer.write(numbered, sink)?;
            self.index += 1;
            self.before = Some(message);
        }
        Ok(written)
    }
}

/// Reports the keys of a message and its blocks that only the Messages API has.
fn keys_lost(numbered: Numbered<'_>, losses: &mut Vec<ConversionLoss>) {
    let Numbered { index, message, .. } = numbered;
    let mut lose = |at: &dyn fmt::Display, extra: &Extra| {
        // The API adds the caller to every call, and `direct` is the default.
        let is_default = |value: &str| matches!(value, "null" | r#"{"type":"direct"}"#);
        let is_added = |key: &str| matches!(key, RESPONSE | MEDIA_TYPE);
        let keys = extra.0.iter().filter(|(key, value)| !is_added(key) && !is_default(value.get()));
        losses.extend(keys.map(|(key, _)| Reason::NoKey.at(format_args!("{at}.{key}"))));
    };
    lose(&format_args!("messages[{index}]"), &message.extra);
    for (place, block) in message.content.iter().enumerate() {
        let at = format_args!("messages[{index}].content[{place}]");
        let extra = match block {
            ContentBlock::Text(text) => &text.extra,
            ContentBlock::Image(image) => &image.extra,
            ContentBlock::Document(document) => &document.extra,
            ContentBlock::ToolUse(call) => &call.extra,
            ContentBlock::ToolResult(result) => &result.extra,
            // What the wire does not take of others is reported as a whole.
            _ => continue,
        };
        lose(&at, extra);
    }
}
