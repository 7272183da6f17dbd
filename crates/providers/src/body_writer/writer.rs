//! How a body and its wire work together: a message writer.
//!
//! A writer's state is cloned before a request's tail is written, so that the tail can be written
//! again. A writer therefore has no bytes of its own and writes to a [`Sink`].

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Message, Tool};
use bytes::Bytes;

use crate::loss::{ConversionLoss, Reason};
use crate::names::Names;
use crate::refused::RefusedError;

/// Writes messages in one wire's form. Its state depends on the messages written before.
///
/// It has to be deterministic: the same messages give the same bytes in every request, because the
/// provider's cache compares them.
pub(crate) trait WriteMessages: Clone {
    /// Writes a message as zero or more wire items, with commas between them and after earlier
    /// ones.
    ///
    /// An item may stay open, to join the next message to it.
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError>;

    /// Reads what the head needs to know about a message, before this is written.
    ///
    /// By default, the head depends on no message.
    fn scan(&mut self, _message: &Message, _tools: &[Tool]) {}

    /// Returns true if the head depends on the messages, and so is valid for only one request.
    fn changes_head(&self) -> bool {
        false
    }

    /// Returns true if the messages written so far would be the same with these tools.
    ///
    /// If not, everything is written again from the first message.
    fn fits(&self, _tools: &[Tool]) -> bool {
        true
    }

    /// Closes the open items after the last message, then the list and the body.
    fn close(&self, out: &mut Vec<u8>);

    /// Returns a cache marker's bytes, to insert at a [`Slot`]; `None` if the wire has no markers.
    fn marker(&self, _control: &CacheControl) -> Option<Bytes> {
        None
    }

    /// Returns what to report when a cache marker has no slot, such as "cache markers are left out:
    /// the model finds prefixes by itself".
    fn markers_lost(&self) -> &'static str;
}

/// A message and its index.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<'a> {
    /// The index in `messages`, for loss paths.
    pub(crate) index: usize,
    pub(crate) message: &'a Message,
    /// The message before it, which may have the calls that its results answer.
    pub(crate) before: Option<&'a Message>,
    /// The request's tools.
    pub(crate) tools: &'a [Tool],
}

/// Where a writer puts its output.
pub(crate) struct Sink<'a> {
    /// The items' bytes.
    pub(crate) out: &'a mut Vec<u8>,
    /// Names and ids that the wire does not take as they are.
    pub(crate) names: &'a mut Names,
    /// What was left out or changed.
    pub(crate) losses: &'a mut Vec<ConversionLoss>,
    /// Where cache markers can go, in block order.
    pub(crate) slots: &'a mut Vec<Slot>,
}

impl Sink<'_> {
    /// Reports that a block is left out.
    pub(crate) fn lose(&mut self, message: usize, block: usize, reason: Reason) {
        let path = format_args!("messages[{message}].content[{block}]");
        self.losses.push(reason.at(path));
    }

    /// Reports that a message's key is left out.
    pub(crate) fn lose_key(&mut self, message: usize, key: &str, reason: Reason) {
        let path = format_args!("messages[{message}].{key}");
        self.losses.push(reason.at(path));
    }
}

/// Where a block's marker can go in the written bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The block whose marker this is.
    pub(crate) at: BlockRef,
    /// In bytes from where the region starts: the head, the closed messages or the tail.
    pub(crate) offset: usize,
}
