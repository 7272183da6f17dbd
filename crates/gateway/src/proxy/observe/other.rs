//! Reads responses of the other wires: id, model and usage in the form of the
//! vendor.
//!
//! Responses, Chat Completions and generateContent differ in names, not in
//! depth: the keys are at the top of a response or of an event, or in the
//! `response` of an event. Of the content only the ids of calls and the first
//! text are read, by which the next request is recognized.

use aside_cache_model::ResponseParts;
use aside_request_logs::{AnswerReader, Exchange};

use super::Observed;
use crate::object::{Object, items};

/// Collects one response. Later events replace the values of earlier ones.
#[derive(Debug, Default)]
pub(super) struct OtherReader {
    observed: Observed,
    answer: AnswerReader,
}

impl OtherReader {
    /// Reads an event, or a whole response.
    pub(super) fn read(&mut self, json: &str) {
        if let Ok(value) = serde_json::from_str(json) {
            self.answer.add(&value);
        }
        // A stream of generateContent without events is an array.
        for item in items(json) {
            self.object(item.get());
        }
        self.object(json);
    }

    /// Reads an event, and the response inside it.
    fn object(&mut self, json: &str) {
        let Some(object) = Object::parse(json) else {
            return;
        };
        if let Some(response) = object.object("response") {
            self.members(&response);
        }
        self.members(&object);
    }

    /// Reads the members by the names of all wires.
    fn members(&mut self, object: &Object<'_>) {
        let observed = &mut self.observed;
        for key in ["id", "responseId"] {
            observed.id = object.text(key).or(observed.id.take());
        }
        for key in ["model", "modelVersion"] {
            observed.model = object.text(key).or(observed.model.take());
        }
        for key in ["usage", "usageMetadata"] {
            if let Some(usage) = object.get(key) {
                observed.usage = Some(usage.to_owned());
            }
        }
        if let Some(error) = object.object("error") {
            observed.error = error.text("type").or(error.text("status"));
        }
    }

    /// Returns everything that was read.
    pub(super) fn end(self) -> Observed {
        let mut exchange = Exchange::default();
        self.answer.finish(&mut exchange);
        let answer = ResponseParts::new(exchange.answer_tool_ids, exchange.answer_text);
        Observed {
            answer: Some(answer),
            ..self.observed
        }
    }
}
