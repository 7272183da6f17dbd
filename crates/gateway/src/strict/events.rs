//! A response as server-sent events.
//!
//! A stream's events and the whole response have the same content. Texts are
//! split into short deltas, so that clients are tested with more than one.
//!
//! ```text
//! event: message_start          message without content, output_tokens 1
//! event: content_block_start    index, the block without its text
//! event: content_block_delta    index, a part of the text, the thinking or the input
//! event: content_block_stop     index
//! event: message_delta          stop_reason, the final usage
//! event: message_stop
//! ```
//!
//! The API also sends `ping` events, which these streams do not have.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::response::{CacheDiagnostics, Response, ResponseBlock, ResponseUsage, Transformation};

/// How many characters of a text one delta has.
const DELTA_CHARS: usize = 24;

impl Response {
    /// Returns the stream's events, each a whole frame with its final blank
    /// line.
    ///
    /// The first event has no stop reason and counts one output token;
    /// `message_delta` has the final values. A block's joined deltas are its
    /// text, or its input's JSON.
    ///
    /// ```
    /// use aside_gateway::strict::{Strict, StrictOptions, StrictRequest};
    ///
    /// let mut api = Strict::new(StrictOptions::default());
    /// let body = br#"{"model":"claude-opus-5-5","max_tokens":64,"stream":true,
    ///     "messages":[{"role":"user","content":"Hi"}]}"#;
    /// let events = api.answer(&StrictRequest::new(body))?.events();
    /// assert!(events[0].starts_with("event: message_start\ndata: {"));
    /// assert!(events.iter().all(|event| event.ends_with("\n\n")));
    /// # Ok::<(), aside_gateway::strict::ApiError>(())
    /// ```
    #[must_use]
    pub fn events(&self) -> Vec<String> {
        let mut usage = self.usage.clone();
        // A response that is only a compaction has no output of its own.
        usage.output_tokens = usage.output_tokens.min(1);
        usage.iterations = Vec::new();
        let message = Begun {
            id: &self.id,
            kind: "message",
            role: "assistant",
            model: &self.model,
            content: [],
            stop_reason: (),
            stop_sequence: (),
            usage,
            input_transformations: self.input_transformations.as_deref(),
            diagnostics: self.diagnostics.as_ref(),
        };
        let mut events = vec![frame("message_start", &Event::MessageStart { message })];
        for (index, block) in self.content.iter().enumerate() {
            push_block(index, block, &mut events);
        }
        let end = Event::MessageDelta {
            delta: Stop { stop_reason: &self.stop_reason, stop_sequence: () },
            usage: &self.usage,
            input_transformations: self.input_transformations.as_deref(),
        };
        events.push(frame("message_delta", &end));
        events.push(frame("message_stop", &Event::MessageStop));
        events
    }
}

/// Adds a block's events: its start without content, its deltas, its stop.
///
/// A block without deltas on the wire (redacted thinking, compaction, a
/// scripted block) is complete in its start event. A thinking block has one
/// signature delta at its end.
fn push_block(index: usize, block: &ResponseBlock, events: &mut Vec<String>) {
    let mut deltas = Vec::new();
    let begun = match block {
        ResponseBlock::Text { text, citations } => {
            deltas.extend(pieces(text).map(|text| Delta::TextDelta { text }));
            let cited = citations.as_ref().map(|it| serde_json::from_str(it.get()));
            let cited: Vec<&RawValue> = cited.and_then(Result::ok).unwrap_or_default();
            deltas.extend(cited.into_iter().map(|citation| Delta::CitationsDelta { citation }));
            &ResponseBlock::Text {
                text: String::new(),
                citations: citations
                    .as_ref()
                    .map(|_| RawValue::from_string("[]".to_owned()).expect("a list is JSON")),
            }
        }
        ResponseBlock::Thinking { thinking, signature } => {
            deltas.extend(pieces(thinking).map(|thinking| Delta::ThinkingDelta { thinking }));
            deltas.push(Delta::SignatureDelta { signature });
            &ResponseBlock::Thinking { thinking: String::new(), signature: String::new() }
        }
        ResponseBlock::ToolUse { id, name, input } => {
            let input = pieces(input.get());
            deltas.extend(input.map(|partial_json| Delta::InputJsonDelta { partial_json }));
            &ResponseBlock::ToolUse {
                id: id.clone(),
                name: name.clone(),
                input: RawValue::from_string("{}".to_owned()).expect("an object is JSON"),
            }
        }
        ResponseBlock::Raw(raw) => match serde_json::from_str(raw.get()) {
            // The API sends its own tools' input in deltas, too.
            Ok(ServerCall { input }) if input.get() != "{}" => {
                let pieces = pieces(input.get());
                deltas.extend(pieces.map(|partial_json| Delta::InputJsonDelta { partial_json }));
                let begun = raw.get().replacen(input.get(), "{}", 1);
                &ResponseBlock::Raw(RawValue::from_string(begun).expect("the rest is JSON"))
            }
            _ => block,
        },
        whole => whole,
    };
    let start = Event::ContentBlockStart { index, content_block: begun };
    events.push(frame("content_block_start", &start));
    events.extend(deltas.into_iter().map(|delta| {
        let event = Event::ContentBlockDelta { index, delta };
        frame("content_block_delta", &event)
    }));
    let stop = Event::ContentBlockStop { index };
    events.push(frame("content_block_stop", &stop));
}

/// A call of a tool that the API runs. Other blocks have no input.
#[derive(Deserialize)]
struct ServerCall<'a> {
    #[serde(borrow)]
    input: &'a RawValue,
}

/// Splits a text into pieces with at most [`DELTA_CHARS`] characters.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(DELTA_CHARS);
        let (piece, after) = rest.split_at(end.map_or(rest.len(), |(end, _)| end));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Writes one event as a frame of server-sent events.
fn frame(name: &str, event: &Event<'_>) -> String {
    let data = serde_json::to_string(event).expect("the event is JSON");
    format!("event: {name}\ndata: {data}\n\n")
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event<'a> {
    MessageStart {
        message: Begun<'a>,
    },
    ContentBlockStart {
        index: usize,
        content_block: &'a ResponseBlock,
    },
    ContentBlockDelta {
        index: usize,
        delta: Delta<'a>,
    },
    ContentBlockStop {
        index: usize,
    },
    /// It has no index: it is about the whole message.
    MessageDelta {
        delta: Stop<'a>,
        usage: &'a ResponseUsage,
        #[serde(skip_serializing_if = "Option::is_none")]
        input_transformations: Option<&'a [Transformation]>,
    },
    MessageStop,
}

/// A message that has just begun: it has no content and no stop reason.
#[derive(Serialize)]
struct Begun<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    role: &'a str,
    model: &'a str,
    content: [(); 0],
    stop_reason: (),
    stop_sequence: (),
    usage: ResponseUsage,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_transformations: Option<&'a [Transformation]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'a Option<CacheDiagnostics>>,
}

/// A block's `delta`. Its JSON names the kind:
/// `{"type":"text_delta","text":"Hi"}`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "the names of the wire")]
enum Delta<'a> {
    TextDelta { text: &'a str },
    CitationsDelta { citation: &'a RawValue },
    ThinkingDelta { thinking: &'a str },
    SignatureDelta { signature: &'a str },
    InputJsonDelta { partial_json: &'a str },
}

/// The `delta` in `message_delta`. This server never stops at a stop sequence.
#[derive(Serialize)]
struct Stop<'a> {
    stop_reason: &'a str,
    stop_sequence: (),
}
