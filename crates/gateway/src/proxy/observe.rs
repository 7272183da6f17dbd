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
use crate::admission::Room;
use crate::decode::{decode, is_encoded};
use content::Content;

/// How much of a response, or of a stream's unfinished line, to read.
const MAX_READ_BYTES: usize = 32 << 20;

/// For how much of a response there is room from the beginning, and how much more to take at once.
pub(crate) const FREE_BYTES: usize = 64 << 10;

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
    /// How much of the room for the response is not used.
    unused: usize,
    /// How much of the response, or of a stream's unfinished line, to read: less if there was no
    /// room.
    limit: usize,
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
    content: Content,
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
            unused: FREE_BYTES,
            limit: MAX_READ_BYTES,
        }
    }

    /// Reads the next chunk, for which it takes more of the request's room.
    ///
    /// Without any, a stream is read on for its usage, and another response is skipped.
    pub(crate) fn push(&mut self, chunk: &[u8], room: Option<&mut Room>) {
        let is_kept = match &self.form {
            Form::Skipped => false,
            Form::Whole(_) => true,
            Form::Events(_) => self.reader.content.is_kept(),
        };
        if is_kept && !self.takes(chunk.len(), room) {
            self.limit = FREE_BYTES;
            self.reader.content.stop();
        }
        match &mut self.form {
            Form::Skipped => {}
            Form::Whole(body) if body.len() + chunk.len() <= self.limit => {
                body.extend_from_slice(chunk);
            }
            Form::Events(line) if line.len() + chunk.len() <= self.limit => {
                self.reader.content.push(chunk);
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

    /// Uses room for this many bytes; false if there is none. Nothing is counted without a room.
    fn takes(&mut self, bytes: usize, room: Option<&mut Room>) -> bool {
        if let Some(room) = room
            && bytes > self.unused
        {
            let more = bytes.max(FREE_BYTES);
            if !room.grow(more) {
                return false;
            }
            self.unused += more;
        }
        self.unused = self.unused.saturating_sub(bytes);
        true
    }

    /// Returns what was read so far, which is incomplete if the response broke
    /// off.
    ///
    /// A compressed stream is decompressed and read here, since its events are
    /// not visible before.
    pub(crate) fn end(mut self, mut room: Option<&mut Room>) -> Observed {
        let mut grow = |bytes| room.as_mut().is_none_or(|room| room.grow(bytes));
        if let Form::Whole(body) = &self.form
            && let Some(body) = decode(&self.headers, body, MAX_READ_BYTES, &mut grow)
        {
            let kind = self.headers.get(header::CONTENT_TYPE);
            if kind.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream")) {
                self.reader.content.push(&body);
                body.split(|byte| *byte == b'\n').for_each(|line| self.reader.line(line));
            } else {
                self.reader.whole(&body);
            }
        }
        self.reader.end()
    }
}

impl Reader {
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
        self.content.whole(body);
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
        let (answer, is_whole) = self.content.end();
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;

    /// Observes a response in chunks of 1 KB with this much room; returns what was read, and how
    /// much room it took.
    fn observe(kind: &str, body: &str, kilobytes: usize) -> (Observed, usize) {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, kind.parse().expect("a content type"));
        let free = Arc::new(Semaphore::new(kilobytes + 1));
        let mut room = free.clone().try_acquire_owned().map(Room::of).expect("there is room");
        let mut observer = Observer::new(Wire::Messages, &headers);
        for chunk in body.as_bytes().chunks(1 << 10) {
            observer.push(chunk, Some(&mut room));
        }
        (observer.end(Some(&mut room)), kilobytes - free.available_permits())
    }

    fn message(text: &str) -> String {
        format!(
            r#"{{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn","usage":{{"input_tokens":1,"output_tokens":2}}}}"#
        )
    }

    #[test]
    fn a_response_that_is_kept_takes_room() {
        let check = |bytes: usize, kilobytes, is_read, taken| {
            let (observed, found) =
                observe("application/json", &message(&"x".repeat(bytes)), kilobytes);
            assert_eq!((observed.usage.is_some(), found), (is_read, taken), "{bytes}");
        };
        check(1_000, 0, true, 0);
        check(100_000, 64, true, 64);
        check(1_000_000, 1_024, true, 960);
        check(100_000, 63, false, 0);
        check(1_000_000, 128, false, 128);
    }

    #[test]
    fn a_stream_without_room_is_read_for_its_usage() {
        let delta = |text: &str| {
            format!(
                "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
            )
        };
        let body = [
            r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            &delta(&"x".repeat(1_000)).repeat(200),
            r#"data: {"type":"content_block_stop","index":0}"#,
            r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#,
            r#"data: {"type":"message_stop"}"#,
            "",
        ]
        .join("\n\n");
        for (kilobytes, is_whole, taken) in [(1_024, Some(true), 192), (64, None, 64)] {
            let (observed, found) = observe("text/event-stream", &body, kilobytes);
            let usage = observed.usage.expect("the usage is read");
            assert!(usage.get().contains(r#""output_tokens":7"#), "{usage}");
            assert_eq!((observed.is_whole, found), (is_whole, taken), "{kilobytes}");
        }
    }
}
