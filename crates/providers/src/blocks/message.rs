//! The start and the end of a response.

use aside_messages::wire::Extra;

use super::Blocks;
use crate::event::{End, Event, Start};
use crate::stop_reason::StopReason;
use crate::usage::ReportedUsage;

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

    /// Closes all blocks, in order, and ends the response with this reason; if
    /// there are calls, the reason becomes `tool_use`.
    ///
    /// Calls change `EndTurn` only: a response that reached its limit, or that was
    /// refused, keeps its reason. A response that has not started is started first, so
    /// the events are complete.
    pub(crate) fn finish(
        &mut self,
        reason: StopReason,
        usage: ReportedUsage,
        out: &mut Vec<Event>,
    ) {
        self.finish_with(reason, usage, Extra::default(), out);
    }

    /// Ends the response like `finish`, with further members for the message in `extra`.
    pub(crate) fn finish_with(
        &mut self,
        reason: StopReason,
        usage: ReportedUsage,
        extra: Extra,
        out: &mut Vec<Event>,
    ) {
        self.begin_answer(out);
        while !self.lanes.is_empty() {
            self.open_front(out);
            self.close_front(out);
        }
        let reason = match reason {
            StopReason::EndTurn if self.has_calls() => StopReason::ToolUse,
            reason => reason,
        };
        out.push(Event::MessageDelta(End {
            stop_reason: Some(reason),
            usage,
            extra,
            ..End::default()
        }));
        out.push(Event::MessageStop);
    }
}
