//! Reads streams of the Responses API.
//!
//! ```text
//! response.created
//! (response.output_item.added  pieces of the item  response.output_item.done)*
//! response.completed | response.incomplete | response.failed
//! ```
//!
//! The last event has the whole response. To read it, its items go through the same code as those
//! before, which adds only what was missing. So a whole response is read as a stream with this one
//! event.

mod piece;
mod received;

use std::collections::{BTreeMap, BTreeSet};

use aside_messages::wire::{Extra, RawJson};
use serde_json::value::RawValue;

use super::output::{Output, ReceivedItem, ReceivedPart};
use crate::event::{End, Event};
use crate::names::Names;
use crate::provider_spec::ResponsesDialect;
use crate::read::filled;
use crate::read_events::ReadEvents;
use crate::stop_reason::StopReason;
use crate::stream_error::{StreamError, StreamErrorKind, parse};
use crate::usage::ReportedUsage;

use self::piece::piece;
use self::received::{Incomplete, Raw, Response};

#[derive(Debug, Default)]
pub(crate) struct Reader {
    output: Output,
    /// Item places by id, for events without a place.
    places: BTreeMap<String, u64>,
    /// The last event's place, for events with neither a place nor a known id.
    last: u64,
    /// Set when the response ended; nothing is read after it.
    end: Option<End>,
}

/// The maximum number of ids to remember; further items need a place in their events.
const MAX_IDS: usize = 10_000;

impl Reader {
    /// Creates a reader for the response to one request, whose `names` it needs.
    pub(crate) fn new(dialect: ResponsesDialect, names: Names) -> Self {
        Self { output: Output::new(dialect.seal, names), ..Self::default() }
    }
}

impl ReadEvents for Reader {
    /// Returns true once the message start was emitted.
    fn has_begun(&self) -> bool {
        self.output.blocks.has_begun()
    }

    /// Returns true once the last event arrived.
    fn is_complete(&self) -> bool {
        self.end.is_some()
    }

    /// Reads the `data` in one event. `[DONE]`, events after the end and unknown types are ignored.
    ///
    /// # Errors
    ///
    /// When the data is malformed or lacks a required member, when the event reports an error, or
    /// when the response failed or was cancelled.
    fn event(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        // OpenAI's types have no `[DONE]`, but some servers send it.
        if self.end.is_some() || json.trim() == "[DONE]" {
            return Ok(());
        }
        let raw: Raw<'_> = parse(json)?;
        let kind = filled(&raw.kind).unwrap_or_else(|| kind_without_type(&raw));
        match kind {
            "response.created" | "response.in_progress" | "response.queued" => {
                // Compatible servers leave out the response.
                let response = raw.response.filter(|it| it.get() != "null");
                if let Some(response) = response {
                    self.introduce(&parse(response.get())?, out);
                }
                Ok(())
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = raw.response.map_or("{}", RawValue::get);
                self.end(response, kind.strip_prefix("response."), out)
            }
            "error" => Err(StreamError::of_provider(raw.error, json)),
            "" if raw.error.is_some_and(|error| error.get() != "null") => {
                Err(StreamError::of_provider(raw.error, json))
            }
            "response.output_item.added" => {
                let id = raw.item.as_ref().and_then(|item| filled(&item.id));
                let place = self.place(&raw, id.or(filled(&raw.item_id)));
                // Without an item, its pieces show which kind it is.
                match &raw.item {
                    Some(item) => self.output.begin(place, item, out),
                    None => Ok(()),
                }
            }
            "response.output_item.done" => {
                // Without an item, close it when the response ends.
                let Some(item) = &raw.item else {
                    return Ok(());
                };
                let place = self.place(&raw, filled(&item.id));
                self.output.complete(place, item, out)
            }
            _ => match piece(kind, &raw) {
                Some(piece) => {
                    let place = self.place(&raw, filled(&raw.item_id));
                    self.output.piece(place, piece, out)
                }
                // Annotations, the progress of server tools, and unknown events.
                None => Ok(()),
            },
        }
    }

    /// Reads a finished response with all its output. If there is output, a missing status is read
    /// as `completed`.
    ///
    /// # Errors
    ///
    /// When the JSON is not a response, or its status is `failed` or another one without a whole
    /// answer.
    fn response(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        self.end(json, None, out)
    }

    /// Emits the open items and the end. When the model refused and called no tool, a complete
    /// response gets the stop reason `refusal`.
    ///
    /// # Errors
    ///
    /// When the last event has not arrived.
    fn finish(&mut self, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let Some(end) = self.end.take() else {
            return Err(StreamError::new(StreamErrorKind::Ended));
        };
        self.output.finish(end, out)
    }
}

impl Reader {
    /// Reads how a response ended. `by_event` is the status to use when a server sends only an id;
    /// it follows from the event's type.
    fn end(
        &mut self,
        json: &str,
        by_event: Option<&str>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let response: Response<'_> = parse(json)?;
        let status = filled(&response.status).or(by_event);
        let error = response.error.filter(|error| error.get() != "null");
        if status == Some("failed") || (status.is_none() && error.is_some()) {
            return Err(StreamError::of_provider(error, json));
        }
        if status.is_none() && response.output.is_none() {
            return Err(StreamError::in_place_of("expected a response, found none", json));
        }
        self.introduce(&response, out);
        let mut taken = BTreeSet::new();
        for (position, item) in (0..).zip(response.output.iter().flatten()) {
            // Some servers count the items of their events from 1, and some give all one id.
            let known = filled(&item.id).and_then(|id| self.places.get(id).copied());
            let known = known.filter(|place| !taken.contains(place));
            let place = known.unwrap_or(position);
            taken.insert(place);
            self.output.complete(place, item, out)?;
        }
        let reason = match status {
            Some("completed") | None => StopReason::EndTurn,
            Some("incomplete") => incomplete(response.incomplete_details),
            // Cancelled, or not answered at all.
            Some(_) => return Err(StreamError::new(StreamErrorKind::Ended)),
        };
        let given = |value: Option<&RawValue>| -> Option<RawJson> {
            let value = value.filter(|value| !matches!(value.get(), "null" | "[]"))?;
            Some(value.to_owned().into())
        };
        let mut extra = Extra::default();
        let mut keep = |key: &str, value: Option<&RawValue>| {
            extra.0.extend(given(value).map(|value| (key.to_owned(), value)));
        };
        keep("prompt_cache_diagnostics", response.prompt_cache_diagnostics);
        if status == Some("incomplete") {
            // The Anthropic form has no word for some reasons.
            keep("incomplete_details", response.incomplete_details);
        }
        let usage = response.usage.as_ref().map(aside_models::Usage::from);
        self.end = Some(End {
            stop_reason: Some(reason),
            usage: usage.map(ReportedUsage::from).unwrap_or_default(),
            extra,
            input_transformations: given(response.input_transformations),
            ..End::default()
        });
        Ok(())
    }

    /// Passes on the id and the model, which the message start needs.
    fn introduce(&mut self, response: &Response<'_>, out: &mut Vec<Event>) {
        let blocks = &mut self.output.blocks;
        blocks.introduce(filled(&response.id), filled(&response.model), out);
    }

    /// Returns an item's place in the output. Some servers leave it out, and some change an item's
    /// id in every event.
    ///
    /// This takes the event's place first, then the place known for its id. Without both, an item
    /// that begins is the next one, and any other event belongs to the same item as the last event.
    fn place(&mut self, raw: &Raw<'_>, id: Option<&str>) -> u64 {
        let known = id.and_then(|id| self.places.get(id).copied());
        let is_new = filled(&raw.kind) == Some("response.output_item.added");
        let place = match (raw.output_index, known) {
            (Some(place), _) | (None, Some(place)) => place,
            (None, None) if is_new => self.places.values().max().map_or(0, |last| last + 1),
            (None, None) => self.last,
        };
        if let Some(id) = id
            && known.is_none()
            && self.places.len() < MAX_IDS
        {
            self.places.insert(id.to_owned(), place);
        }
        self.last = place;
        place
    }
}

/// Infers an event's type from its members, to read servers that send the type only in the `event:`
/// line.
fn kind_without_type(raw: &Raw<'_>) -> &'static str {
    match (&raw.delta, &raw.item, raw.response) {
        (Some(_), ..) => "response.output_text.delta",
        (None, Some(_), _) => "response.output_item.done",
        (None, None, Some(response)) => match parse::<Response<'_>>(response.get()) {
            Ok(response) if filled(&response.status) == Some("completed") => "response.completed",
            _ => "response.created",
        },
        (None, None, None) => "",
    }
}

/// Returns the stop reason for an incomplete response, by default `max_tokens`.
fn incomplete(details: Option<&RawValue>) -> StopReason {
    let details = details.and_then(|it| serde_json::from_str::<Incomplete<'_>>(it.get()).ok());
    let reason = details.and_then(|it| it.reason);
    match filled(&reason) {
        Some("max_output_tokens") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::Refusal,
        // The model was interrupted after a complete message.
        Some("steered" | "max_messages") => StopReason::EndTurn,
        Some(other) => StopReason::Other(other.to_owned()),
        None => StopReason::MaxTokens,
    }
}
