//! Orders a response's blocks as the Messages API requires.
//!
//! Chat Completions and Gemini have no block events, and interleave parallel calls. Their readers
//! report text, thinking and calls as they arrive, and this queue emits Messages API events.
//! Responses uses it too, after it has ordered its own items.

mod lane;
mod message;
mod object_end;

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use self::object_end::ObjectEnd;
use crate::event::{Delta, Event};
use crate::names::Names;
use crate::stream_error::StreamError;

use self::lane::{Kind, Lane};

/// The maximum number of calls in one response; more are refused. This limits how much memory a
/// faulty server can use.
pub(crate) const MAX_CALLS: usize = 1_000;

/// Converts text, thinking and calls, in any order and interleaved, to blocks that do not overlap.
///
/// The first block is open, and its parts are passed on at once. Parts for later blocks wait until
/// the preceding blocks are complete: text and thinking are complete when something else begins, a
/// call when its input is a complete object and something else has begun.
///
/// ```text
/// received:  call 0 begins, call 1 begins, input of 1, input of 0, end
/// emitted:   start 0, delta 0, stop 0, start 1, delta 1, stop 1
/// ```
///
/// Only a limited number of bytes may wait; see `check_waiting`.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Restores the names and ids that the request had to replace.
    names: Names,
    /// True once `MessageStart` was emitted.
    has_begun: bool,
    /// The provider's id for the response, to generate ids from when calls have none.
    answer: String,
    /// The model's name, as the provider reports it; empty if it does not.
    model: String,
    /// The blocks that are not closed, oldest first.
    lanes: VecDeque<Lane>,
    /// True once the front block's start was emitted.
    is_front_open: bool,
    /// The front block's index in the events, from 0.
    next_index: usize,
    /// How many calls there were so far; also the next one's key. Calls count from their first piece
    /// on, even if they are not emitted yet.
    calls: usize,
    /// True if the model wrote a refusal.
    pub(crate) has_refused: bool,
    /// The calls' ids so far, in the Anthropic form, to find repeated ones.
    ids: BTreeSet<String>,
    /// How many bytes wait for their turn: texts, inputs, signatures, ids and names.
    waiting: usize,
}

impl Blocks {
    /// Creates an empty queue, with the request's `names`.
    pub(crate) fn new(names: Names) -> Self {
        Self { names, ..Self::default() }
    }

    /// Adds a piece of text: to the last block if that is an open text, else to a new one. An empty
    /// piece does nothing, and so begins no block.
    pub(crate) fn text<'t>(
        &mut self,
        text: impl Into<Cow<'t, str>>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let text = text.into();
        if text.is_empty() {
            return Ok(());
        }
        let can_continue = |lane: &Lane| matches!(lane.kind, Kind::Text) && !lane.is_whole;
        if !self.lanes.back().is_some_and(can_continue) {
            self.begin(Kind::Text, out);
        }
        self.add(self.lanes.len() - 1, text, Delta::Text, out)
    }

    /// Ends the current block: what follows is another block, even if it has the same type.
    ///
    /// Without any block, this does nothing. The events close the block only when another one
    /// begins, or the response ends.
    pub(crate) fn end(&mut self) {
        if let Some(lane) = self.lanes.back_mut() {
            lane.is_whole = true;
        }
    }

    /// Adds a piece of thinking, in the same way as `text`.
    pub(crate) fn thinking<'t>(
        &mut self,
        text: impl Into<Cow<'t, str>>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let text = text.into();
        if text.is_empty() {
            return Ok(());
        }
        self.begin_thinking(out);
        self.add(self.lanes.len() - 1, text, Delta::Thinking, out)
    }

    /// Signs the open thinking and ends it; if none is open, this adds a thinking block without
    /// text to hold the signature. `seal` is the whole signature in the Anthropic form, with its
    /// provider's prefix.
    pub(crate) fn sign(&mut self, seal: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.begin_thinking(out);
        let is_open = self.lanes.len() == 1;
        if let Some(Lane { kind: Kind::Thinking { signature }, .. }) = self.lanes.back_mut() {
            if is_open {
                let (index, delta) = (self.next_index, Delta::Signature(seal.to_owned()));
                out.push(Event::BlockDelta { index, delta });
            } else {
                signature.push_str(seal);
                self.waiting += seal.len();
            }
        }
        self.end();
        self.check_waiting()
    }

    /// Adds a thinking block without text, for a signature that belongs to no other part. Open
    /// thinking does not get this signature.
    pub(crate) fn signed(&mut self, seal: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.begin(Kind::thinking(), out);
        self.sign(seal, out)
    }

    /// Adds a whole `redacted_thinking` block with this data, which has its provider's prefix.
    pub(crate) fn sealed(&mut self, data: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.waiting += data.len();
        self.lanes.push_back(Lane { kind: Kind::Sealed, waiting: data.to_owned(), is_whole: true });
        self.advance(out);
        self.check_waiting()
    }

    /// Starts a call and returns its key. When its id is missing, or another call has it, the call
    /// gets a generated one.
    ///
    /// # Errors
    ///
    /// When there are more than `MAX_CALLS` calls, or too many bytes wait.
    pub(crate) fn call(
        &mut self,
        id: Option<&str>,
        name: &str,
        out: &mut Vec<Event>,
    ) -> Result<usize, StreamError> {
        let key = self.calls;
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(StreamError::malformed(format!("more than {MAX_CALLS} calls")));
        }
        let given = id.map(|id| self.names.restore_id(id));
        let id = match given {
            Some(id) if !self.ids.contains(&id) => id,
            _ => self.names.id(&self.answer, key),
        };
        self.ids.insert(id.clone());
        let name = self.names.restore(name).to_owned();
        self.waiting += id.len() + name.len();
        let balance = ObjectEnd::default();
        self.begin(Kind::Call { key, id, name, balance }, out);
        self.check_waiting()?;
        Ok(key)
    }

    /// Adds a piece to a call's input. `key` is what `call` returned.
    ///
    /// This looks for the input's last brace, so that the next block can begin before the response
    /// ends.
    ///
    /// # Errors
    ///
    /// When the call is already complete and closed, and the piece is not blank; or when too many
    /// bytes wait.
    pub(crate) fn input(
        &mut self,
        key: usize,
        piece: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let has_key = |lane: &Lane| matches!(lane.kind, Kind::Call { key: of, .. } if of == key);
        let Some(place) = self.lanes.iter().position(has_key) else {
            // The call was complete when another block began.
            return match piece.trim() {
                "" => Ok(()),
                _ => {
                    Err(StreamError::malformed("expected no more input of a call that is complete"))
                }
            };
        };
        if let Kind::Call { balance, .. } = &mut self.lanes[place].kind {
            balance.push(piece);
        }
        self.add(place, piece.into(), Delta::InputJson, out)?;
        self.advance(out);
        Ok(())
    }
}
