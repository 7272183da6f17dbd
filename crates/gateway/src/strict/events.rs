//! A response as server-sent events.
//!
//! The events of a stream and the whole response have the same content. Texts
//! are split into short deltas, so that clients are tested with more than one.
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

use serde::Serialize;

use super::response::{Response, ResponseBlock, ResponseUsage, Transformation};

/// The maximum number of characters of a text in one delta.
const DELTA_CHARS: usize = 24;

impl Response {
    /// Returns the events of the stream, each a whole frame with its final
    /// blank line.
    ///
    /// The first event has no stop reason and a count of one output token;
    /// `message_delta` has the final values. The joined deltas of a block are
    /// its text, or the JSON of its input.
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
        let mut begun = self.clone();
        begun.content = Vec::new();
        // A response that is a compaction alone has no output of its own.
        begun.usage.output_tokens = begun.usage.output_tokens.min(1);
        begun.usage.iterations = Vec::new();
        let mut events = vec![frame(
            "message_start",
            &Start {
                kind: "message_start",
                message: Begun {
                    response: &begun,
                    stop_reason: None,
                },
            },
        )];
        for (index, block) in self.content.iter().enumerate() {
            push_block(index, block, &mut events);
        }
        let end = End {
            kind: "message_delta",
            delta: Stop {
                stop_reason: &self.stop_reason,
                stop_sequence: None,
            },
            usage: &self.usage,
            input_transformations: self.input_transformations.as_deref(),
        };
        events.push(frame("message_delta", &end));
        events.push(frame(
            "message_stop",
            &Bare {
                kind: "message_stop",
            },
        ));
        events
    }
}

/// Adds the events of a block: its start without content, its deltas, its stop.
///
/// A block that has no deltas on the wire (redacted thinking, compaction, a
/// block of a script) is complete in its start event. A thinking block has one
/// signature delta at its end.
fn push_block(index: usize, block: &ResponseBlock, events: &mut Vec<String>) {
    let mut begin = |block: &ResponseBlock| {
        let start = BlockStart {
            kind: "content_block_start",
            index,
            content_block: block,
        };
        events.push(frame(start.kind, &start));
    };
    let mut deltas = Vec::new();
    match block {
        ResponseBlock::Text(text) => {
            begin(&ResponseBlock::text(""));
            deltas.extend(pieces(&text.text).map(|text| Delta::TextDelta { text }));
        }
        ResponseBlock::Thinking(thinking) => {
            begin(&ResponseBlock::thinking("", String::new()));
            let text = pieces(&thinking.thinking);
            deltas.extend(text.map(|thinking| Delta::ThinkingDelta { thinking }));
            deltas.push(Delta::SignatureDelta {
                signature: &thinking.signature,
            });
        }
        ResponseBlock::ToolUse(call) => {
            let none = serde_json::value::to_raw_value(&Empty {}).expect("an object is JSON");
            begin(&ResponseBlock::tool_use(call.id.clone(), &call.name, none));
            let input = pieces(call.input.get());
            deltas.extend(input.map(|partial_json| Delta::InputJsonDelta { partial_json }));
        }
        ResponseBlock::RedactedThinking(_)
        | ResponseBlock::Compaction(_)
        | ResponseBlock::Raw(_) => begin(block),
    }
    events.extend(deltas.into_iter().map(|delta| {
        let event = BlockDelta {
            kind: "content_block_delta",
            index,
            delta,
        };
        frame(event.kind, &event)
    }));
    let stop = BlockStop {
        kind: "content_block_stop",
        index,
    };
    events.push(frame(stop.kind, &stop));
}

/// Splits a text into pieces of at most [`DELTA_CHARS`] characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(DELTA_CHARS);
        let (piece, after) = rest.split_at(end.map_or(rest.len(), |(end, _)| end));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Writes one event as a frame of server-sent events.
fn frame(name: &str, event: &impl Serialize) -> String {
    let data = serde_json::to_string(event).expect("the event is JSON");
    format!("event: {name}\ndata: {data}\n\n")
}

/// An event with nothing but its type.
#[derive(Serialize)]
struct Bare {
    #[serde(rename = "type")]
    kind: &'static str,
}

/// The input `{}` of a tool use at its start.
#[derive(Serialize)]
struct Empty {}

/// `message_start`.
#[derive(Serialize)]
struct Start<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    message: Begun<'a>,
}

/// A message that has just begun: it has no stop reason.
struct Begun<'a> {
    response: &'a Response,
    stop_reason: Option<&'a str>,
}

impl Serialize for Begun<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Message<'a> {
            id: &'a str,
            #[serde(rename = "type")]
            kind: &'a str,
            role: &'a str,
            model: &'a str,
            content: &'a [ResponseBlock],
            stop_reason: Option<&'a str>,
            stop_sequence: Option<&'a str>,
            usage: &'a ResponseUsage,
            #[serde(skip_serializing_if = "Option::is_none")]
            input_transformations: Option<&'a [Transformation]>,
            #[serde(skip_serializing_if = "Option::is_none")]
            diagnostics: Option<&'a Option<super::response::CacheDiagnostics>>,
        }
        let it = self.response;
        Message {
            id: &it.id,
            kind: "message",
            role: "assistant",
            model: &it.model,
            content: &it.content,
            stop_reason: self.stop_reason,
            stop_sequence: None,
            usage: &it.usage,
            input_transformations: it.input_transformations.as_deref(),
            diagnostics: it.diagnostics.as_ref(),
        }
        .serialize(serializer)
    }
}

/// `content_block_start`.
#[derive(Serialize)]
struct BlockStart<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    index: usize,
    content_block: &'a ResponseBlock,
}

/// `content_block_delta`.
#[derive(Serialize)]
struct BlockDelta<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    index: usize,
    delta: Delta<'a>,
}

/// The `delta` of a block. Its JSON names the kind:
/// `{"type":"text_delta","text":"Hi"}`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "the names of the wire")]
enum Delta<'a> {
    TextDelta { text: &'a str },
    ThinkingDelta { thinking: &'a str },
    SignatureDelta { signature: &'a str },
    InputJsonDelta { partial_json: &'a str },
}

/// `content_block_stop`.
#[derive(Serialize)]
struct BlockStop {
    #[serde(rename = "type")]
    kind: &'static str,
    index: usize,
}

/// `message_delta`, which has no index: it is about the whole message.
#[derive(Serialize)]
struct End<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    delta: Stop<'a>,
    usage: &'a ResponseUsage,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_transformations: Option<&'a [Transformation]>,
}

/// The `delta` of `message_delta`. This server never stops at a stop sequence.
#[derive(Serialize)]
struct Stop<'a> {
    stop_reason: &'a str,
    stop_sequence: Option<&'a str>,
}
