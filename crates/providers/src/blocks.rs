mod lane;
mod message;

use std::collections::{BTreeSet, VecDeque};

use crate::balance::Balance;
use crate::event::{Delta, Event};
use crate::names::Names;
use crate::stream_error::StreamError;

use self::lane::{Kind, Lane};

/// More calls than this in one answer are refused.
pub(crate) const MAX_CALLS: usize = 1_000;

/// Converts text, thinking and calls, in any order and interleaved, to blocks
/// that do not overlap.
///
/// The first block is open, and its parts are passed on at once. Parts of later
/// blocks wait until the preceding blocks are complete: text and thinking are
/// complete when something else begins, a call when its input is a complete
/// object and something else has begun.
#[derive(Debug)]
pub(crate) struct Blocks {
    names: Names,
    has_begun: bool,
    /// The provider's id of the answer, for ids of calls that have none.
    answer: String,
    model: String,
    lanes: VecDeque<Lane>,
    is_front_open: bool,
    next_index: usize,
    calls: usize,
    ids: BTreeSet<String>,
    /// Bytes that wait for their turn.
    waiting: usize,
}

impl Blocks {
    pub(crate) fn new(names: Names) -> Self {
        Self {
            names,
            has_begun: false,
            answer: String::new(),
            model: String::new(),
            lanes: VecDeque::new(),
            is_front_open: false,
            next_index: 0,
            calls: 0,
            ids: BTreeSet::new(),
            waiting: 0,
        }
    }

    /// Returns true if the model has called a tool.
    pub(crate) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    pub(crate) fn text(&mut self, text: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if text.is_empty() {
            return Ok(());
        }
        let goes_on = |lane: &Lane| matches!(lane.kind, Kind::Text) && !lane.is_whole;
        if !self.lanes.back().is_some_and(goes_on) {
            self.begin(Kind::Text, out);
        }
        self.add(self.lanes.len() - 1, text, Delta::Text, out)
    }

    /// Ends the current block: the next content is another block, even if it
    /// has the same type.
    pub(crate) fn end(&mut self) {
        if let Some(lane) = self.lanes.back_mut() {
            lane.is_whole = true;
        }
    }

    pub(crate) fn thinking(&mut self, text: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if text.is_empty() {
            return Ok(());
        }
        self.begin_thinking(out);
        self.add(self.lanes.len() - 1, text, Delta::Thinking, out)
    }

    /// Seals the thinking that is open; without any, a thinking block without
    /// text.
    pub(crate) fn sign(&mut self, seal: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.begin_thinking(out);
        let is_open = self.lanes.len() == 1;
        if let Some(Lane {
            kind: Kind::Thinking { signature },
            ..
        }) = self.lanes.back_mut()
        {
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

    /// Adds a thinking block without text, for a signature of its own.
    pub(crate) fn signed(&mut self, seal: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.begin(Kind::thinking(), out);
        self.sign(seal, out)
    }

    /// A sealed block, whole.
    pub(crate) fn sealed(&mut self, data: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.waiting += data.len();
        self.lanes.push_back(Lane {
            kind: Kind::Sealed,
            waiting: data.to_owned(),
            is_whole: true,
        });
        self.advance(out);
        self.check_waiting()
    }

    /// Starts a call and returns its key. A missing id, or the id of another
    /// call of the response, is replaced by a generated one.
    pub(crate) fn call(
        &mut self,
        id: Option<&str>,
        name: &str,
        out: &mut Vec<Event>,
    ) -> Result<usize, StreamError> {
        let key = self.calls;
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(StreamError::malformed(format!(
                "more than {MAX_CALLS} calls"
            )));
        }
        let given = id.map(|id| self.names.restore_id(id));
        let id = match given {
            Some(id) if !self.ids.contains(&id) => id,
            _ => self.names.id(&self.answer, key),
        };
        self.ids.insert(id.clone());
        let name = self.names.restore(name).to_owned();
        self.waiting += id.len() + name.len();
        let balance = Balance::default();
        self.begin(
            Kind::Call {
                key,
                id,
                name,
                balance,
            },
            out,
        );
        self.check_waiting()?;
        Ok(key)
    }

    /// A piece of the input of a call.
    pub(crate) fn input(
        &mut self,
        key: usize,
        piece: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let is_it = |lane: &Lane| matches!(lane.kind, Kind::Call { key: of, .. } if of == key);
        let Some(place) = self.lanes.iter().position(is_it) else {
            // The call was complete when another block began.
            return match piece.trim() {
                "" => Ok(()),
                _ => Err(StreamError::malformed(
                    "expected no more input of a call that is complete",
                )),
            };
        };
        if let Kind::Call { balance, .. } = &mut self.lanes[place].kind {
            balance.push(piece);
        }
        self.add(place, piece, Delta::InputJson, out)?;
        self.advance(out);
        Ok(())
    }
}
