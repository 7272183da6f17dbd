//! The queue of blocks: the one at the front is open, the others wait.

use aside_messages::wire::ContentBlock;

use super::Blocks;
use crate::answer::{call, sealed, thinking};
use crate::balance::Balance;
use crate::event::{Delta, Event};
use crate::stream_error::{MAX_LINE_BYTES, StreamError, StreamErrorKind};

/// The maximum number of blocks that wait for one that is not complete.
const MAX_WAITING_BLOCKS: usize = 10_000;

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) kind: Kind,
    pub(super) waiting: String,
    /// True if the block is complete: signed blocks cannot continue.
    pub(super) is_whole: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text,
    Thinking {
        signature: String,
    },
    Sealed,
    Call {
        key: usize,
        id: String,
        name: String,
        balance: Balance,
    },
}

impl Blocks {
    pub(super) fn begin_thinking(&mut self, out: &mut Vec<Event>) {
        let goes_on = |lane: &Lane| matches!(lane.kind, Kind::Thinking { .. }) && !lane.is_whole;
        if !self.lanes.back().is_some_and(goes_on) {
            self.begin(Kind::thinking(), out);
        }
    }

    pub(super) fn begin(&mut self, kind: Kind, out: &mut Vec<Event>) {
        self.lanes.push_back(Lane {
            kind,
            waiting: String::new(),
            is_whole: false,
        });
        self.advance(out);
    }

    pub(super) fn add(
        &mut self,
        place: usize,
        text: &str,
        delta: fn(String) -> Delta,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        if text.is_empty() {
            return Ok(());
        }
        if place == 0 && self.is_front_open {
            let (index, delta) = (self.next_index, delta(text.to_owned()));
            out.push(Event::BlockDelta { index, delta });
            return Ok(());
        }
        self.lanes[place].waiting.push_str(text);
        self.waiting += text.len();
        self.check_waiting()
    }

    pub(super) fn check_waiting(&self) -> Result<(), StreamError> {
        if self.waiting > MAX_LINE_BYTES || self.lanes.len() > MAX_WAITING_BLOCKS {
            return Err(StreamError::new(StreamErrorKind::TooLong));
        }
        Ok(())
    }

    /// Opens the front, and closes it as long as it is complete and another
    /// block waits.
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
                    thinking(),
                    vec![Delta::Thinking(waiting), Delta::Signature(signature)],
                )
            }
            Kind::Sealed => (sealed(waiting), Vec::new()),
            Kind::Call { id, name, .. } => {
                self.waiting = self.waiting.saturating_sub(id.len() + name.len());
                (
                    call(std::mem::take(id), name),
                    vec![Delta::InputJson(waiting)],
                )
            }
        };
        out.push(Event::BlockStart { index, block });
        let filled = deltas.into_iter().filter(|delta| !delta.is_empty());
        out.extend(filled.map(|delta| Event::BlockDelta { index, delta }));
    }

    pub(super) fn close_front(&mut self, out: &mut Vec<Event>) {
        let index = self.next_index;
        out.push(Event::BlockStop { index });
        self.lanes.pop_front();
        self.is_front_open = false;
        self.next_index += 1;
    }
}

impl Kind {
    pub(super) fn thinking() -> Self {
        Self::Thinking {
            signature: String::new(),
        }
    }
}
