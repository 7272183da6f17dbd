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
use aside_providers::Sse;
use axum::http::{HeaderMap, header};
use serde_json::value::{RawValue, to_raw_value};

use super::upstream::Wire;
use crate::admission::Room;
use crate::decode::{decode, is_encoded};
use content::Content;

/// How much of a response, or of a stream's unfinished event, to read.
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
    /// The first figure of the usage that is no whole number, as `key: value`.
    pub(crate) unread: Option<String>,
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
    /// How much of the response, or of a stream's unfinished event, to read: less if there was no
    /// room.
    limit: usize,
}

/// A response's bytes that are not read yet.
#[derive(Debug)]
enum Form {
    /// Server-sent events, with the bytes of an unfinished one.
    Events(Sse),
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
        Self {
            form: if is_stream(headers) && !is_encoded(headers) {
                Form::Events(Sse::default())
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
    pub(crate) fn push(&mut self, chunk: &[u8], mut room: Option<&mut Room>) {
        let is_kept = match &self.form {
            Form::Skipped => false,
            Form::Whole(_) => true,
            Form::Events(_) => self.reader.content.is_kept(),
        };
        if is_kept && !self.takes(chunk.len(), room.as_deref_mut()) {
            self.reader.content.stop();
            self.limit = match &self.form {
                // There is room for what is kept.
                Form::Events(sse) => FREE_BYTES.max(sse.kept_bytes()),
                _ => FREE_BYTES,
            };
        }
        match &mut self.form {
            Form::Skipped => {}
            Form::Whole(body) if body.len() + chunk.len() <= self.limit => {
                body.extend_from_slice(chunk);
            }
            Form::Events(sse) => {
                let is_read = self.reader.events(sse, chunk);
                let more = sse.kept_bytes().saturating_sub(self.limit);
                if !is_read || more > 0 && !self.takes(more, room) {
                    self.form = Form::Skipped;
                } else {
                    // Room for a long event, whose usage is at its end.
                    self.limit += more;
                }
            }
            Form::Whole(_) => self.form = Form::Skipped,
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
            if is_stream(&self.headers) {
                let mut sse = Sse::default();
                self.reader.events(&mut sse, &body);
                self.form = Form::Events(sse);
            } else {
                self.reader.whole(&body);
            }
        }
        let mut is_error = false;
        if let Form::Events(sse) = &mut self.form {
            // The last event needs no end, unless it broke off.
            let is_whole = |data: &[u8]| data == b"[DONE]" || Tape::parse(data).is_ok();
            let _ = sse.finish(&mut |data| {
                if is_whole(data) {
                    self.reader.event(data);
                }
                Ok(())
            });
            is_error = sse.stray_error().is_some();
        }
        self.reader.end(is_error)
    }
}

/// Returns true for a stream of server-sent events.
fn is_stream(headers: &HeaderMap) -> bool {
    const KIND: &[u8] = b"text/event-stream";
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.as_bytes().get(..KIND.len()));
    kind.is_some_and(|it| it.eq_ignore_ascii_case(KIND))
}

impl Reader {
    /// Reads bytes of a stream; false once an event is too long.
    fn events(&mut self, sse: &mut Sse, bytes: &[u8]) -> bool {
        self.content.count(bytes.len());
        let read = sse.push(bytes, &mut |data| {
            self.event(data);
            Ok(())
        });
        read.is_ok()
    }

    /// Reads an event's data.
    fn event(&mut self, data: &[u8]) {
        self.content.event(data);
        if let Ok(event) = Tape::parse(data) {
            self.facts.add(event.root());
        }
    }

    /// Reads a body. One that is not JSON is skipped.
    fn whole(&mut self, body: &[u8]) {
        let Ok(tape) = Tape::parse(body) else {
            return;
        };
        self.facts.add(tape.root());
        self.content.whole(body);
    }

    fn end(self, is_error: bool) -> Observed {
        let facts = self.facts;
        let text = facts.text().map(str::to_owned);
        let usage = match self.wire {
            Wire::Messages => usage::of_message(&facts),
            _ => facts.merged_usage(),
        };
        let billed = facts.billed().unwrap_or_default();
        let reasoning_tokens = facts.reasoning_tokens();
        let (samplings, unread): (Option<Vec<Usage>>, _) = match self.wire {
            Wire::Messages => {
                let reported = facts.usage_as::<Messages>();
                let samplings = reported.as_ref().map(|it| it.samplings().collect());
                (samplings, reported.and_then(|it| it.unread))
            }
            _ => (facts.usage().map(|it| vec![it]), billed.unread),
        };
        let (answer, is_whole) = self.content.end(is_error);
        let blocks = answer.as_ref().map(|it| {
            let blocks = it.content.iter();
            blocks.filter_map(|it| to_raw_value(it).ok()).collect()
        });
        let mut parts = ResponseParts::new(facts.call_ids, text);
        if let (Some(output), Some(tokens)) = (&facts.output, reasoning_tokens) {
            parts = parts.with_reasoning(output, tokens);
        }
        Observed {
            samplings: samplings.filter(|_| usage.is_some()),
            advisors: billed.advisors,
            unread,
            is_whole: is_whole.filter(|it| !it || usage.is_some()),
            usage: usage.and_then(|json| RawValue::from_string(json).ok()),
            id: facts.id,
            output: facts.output,
            model: facts.model,
            stop_reason: answer.and_then(|it| Some(it.stop_reason?.as_str().to_owned())),
            content: blocks,
            error: facts.error,
            error_message: facts.error_message,
            answer: parts,
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
    /// Reads a stream in pieces of this many bytes.
    fn streamed(wire: Wire, kind: &str, body: &str, bytes: usize) -> Observed {
        let headers = [(header::CONTENT_TYPE, kind.parse().expect("a content type"))];
        let mut observer = Observer::new(wire, &HeaderMap::from_iter(headers));
        body.as_bytes().chunks(bytes).for_each(|it| observer.push(it, None));
        observer.end(None)
    }

    #[test]
    fn a_stream_is_read_as_server_sent_events() {
        let body = r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",
data: "model":"claude-opus-5-5","content":[],"stop_reason":null,
: a comment
data: "usage":{"input_tokens":1,"output_tokens":1}}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}

data: {"type":"message_stop"}

"#;
        for end in ["\n", "\r\n", "\r"] {
            let body = body.replace('\n', end);
            for kind in ["text/event-stream", "Text/Event-Stream; charset=utf-8"] {
                for bytes in [1, 7, body.len()] {
                    let observed = streamed(Wire::Messages, kind, &body, bytes);
                    let usage = observed.usage.expect("the usage is read");
                    assert_eq!(usage.get(), r#"{"input_tokens":1,"output_tokens":7}"#);
                    assert_eq!(observed.is_whole, Some(true), "{end:?} {kind}");
                }
            }
        }
    }

    #[test]
    fn the_last_event_needs_no_end_unless_it_broke_off() {
        let chunk = r#"data: {"object":"chat.completion.chunk","id":"c","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#;
        let read = |body: &str| streamed(Wire::ChatCompletions, "text/event-stream", body, 9);
        assert!(read(chunk).usage.is_some());
        assert!(read(&format!("{chunk}\n\ndata: [DONE]")).usage.is_some());
        let cut = read(&chunk[..chunk.len() - 1]);
        assert!(cut.usage.is_none() && cut.is_whole == Some(false));
        let error = read(r#"{"error":{"message":"Gone"}}"#);
        assert_eq!(error.is_whole, None);
    }

    /// On Responses, the last event repeats the whole response.
    #[test]
    fn a_long_event_is_read_once_there_is_room() {
        let delta = format!(
            "data: {{\"type\":\"response.output_text.delta\",\"delta\":\"{}\"}}\n\n",
            "x".repeat(1_000)
        );
        let last = format!(
            "data: {{\"type\":\"response.completed\",\"response\":{{\"object\":\"response\",\"id\":\"r\",\"output\":[],\"text\":\"{}\",\"usage\":{{\"input_tokens\":9}}}}}}\n\n",
            "x".repeat(300_000)
        );
        let kind = [(header::CONTENT_TYPE, "text/event-stream".parse().expect("a type"))];
        for (more_kilobytes, is_read) in [(400, true), (100, false)] {
            let free = Arc::new(Semaphore::new(1));
            let mut room = free.clone().try_acquire_owned().map(Room::of).expect("there is room");
            let mut observer = Observer::new(Wire::Responses, &HeaderMap::from_iter(kind.clone()));
            for chunk in delta.repeat(100).as_bytes().chunks(1 << 10) {
                observer.push(chunk, Some(&mut room));
            }
            free.add_permits(more_kilobytes);
            for chunk in last.as_bytes().chunks(1 << 10) {
                observer.push(chunk, Some(&mut room));
            }
            let taken = more_kilobytes - free.available_permits();
            assert!(taken >= 230 || !is_read, "{taken}");
            assert_eq!(observer.end(Some(&mut room)).usage.is_some(), is_read);
        }
    }
}
