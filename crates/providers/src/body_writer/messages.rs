//! Messages in order, in the form of a wire.

use std::sync::Arc;

use aside_messages::encode::{BodyParts, Encoded};
use aside_messages::wire::{Message, Tool};

use super::{Numbered, Sink, Slot, WriteMessages};
use crate::loss::ConversionLoss;
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
            writer.write(numbered, sink)?;
            self.index += 1;
            self.before = Some(message);
        }
        Ok(written)
    }
}
