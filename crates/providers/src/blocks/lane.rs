//! The block queue: the block at the front is open, the others wait.
//!
//! The front block passes its pieces on at once. A block after it collects them, to emit them
//! together when it reaches the front.

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, Thinking};

use super::Blocks;
use super::object_end::ObjectEnd;
use crate::answer::{call, sealed};
use crate::event::{Delta, Event};
use crate::stream_error::{MAX_LINE_BYTES, StreamError, StreamErrorKind};

/// The maximum number of blocks that wait for an incomplete one.
///
/// Bytes have their own limit; this one is for blocks that are nearly empty.
const MAX_WAITING_BLOCKS: usize = 10_000;

/// A block that is not closed.
#[derive(Debug)]
pub(super) struct Lane {
    /// The block's type, with the state that only this type has.
    pub(super) kind: Kind,
    /// Text, input or sealed data that was received but not emitted.
    pub(super) waiting: String,
    /// True if the block is complete: signed blocks cannot continue.
    pub(super) is_whole: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A `text` block.
    Text,
    /// A `thinking` block, and the part of its signature that was not emitted.
    Thinking {
        /// The signature so far; emptied when the block reaches the front.
        signature: String,
    },
    /// A whole `redacted_thinking` block, whose data is `Lane::waiting`.
    Sealed,
    /// A `tool_use` block.
    Call {
        /// The call's number in the response, from 0, to identify it for its pieces.
        key: usize,
        /// The id in the Anthropic form: restored, or generated.
        id: String,
        /// The tool's name, as the caller's request has it.
        name: String,
        /// Finds where the input ends, which no event on these wires reports.
        balance: ObjectEnd,
    },
}

impl Blocks {
    /// Begins a thinking block, unless the last block is one that can continue.
    pub(super) fn begin_thinking(&mut self, out: &mut Vec<Event>) {
        let can_continue =
            |lane: &Lane| matches!(lane.kind, Kind::Thinking { .. }) && !lane.is_whole;
        if !self.lanes.back().is_some_and(can_continue) {
            self.begin(Kind::thinking(), out);
        }
    }

    /// Adds a block to the end of the queue. This may close the front block, which is complete once
    /// another one waits.
    pub(super) fn begin(&mut self, kind: Kind, out: &mut Vec<Event>) {
        self.lanes.push_back(Lane { kind, waiting: String::new(), is_whole: false });
        self.advance(out);
    }

    /// Adds a piece to the block at `place` of the queue. The piece is emitted as `delta`
    /// at once if the block is open, and waits otherwise. An empty piece does nothing.
    ///
    /// # Errors
    ///
    /// More bytes or blocks wait than `check_waiting` allows. The piece was added nevertheless.
    pub(super) fn add(
        &mut self,
        place: usize,
        text: Cow<'_, str>,
        delta: fn(String) -> Delta,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        if text.is_empty() {
            return Ok(());
        }
        if place == 0 && self.is_front_open {
            let (index, delta) = (self.next_index, delta(text.into_owned()));
            out.push(Event::BlockDelta { index, delta });
            return Ok(());
        }
        self.lanes[place].waiting.push_str(&text);
        self.waiting += text.len();
        self.check_waiting()
    }

    /// Returns an error if more than `MAX_LINE_BYTES` bytes or `MAX_WAITING_BLOCKS`
    /// blocks wait.
    pub(super) fn check_waiting(&self) -> Result<(), StreamError> {
        if self.waiting > MAX_LINE_BYTES || self.lanes.len() > MAX_WAITING_BLOCKS {
            return Err(StreamError::new(StreamErrorKind::TooLong));
        }
        Ok(())
    }

    /// Opens the block at the front, and closes it if it is complete; continues until the
    /// front is a block that is not.
    ///
    /// - Text and thinking are complete when another block waits.
    /// - A sealed block is always complete.
    /// - A call is complete when its input is balanced and another block waits.
    pub(super) fn advance(&mut self, out: &mut Vec<Event>) {
        while let Some(front) = self.lanes.front() {
            let is_complete = match &front.kind {
                Kind::Text | Kind::Thinking { .. } => self.lanes.len() > 1,
                Kind::Sealed => true,
                Kind::Call { balance, .. } => self.lanes.len() > 1 && balance.is_complete(),
            };
            self.open_front(out);
            if !is_complete {
                break;
            }
            self.close_front(out);
        }
    }

    /// Emits the start of the front block and everything that waited for it. Does nothing
    /// if the queue is empty or the front is open. Deltas without text are not emitted.
    pub(super) fn open_front(&mut self, out: &mut Vec<Event>) {
        let Some(front) = self.lanes.front_mut() else {
            return;
        };
        if std::mem::replace(&mut self.is_front_open, true) {
            return;
        }
        let index = self.next_index;
        let waiting = std::mem::take(&mut front.waiting);
        self.waiting = self.waiting.saturating_sub(waiting.len());
        let (block, deltas) = match &mut front.kind {
            Kind::Text => (ContentBlock::text(""), vec![Delta::Text(waiting)]),
            Kind::Thinking { signature } => {
                let signature = std::mem::take(signature);
                self.waiting = self.waiting.saturating_sub(signature.len());
                (
                    ContentBlock::Thinking(Thinking::default()),
                    vec![Delta::Thinking(waiting), Delta::Signature(signature)],
                )
            }
            Kind::Sealed => (sealed(waiting), Vec::new()),
            Kind::Call { id, name, .. } => {
                self.waiting = self.waiting.saturating_sub(id.len() + name.len());
                (call(std::mem::take(id), name), vec![Delta::InputJson(waiting)])
            }
        };
        out.push(Event::BlockStart { index, block });
        let filled = deltas.into_iter().filter(|delta| !delta.is_empty());
        out.extend(filled.map(|delta| Event::BlockDelta { index, delta }));
    }

    /// Emits the stop of the front block and removes it. The block must be open; the next
    /// one is not opened here.
    pub(super) fn close_front(&mut self, out: &mut Vec<Event>) {
        let index = self.next_index;
        out.push(Event::BlockStop { index });
        self.lanes.pop_front();
        self.is_front_open = false;
        self.next_index += 1;
    }
}

impl Kind {
    /// Creates the kind of a thinking block without a signature.
    pub(super) fn thinking() -> Self {
        Self::Thinking { signature: String::new() }
    }
}
