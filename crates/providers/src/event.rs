//! Stream events in the form that the Messages API uses.

use aside_messages::wire::{ContentBlock, Extra, RawJson};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::message::Answer;
use crate::stop_reason::StopReason;
use crate::usage::ReportedUsage;

/// One event in a streamed response, in the Anthropic form. To get the event's `data`, serialize it
/// with serde.
///
/// In a complete stream you get one `MessageStart`; then for every block a `BlockStart`, deltas of
/// the block's own type, and a `BlockStop`; then a `MessageDelta` and a `MessageStop`. Blocks come
/// one after the other, with indices from 0.
///
/// ```text
/// {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant",…}}
/// {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
/// {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}
/// {"type":"content_block_stop","index":0}
/// {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{…}}
/// {"type":"message_stop"}
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// `message_start`, the first event in every response.
    MessageStart(#[serde(serialize_with = "start")] Start),
    /// `content_block_start`
    #[serde(rename = "content_block_start")]
    BlockStart {
        /// The block's place in the response, from 0.
        index: usize,
        /// The block as it begins: without text, and with `{}` for an input.
        #[serde(rename = "content_block")]
        block: ContentBlock,
    },
    /// `content_block_delta`
    #[serde(rename = "content_block_delta")]
    BlockDelta {
        /// Which block is open.
        index: usize,
        /// What to add to the block.
        delta: Delta,
    },
    /// `content_block_stop`
    #[serde(rename = "content_block_stop")]
    BlockStop {
        /// Which block was open.
        index: usize,
    },
    /// `message_delta`: the stop reason and the whole usage, after the last block.
    MessageDelta(#[serde(serialize_with = "end")] End),
    /// `message_stop`, the last event; without it, a stream is not complete.
    MessageStop,
}

/// How a response starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The response's id from the provider. Empty if it sent none.
    pub id: String,
    /// Which model responds, by the provider's name.
    pub model: String,
    /// The usage so far; only Anthropic reports it before the end.
    pub usage: ReportedUsage,
    /// The message's other keys.
    pub extra: Extra,
}

/// What to add to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// `text_delta`: more text for a text block.
    Text(String),
    /// `thinking_delta`: more text for a thinking block.
    Thinking(String),
    /// `signature_delta`: a thinking block's signature. On wires other than Anthropic's, this is
    /// the sealed original.
    Signature(String),
    /// `input_json_delta`: a piece of an input's JSON text. When you join a call's pieces, you get
    /// one JSON object, or nothing for an empty input.
    InputJson(String),
    /// Another delta, unchanged.
    Other(RawJson),
}

/// How a response ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// The stop reason; `None` if the provider reported none.
    pub stop_reason: Option<StopReason>,
    /// Which stop sequence ended it, if one did and the provider returns it.
    pub stop_sequence: Option<String>,
    /// The delta's other keys.
    pub extra: Extra,
    /// What the API edited in the context (`context_management`).
    pub context_management: Option<RawJson>,
    /// What the API left out of the input (`input_transformations`), such as thinking.
    pub input_transformations: Option<RawJson>,
    /// The usage for the whole request.
    pub usage: ReportedUsage,
}

impl Delta {
    /// Returns true if it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text)
            | Self::Thinking(text)
            | Self::Signature(text)
            | Self::InputJson(text) => text.is_empty(),
            Self::Other(_) => false,
        }
    }
}

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, key, text) = match self {
            Self::Text(text) => ("text_delta", "text", text),
            Self::Thinking(text) => ("thinking_delta", "thinking", text),
            Self::Signature(text) => ("signature_delta", "signature", text),
            Self::InputJson(json) => ("input_json_delta", "partial_json", json),
            Self::Other(raw) => return raw.serialize(serializer),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", kind)?;
        map.serialize_entry(key, text)?;
        map.end()
    }
}

/// Writes the message of a `message_start`, which has no content and no stop reason.
///
/// ```json
/// {"message": {"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": [],
///  "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 9}}}
/// ```
fn start<S: Serializer>(start: &Start, serializer: S) -> Result<S::Ok, S::Error> {
    let Start { id, model, usage, extra } = start.clone();
    let message = Answer { id, model, usage, extra, ..Answer::default() };
    serializer.collect_map([("message", message)])
}

/// Writes a `message_delta`.
///
/// ```json
/// {"delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 9}}
/// ```
fn end<S: Serializer>(end: &End, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("delta", &Reason(end))?;
    map.serialize_entry("usage", &end.usage)?;
    if let Some(edits) = &end.context_management {
        map.serialize_entry("context_management", edits)?;
    }
    if let Some(done) = &end.input_transformations {
        map.serialize_entry("input_transformations", done)?;
    }
    map.end()
}

/// The `delta` in a `message_delta`.
///
/// `{"stop_reason":"end_turn","stop_sequence":null}`, and any further keys from the provider.
struct Reason<'a>(&'a End);

impl Serialize for Reason<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("stop_reason", &self.0.stop_reason)?;
        map.serialize_entry("stop_sequence", &self.0.stop_sequence)?;
        for (key, value) in &self.0.extra.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
