//! Reads streams of the Messages API.
//!
//! ```text
//! message_start (content_block_start content_block_delta* content_block_stop)*
//! message_delta+ message_stop
//! ```
//!
//! The events already have the form to pass on. This reader checks that they are complete and in
//! order, and leaves out empty deltas and pings.

mod received;

use serde_json::value::RawValue;

use super::fields::{block, members, optional, text};
use crate::event::{Delta, End, Event, Start};
use crate::read::owned;
use crate::read_events::ReadEvents;
use crate::stream_error::{StreamError, StreamErrorKind, parse, required};
use crate::usage::ReportedUsage;

use self::received::{DELTA, Kind, KnownDelta, Piece, Raw, RawDelta};

#[derive(Debug, Default)]
pub(crate) struct Reader {
    state: State,
    /// The open block's index, or the next one's, from 0.
    next_index: usize,
    /// The usage as last reported: `message_start` has the input, `message_delta` the output.
    usage: ReportedUsage,
}

/// How far the stream has come.
#[derive(Debug, Default)]
enum State {
    /// Before `message_start`.
    #[default]
    Fresh,
    /// No block is open; the next one, or the end, may follow.
    Between,
    /// A block of this kind is open.
    In(Kind),
    /// The stop reason has arrived: the response is complete.
    Ended,
    /// After `message_stop`. Later events are ignored, except errors.
    Stopped,
}

impl ReadEvents for Reader {
    /// Returns true after `message_start`.
    fn has_begun(&self) -> bool {
        !matches!(self.state, State::Fresh)
    }

    /// Returns true after `message_stop`.
    fn is_complete(&self) -> bool {
        matches!(self.state, State::Stopped)
    }

    /// Reads the `data` in one event, and adds at most one event to `out`. Pings and unknown types
    /// add none.
    ///
    /// # Errors
    ///
    /// When the data is malformed, the event is not allowed here, its index is not the next
    /// block's, or it reports a provider error.
    fn event(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        if let Some(event) = self.known_delta(json) {
            out.push(event);
            return Ok(());
        }
        let raw: Raw<'_> = parse(json)?;
        let kind = raw.kind.as_ref().map_or("", |kind| &*kind.0);
        match (kind, &self.state) {
            ("error", _) => Err(StreamError::of_provider(raw.error, json)),
            ("", _) if raw.error.is_some() => Err(StreamError::of_provider(raw.error, json)),
            // Events after the end do not belong to the response.
            (_, State::Stopped) => Ok(()),
            ("message_start", State::Fresh) => self.start(required(raw.message, "message")?, out),
            ("content_block_start", State::Between) => self.open(&raw, out),
            ("content_block_delta", State::In(kind)) => self.delta(*kind, &raw, out),
            ("content_block_stop", State::In(_)) => {
                let index = self.index(&raw)?;
                out.push(Event::BlockStop { index });
                self.state = State::Between;
                self.next_index += 1;
                Ok(())
            }
            ("message_delta", State::Between | State::Ended) => self.end(&raw, out),
            ("message_stop", State::Between | State::Ended) => {
                out.push(Event::MessageStop);
                self.state = State::Stopped;
                Ok(())
            }
            (
                "message_start"
                | "content_block_start"
                | "content_block_delta"
                | "content_block_stop"
                | "message_delta"
                | "message_stop",
                state,
            ) => Err(StreamError::malformed(format!("expected no {kind} {}", state.place()))),
            // Pings and unknown events.
            _ => Ok(()),
        }
    }

    /// Checks that the stream is complete.
    ///
    /// # Errors
    ///
    /// When `message_stop` has not arrived: the stream ended early.
    fn finish(&mut self, _: &mut Vec<Event>) -> Result<(), StreamError> {
        match self.state {
            State::Stopped => Ok(()),
            _ => Err(StreamError::new(StreamErrorKind::Ended)),
        }
    }
}

impl Reader {
    /// Reads `message_start`. This ignores `content` and the stop reason, which are empty there.
    fn start(&mut self, message: &RawValue, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let mut start = Start::default();
        for (key, value) in members(message)? {
            match key.as_str() {
                "id" => start.id = text(value.get())?,
                "model" => start.model = text(value.get())?,
                "usage" => self.report(value)?,
                // Keys that the form has anyway, and keys for the end.
                "type" | "role" | "content" | "stop_reason" | "stop_sequence" => {}
                _ => start.extra.0.push((key, owned(value))),
            }
        }
        start.usage = self.usage.clone();
        out.push(Event::MessageStart(start));
        self.state = State::Between;
        Ok(())
    }

    fn open(&mut self, raw: &Raw<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let index = self.index(raw)?;
        let block = block(required(raw.content_block, "content_block")?)?;
        self.state = State::In(Kind::of(&block));
        out.push(Event::BlockStart { index, block });
        Ok(())
    }

    /// Reads a delta with a known type in one step, because nearly every event is one. Returns
    /// `None` when it has to be read the general way, which also reports errors.
    fn known_delta(&self, json: &str) -> Option<Event> {
        let State::In(kind) = self.state else {
            return None;
        };
        if !json.starts_with(DELTA) {
            return None;
        }
        let raw: KnownDelta<'_> = serde_json::from_str(json).ok()?;
        let index = raw.index;
        match Piece::of(raw.delta, kind) {
            Piece::Fits(delta) if index == self.next_index && !delta.is_empty() => {
                Some(Event::BlockDelta { index, delta })
            }
            _ => None,
        }
    }

    /// Reads `content_block_delta` the general way. Deltas with an unknown type are passed on
    /// unchanged.
    fn delta(
        &mut self,
        kind: Kind,
        raw: &Raw<'_>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let index = self.index(raw)?;
        let json = required(raw.delta, "delta")?;
        let delta: RawDelta<'_> = parse(json.get())?;
        let name = delta.kind.0.to_string();
        let delta = match Piece::of(delta, kind) {
            Piece::Fits(delta) if delta.is_empty() => return Ok(()),
            Piece::Fits(delta) => delta,
            Piece::Misfits => {
                return Err(StreamError::malformed(format!(
                    "expected a delta of the open block, found {name}"
                )));
            }
            Piece::Unknown => Delta::Other(json.to_owned().into()),
        };
        out.push(Event::BlockDelta { index, delta });
        Ok(())
    }

    /// Reads `message_delta`. There may be several, and each updates the usage.
    fn end(&mut self, raw: &Raw<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let mut end = End::default();
        for (key, value) in raw.delta.map(members).transpose()?.unwrap_or_default() {
            match key.as_str() {
                "stop_reason" => end.stop_reason = optional(value.get())?.map(Into::into),
                "stop_sequence" => end.stop_sequence = optional(value.get())?,
                _ => end.extra.0.push((key, owned(value))),
            }
        }
        if let Some(usage) = raw.usage {
            self.report(usage)?;
        }
        let given = |value: Option<&RawValue>| {
            let value = value.filter(|it| it.get() != "null");
            value.map(|it| it.to_owned().into())
        };
        end.context_management = given(raw.context_management);
        end.input_transformations = given(raw.input_transformations);
        end.usage = self.usage.clone();
        out.push(Event::MessageDelta(end));
        self.state = State::Ended;
        Ok(())
    }

    /// Updates the usage. A value that is not an object is ignored.
    fn report(&mut self, usage: &RawValue) -> Result<(), StreamError> {
        if usage.get().starts_with('{') {
            self.usage.update(usage.get())?;
        }
        Ok(())
    }

    /// Returns the event's index, which has to be the open or next block's.
    fn index(&self, raw: &Raw<'_>) -> Result<usize, StreamError> {
        match raw.index {
            Some(index) if index == self.next_index => Ok(index),
            found => Err(StreamError::malformed(format!(
                "expected the index {}, found {}",
                self.next_index,
                found.map_or("none".to_owned(), |index| index.to_string())
            ))),
        }
    }
}

impl State {
    /// Returns how far the stream has come, as text to follow "expected no message_stop".
    fn place(&self) -> &'static str {
        match self {
            Self::Fresh => "before message_start",
            Self::Between => "between two blocks",
            Self::In(_) => "inside a block",
            Self::Ended | Self::Stopped => "after message_delta",
        }
    }
}
