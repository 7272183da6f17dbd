//! Writes a session's requests on a wire that is not a Messages API, converting each message once.
//!
//! A body has three regions: the head (parameters, tools, system prompt), the closed messages and
//! the tail. The closed messages only grow, so requests can share their bytes; the tail is written
//! again for every request.
//!
//! ```text
//! request 1   head | [u1 a1] | u2
//! request 2   head | [u1 a1] [u2 a2] | u3      the bytes of u1 and a1 are those of request 1
//! ```
//!
//! Cache markers move from request to request, so these bytes leave them out. A writer records
//! where one could be ([`Slot`]), and `insert` puts a request's markers between the segments.

mod insert;
mod messages;
mod writer;

use std::collections::HashSet;

use aside_messages::encode::BodyParts;
use bytes::Bytes;

use crate::chunks::Chunks;
use crate::inputs::Inputs;
use crate::loss::ConversionLoss;
use crate::names::Names;
use crate::outgoing::Written;
use crate::refused::RefusedError;

use self::insert::insert;
use self::messages::Messages;

pub(crate) use self::writer::{Numbered, Sink, Slot, WriteMessages};

/// The path to report when a marker is lost.
pub(crate) const MARKERS: &str = "cache_control";

/// Everything in a body before the messages.
///
/// A wire rebuilds it when a request has new parameters, tools or a new system prompt.
pub(crate) struct Head {
    /// Everything up to the first message: this ends with the opening of the list, such as
    /// `"messages":[`, or with the item in it.
    pub(crate) bytes: Vec<u8>,
    /// True if the list already has an item: on some wires the system prompt is the first one.
    pub(crate) has_item: bool,
    /// Where the system prompt can have markers, in order.
    pub(crate) slots: Vec<Slot>,
    /// Losses to report before and after those of the messages, in order.
    pub(crate) losses: [Vec<ConversionLoss>; 2],
}

/// Writes a session's request bodies on a wire that is not a Messages API. Messages that will not
/// change are converted and encoded once.
#[derive(Debug)]
pub(crate) struct BodyWriter<W> {
    /// The writer's state after the closed messages. To write the tail, this is cloned, so the tail
    /// leaves no trace.
    writer: W,
    /// The writer's state before the first message.
    fresh: W,
    /// The last request's head, to use again while its inputs are the same; `None` before the first
    /// request and after an error.
    head: Option<KnownHead>,
    /// The closed messages' bytes, as wire items with commas between them.
    closed: Chunks,
    /// Where `closed` can have markers, in order.
    slots: Vec<Slot>,
    /// Which names were replaced in the head and in closed messages.
    names: Names,
    /// Losses in messages that were not closed: they will be found again when these are.
    reported: HashSet<ConversionLoss>,
    /// Losses that concern the whole conversation, to report each once.
    general: HashSet<ConversionLoss>,
}

/// A head that was sent, and its inputs.
#[derive(Debug)]
struct KnownHead {
    of: Inputs,
    bytes: Bytes,
    has_item: bool,
    slots: Vec<Slot>,
    /// True if it stays valid when the messages change.
    is_lasting: bool,
}

impl<W: WriteMessages> BodyWriter<W> {
    /// Creates a writer for a session without messages, from the wire's writer in its first state.
    pub(crate) fn new(writer: W) -> Self {
        Self {
            fresh: writer.clone(),
            writer,
            head: None,
            closed: Chunks::default(),
            slots: Vec::new(),
            names: Names::default(),
            reported: HashSet::new(),
            general: HashSet::new(),
        }
    }

    /// Writes a request whose first `known` messages were already closed and written. After an
    /// error, you can write the same request again.
    ///
    /// `head` writes the head, and is called only when the last one cannot be used again. The work
    /// is linear in the head, if it is new, and in the messages after the first `known` ones.
    ///
    /// # Errors
    /// When two names would become equal on the wire, or the writer refuses a message.
    pub(crate) fn write(
        &mut self,
        parts: &BodyParts<'_>,
        known: usize,
        head: impl FnOnce(&mut Names, &W) -> Result<Head, RefusedError>,
    ) -> Result<Written, RefusedError> {
        let written = self.try_write(parts, known, head);
        if written.is_err() {
            // Its losses were not reported.
            self.head = None;
        }
        written
    }

    /// Writes the head, if it is new, then the closed messages, then the tail with a cloned writer.
    fn try_write(
        &mut self,
        parts: &BodyParts<'_>,
        known: usize,
        head: impl FnOnce(&mut Names, &W) -> Result<Head, RefusedError>,
    ) -> Result<Written, RefusedError> {
        let mut losses = [Vec::new(), Vec::new()];
        let tools = parts.tools.as_tools();
        let known = if self.writer.fits(tools) { known } else { self.begin_again() };
        let scanned = self.scanned(parts, known);
        let is_lasting = !scanned.changes_head();
        let same = |head: &KnownHead| is_lasting && head.is_lasting && head.of.are_of(parts);
        if !self.head.as_ref().is_some_and(same) {
            let head = head(&mut self.names, &scanned)?;
            losses = head.losses;
            self.head = Some(KnownHead {
                of: Inputs::of(parts),
                bytes: head.bytes.into(),
                has_item: head.has_item,
                slots: head.slots,
                is_lasting,
            });
        }
        let mut messages = Messages::new(parts, known);
        let mut writer = self.writer.clone();
        let closed = parts.history.messages_from(known);
        let closed = messages.write(closed, &mut writer, &mut self.names)?;
        self.names.settle();
        let (mut behind, mut names) = (writer.clone(), self.names.clone());
        let mut tail = messages.write(parts.tail, &mut behind, &mut names)?;
        behind.close(&mut tail.bytes);

        self.writer = writer;
        let closed_before = self.closed.len();
        let moved = |slot: Slot| Slot { offset: closed_before + slot.offset, ..slot };
        self.slots.extend(closed.slots.into_iter().map(moved));
        self.closed.push(closed.bytes);
        // Losses in closed messages are not found again.
        let closed_lost = closed.losses.into_iter();
        losses[0].extend(closed_lost.filter(|loss| !self.reported.remove(loss)));
        for loss in tail.losses {
            if is_general(&loss) || self.reported.insert(loss.clone()) {
                losses[0].push(loss);
            }
        }
        let insertions = self.insertions(parts.markers, &tail.slots, &mut losses[1]);
        let mut losses = losses.concat();
        losses.retain(|loss| !is_general(loss) || self.general.insert(loss.clone()));
        let segments = insert(self.segments(tail.bytes.into()), insertions);
        Ok(Written { segments, losses, names })
    }

    /// Forgets the messages written so far; returns how many are known now.
    ///
    /// This is needed when other tools change how earlier messages are written
    /// ([`WriteMessages::fits`]).
    fn begin_again(&mut self) -> usize {
        self.writer = self.fresh.clone();
        self.closed = Chunks::default();
        self.slots.clear();
        0
    }

    /// Returns the writer's state after the last message, as far as the head depends on it.
    ///
    /// The body has the head first. So when a head depends on the messages, the writer has to read
    /// all new ones before the head is written.
    fn scanned(&self, parts: &BodyParts<'_>, known: usize) -> W {
        let mut scanned = self.writer.clone();
        let closed = parts.history.messages_from(known);
        let messages = closed.chain(parts.tail);
        for message in messages.filter_map(|it| it.as_message()) {
            scanned.scan(message, parts.tools.as_tools());
        }
        scanned
    }

    /// Returns the body's regions: the head, the closed messages, and the rest.
    ///
    /// This inserts a comma between an item in the head and the first message. An item is an
    /// object, so a region that begins with another byte has no message.
    fn segments(&self, tail: Bytes) -> [Vec<Bytes>; 3] {
        let head = self.head.as_ref().expect("a head is written before the messages");
        let is_item = |byte: Option<&u8>| byte.is_some_and(|byte| *byte == b'{');
        let first = self.closed.iter().next().map_or(tail.first(), |it| it.first());
        let mut before = vec![head.bytes.clone()];
        if head.has_item && is_item(first) {
            before.push(Bytes::from_static(b","));
        }
        [before, self.closed.iter().cloned().collect(), vec![tail]]
    }
}

/// Returns true for a loss that concerns more than one message.
fn is_general(loss: &ConversionLoss) -> bool {
    !loss.path.starts_with("messages[")
}
