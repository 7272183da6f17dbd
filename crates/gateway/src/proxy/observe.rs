//! Reads responses as they pass: id, usage, and a message's content.
//!
//! A response that cannot be read is recorded without its content; it is never
//! an error for the client.

mod content;
mod usage;

use aside_body::response::Facts;
use aside_cache_model::ResponseParts;
use aside_json::Tape;
use aside_models::Usage;
use aside_models::usage::Messages;
use axum::http::{HeaderMap, header};
use serde_json::value::{RawValue, to_raw_value};

use super::upstream::Wire;
use crate::decode::{decode, is_encoded};
use content::Content;

/// How much of a response, or of a stream's unfinished line, to read.
const MAX_READ_BYTES: usize = 32 << 20;

/// What a record has from a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// The response's id, as in `msg_1`.
    pub(crate) id: Option<String>,
    /// The model that responded, which may not be the one requested.
    pub(crate) model: Option<String>,
    /// Why the response ended, in the Messages API's word.
    pub(crate) stop_reason: Option<String>,
    /// The content blocks in the Messages API's form, each as JSON.
    pub(crate) content: Option<Vec<Box<RawValue>>>,
    /// Usage in the vendor's own form.
    pub(crate) usage: Option<Box<RawValue>>,
    /// An error's type, as in `overloaded_error`.
    pub(crate) error: Option<String>,
    /// An error's message.
    pub(crate) error_message: Option<String>,
    /// Whether a stream had its last event and its usage, if its content is read: a client may hang
    /// up before the end of the connection.
    pub(crate) is_whole: Option<bool>,
    /// The samplings that the response reports, each with its own price band:
    /// several only on the Messages wire.
    pub(crate) samplings: Option<Vec<Usage>>,
    /// The usage of each model that the request's model consulted.
    pub(crate) advisors: Vec<(String, Usage)>,
    /// The output items of a response of Responses that can be continued, as JSON.
    pub(crate) output: Option<String>,
    /// Call ids and the first text, by which to recognize the next request.
    pub(crate) answer: ResponseParts,
}

/// Reads one response while it passes.
#[derive(Debug)]
pub(crate) struct Observer {
    form: Form,
    reader: Reader,
    /// The response's headers, for its coding and its content type.
    headers: HeaderMap,
}

/// A response's bytes that are not read yet.
#[derive(Debug)]
enum Form {
    /// Server-sent events, with the bytes of an unfinished line.
    Events(Vec<u8>),
    /// A body to read at its end: JSON, or compressed bytes.
    Whole(Vec<u8>),
    /// A response that is too long. What was read before is kept.
    Skipped,
}

/// What was read so far.
#[derive(Debug)]
struct Reader {
    wire: Wire,
    facts: Facts,
    content: Option<Content>,
}

impl Observer {
    /// Chooses the form by the content type.
    pub(crate) fn new(wire: Wire, headers: &HeaderMap) -> Self {
        let kind = headers.get(header::CONTENT_TYPE);
        let is_stream = kind.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"));
        Self {
            form: if is_stream && !is_encoded(headers) {
                Form::Events(Vec::new())
            } else {
                Form::Whole(Vec::new())
            },
            reader: Reader { wire, facts: Facts::default(), content: Content::new(wire) },
            headers: headers.clone(),
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        match &mut self.form {
            Form::Skipped => {}
            Form::Whole(body) if body.len() + chunk.len() <= MAX_READ_BYTES => {
                body.extend_from_slice(chunk);
            }
            Form::Events(line) if line.len() + chunk.len() <= MAX_READ_BYTES => {
                self.reader.stream(chunk);
                let mut parts = chunk.split(|byte| *byte == b'\n');
                line.extend_from_slice(parts.next().unwrap_or_default());
                for part in parts {
                    self.reader.line(line);
                    line.clear();
                    line.extend_from_slice(part);
                }
            }
            Form::Whole(_) | Form::Events(_) => self.form = Form::Skipped,
        }
    }

    /// Returns what was read so far, which is incomplete if the response broke
    /// off.
    ///
    /// A compressed stream is decompressed and read here, since its events are
    /// not visible before.
    pub(crate) fn end(mut self) -> Observed {
        if let Form::Whole(body) = &self.form
            && let Some(body) = decode(&self.headers, body, MAX_READ_BYTES)
        {
            let kind = self.headers.get(header::CONTENT_TYPE);
            if kind.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream")) {
                self.reader.stream(&body);
                body.split(|byte| *byte == b'\n').for_each(|line| self.reader.line(line));
            } else {
                self.reader.whole(&body);
            }
        }
        self.reader.end()
    }
}

impl Reader {
    /// Reads bytes of a stream for its content.
    fn stream(&mut self, bytes: &[u8]) {
        if let Some(content) = &mut self.content {
            content.push(bytes);
        }
    }

    /// Reads a stream's line. The APIs write an event's data in one line.
    fn line(&mut self, line: &[u8]) {
        let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii);
        let Some(Ok(event)) = data.map(Tape::parse) else {
            return;
        };
        self.facts.add(event.root());
    }

    /// Reads a body. One that is not JSON is skipped.
    fn whole(&mut self, body: &[u8]) {
        let Ok(tape) = Tape::parse(body) else {
            return;
        };
        self.facts.add(tape.root());
        if let Some(content) = &mut self.content {
            content.whole(body);
        }
    }

    fn end(self) -> Observed {
        let facts = self.facts;
        let text = facts.text().map(str::to_owned);
        let usage = match self.wire {
            Wire::Messages => usage::of_message(&facts),
            _ => facts.last_usage().map(str::to_owned),
        };
        let samplings: Option<Vec<Usage>> = match self.wire {
            Wire::Messages => {
                let reported = facts.usage_as::<Messages>();
                reported.map(|it| it.samplings().collect())
            }
            _ => facts.usage().map(|it| vec![it]),
        };
        let advisors = facts.billed().map(|it| it.advisors).unwrap_or_default();
        let (answer, is_whole) = self.content.map_or((None, None), Content::end);
        let blocks = answer.as_ref().map(|it| {
            let blocks = it.content.iter();
            blocks.filter_map(|it| to_raw_value(it).ok()).collect()
        });
        Observed {
            samplings: samplings.filter(|_| usage.is_some()),
            advisors,
            is_whole: is_whole.filter(|it| !it || usage.is_some()),
            usage: usage.and_then(|json| RawValue::from_string(json).ok()),
            id: facts.id,
            output: facts.output,
            model: facts.model,
            stop_reason: answer.and_then(|it| Some(it.stop_reason?.as_str().to_owned())),
            content: blocks,
            error: facts.error,
            error_message: facts.error_message,
            answer: ResponseParts::new(facts.call_ids, text),
        }
    }
}
