//! What a wire has to provide: how its messages are written.

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Message, Tool};
use bytes::Bytes;

use crate::loss::ConversionLoss;
use crate::names::Names;
use crate::refused::RefusedError;

/// A writer of messages in the form of one wire. Its state depends on the
/// messages written before.
pub(crate) trait WriteMessages: Clone {
    /// Writes a message as zero or more items of the wire, separated by commas
    /// from each other and from earlier ones.
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError>;

    /// Records the facts of a message that the head depends on, before it is
    /// written.
    fn scan(&mut self, _message: &Message, _tools: &[Tool]) {}

    /// Returns true if the head depends on the messages, and so lasts for one
    /// request only.
    fn changes_head(&self) -> bool {
        false
    }

    /// Returns true if the messages that were written would be the same with
    /// these tools.
    fn fits(&self, _tools: &[Tool]) -> bool {
        true
    }

    /// Closes the open items after the last message.
    fn close(&self, out: &mut Vec<u8>);

    /// Returns the bytes of a cache marker, to be inserted at a [`Slot`];
    /// `None` if the wire has no markers.
    fn marker(&self, _control: &CacheControl) -> Option<Bytes> {
        None
    }

    /// Returns the conversion loss of cache markers without a slot.
    fn markers_lost(&self) -> &'static str;
}

/// A message and its index.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<'a> {
    pub(crate) index: usize,
    pub(crate) message: &'a Message,
    pub(crate) before: Option<&'a Message>,
    /// The tools of the request.
    pub(crate) tools: &'a [Tool],
}

/// The output of a writer.
pub(crate) struct Sink<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) names: &'a mut Names,
    pub(crate) losses: &'a mut Vec<ConversionLoss>,
    pub(crate) slots: &'a mut Vec<Slot>,
}

/// A position in the written bytes for the marker of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) at: BlockRef,
    pub(crate) offset: usize,
}
