//! The start and the end of a response.

use super::Blocks;
use crate::event::{End, Event, Start};
use crate::stop_reason::StopReason;

impl Blocks {
    /// Sets the provider's id of the response and the model's name. Every chunk
    /// may have them, and the first value is used; once both are known, the
    /// response starts.
    ///
    /// A missing id or model is given as `None` or as an empty text. Does nothing once
    /// the response has started.
    pub(crate) fn introduce(
        &mut self,
        id: Option<&str>,
        model: Option<&str>,
        out: &mut Vec<Event>,
    ) {
        if self.has_begun {
            return;
        }
        for (known, received) in [(&mut self.answer, id), (&mut self.model, model)] {
            if known.is_empty() {
                received.unwrap_or_default().clone_into(known);
            }
        }
        if !self.answer.is_empty() && !self.model.is_empty() {
            self.begin_answer(out);
        }
    }

    /// Starts the response with the known values, unless it has started.
    ///
    /// A value that is not known by then stays empty, since the event is emitted only
    /// once.
    pub(crate) fn begin_answer(&mut self, out: &mut Vec<Event>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        out.push(Event::MessageStart(Start {
            id: self.answer.clone(),
            model: self.model.clone(),
            ..Start::default()
        }));
    }

    /// Returns true if the id or the model of the response is known.
    pub(crate) fn is_introduced(&self) -> bool {
        self.has_begun || !self.answer.is_empty()
    }

    /// Returns true if the response has started.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Closes all blocks, in order, and ends the response; if there are calls, its reason
    /// becomes `tool_use`, or else `refusal` if the model wrote one.
    ///
    /// They change `EndTurn` only: a response that reached its limit, or that was
    /// refused, keeps its reason. A response that has not started is started first, so
    /// the events are complete.
    pub(crate) fn finish(&mut self, mut end: End, out: &mut Vec<Event>) {
        self.begin_answer(out);
        while !self.lanes.is_empty() {
            self.open_front(out);
            self.close_front(out);
        }
        if end.stop_reason == Some(StopReason::EndTurn) {
            if self.calls > 0 {
                end.stop_reason = Some(StopReason::ToolUse);
            } else if self.has_refused {
                end.stop_reason = Some(StopReason::Refusal);
            }
        }
        out.push(Event::MessageDelta(end));
        out.push(Event::MessageStop);
    }
}
