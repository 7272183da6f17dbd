//! The interface between a body and its wire: a writer of messages.
//!
//! The state of a writer is cloned before the tail of a request is written, so that the tail can be
//! written again; a writer therefore has no bytes of its own and writes into a [`Sink`].

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Message, Tool};
use bytes::Bytes;

use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::refused::RefusedError;

/// A writer of messages in the form of one wire. Its state depends on the
/// messages written before.
///
/// It has to be deterministic: the same messages give the same bytes in every request, since the
/// provider's cache compares them.
pub(crate) trait WriteMessages: Clone {
    /// Writes a message as zero or more items of the wire, separated by commas
    /// from each other and from earlier ones.
    ///
    /// An item may stay open, so that the next message can be joined to it.
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError>;

    /// Records the facts of a message that the head depends on, before it is
    /// written.
    ///
    /// By default, the head depends on no message.
    fn scan(&mut self, _message: &Message, _tools: &[Tool]) {}

    /// Returns true if the head depends on the messages, and so lasts for one
    /// request only.
    fn changes_head(&self) -> bool {
        false
    }

    /// Returns true if the messages that were written would be the same with
    /// these tools.
    ///
    /// If not, everything is written again from the first message.
    fn fits(&self, _tools: &[Tool]) -> bool {
        true
    }

    /// Closes the open items after the last message.
    ///
    /// It also closes the list and the body.
    fn close(&self, out: &mut Vec<u8>);

    /// Returns the bytes of a cache marker, to be inserted at a [`Slot`];
    /// `None` if the wire has no markers.
    fn marker(&self, _control: &CacheControl) -> Option<Bytes> {
        None
    }

    /// Returns the conversion loss of cache markers without a slot.
    ///
    /// It is a text such as "cache markers are left out: the model finds prefixes by itself".
    fn markers_lost(&self) -> &'static str;
}

/// A message and its index.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<'a> {
    /// The index in `messages`, for the paths of losses.
    pub(crate) index: usize,
    /// The message.
    pub(crate) message: &'a Message,
    /// The message before it, which may have the calls that its results answer.
    pub(crate) before: Option<&'a Message>,
    /// The tools of the request.
    pub(crate) tools: &'a [Tool],
}

/// The output of a writer.
pub(crate) struct Sink<'a> {
    /// The bytes of the items.
    pub(crate) out: &'a mut Vec<u8>,
    /// The names and ids that the wire does not take as they are.
    pub(crate) names: &'a mut Names,
    /// The parts that were left out or changed.
    pub(crate) losses: &'a mut Vec<ConversionLoss>,
    /// The possible places of cache markers, in the order of the blocks.
    pub(crate) slots: &'a mut Vec<Slot>,
}

impl Sink<'_> {
    /// Reports that a block is left out.
    pub(crate) fn lose(&mut self, message: usize, block: usize, reason: Reason) {
        let path = format_args!("messages[{message}].content[{block}]");
        self.losses.push(reason.at(path));
    }

    /// Reports that a key of a message is left out.
    pub(crate) fn lose_key(&mut self, message: usize, key: &str, reason: Reason) {
        let path = format_args!("messages[{message}].{key}");
        self.losses.push(reason.at(path));
    }
}

/// A position in the written bytes for the marker of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The block whose marker it is.
    pub(crate) at: BlockRef,
    /// In bytes from the start of the region: the head, the closed messages or the tail.
    pub(crate) offset: usize,
}
