//! The events of a stream, as those of the Messages API.

use aside_messages::wire::{ContentBlock, Extra, RawJson};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::stop_reason::StopReason;
use crate::usage::ReportedUsage;

/// One event of a streamed response, in the Anthropic form. Serialised with
/// serde, it is the `data` of the event.
///
/// A complete stream is one `MessageStart`, then for every block a
/// `BlockStart`, deltas of the block's own type and a `BlockStop`, one block
/// after the other with indices from 0, then a `MessageDelta` and a
/// `MessageStop`.
///
/// ```text
/// {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant",…}}
/// {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
/// {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}
/// {"type":"content_block_stop","index":0}
/// {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{…}}
/// {"type":"message_stop"}
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// `message_start`
    /// The first event of every response.
    MessageStart(Start),
    /// `content_block_start`
    BlockStart {
        /// The place of the block in the answer, from 0.
        index: usize,
        /// The block as it begins: without text, and `{}` for an input.
        block: ContentBlock,
    },
    /// `content_block_delta`
    BlockDelta {
        /// The block that is open.
        index: usize,
        /// The change of the block.
        delta: Delta,
    },
    /// `content_block_stop`
    BlockStop {
        /// The block that was open.
        index: usize,
    },
    /// `message_delta`
    /// The stop reason and the whole usage, after the last block.
    MessageDelta(End),
    /// `message_stop`
    /// The last event; a stream without it is not complete.
    MessageStop,
}

/// The start of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The id that the provider gave to the response.
    /// Empty if the provider sent none.
    pub id: String,
    /// The model that responds, by the provider's name.
    pub model: String,
    /// The usage so far; only Anthropic reports it before the end.
    pub usage: ReportedUsage,
    /// The other keys of the message.
    pub extra: Extra,
}

/// A change of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// `text_delta`
    /// More text of a text block.
    Text(String),
    /// `thinking_delta`
    /// More text of a thinking block.
    Thinking(String),
    /// `signature_delta`
    /// The signature of a thinking block. On other wires than Anthropic's it is the sealed
    /// original.
    Signature(String),
    /// `input_json_delta`: a piece of the JSON text of an input.
    /// The pieces of a call, joined, are one JSON object, or nothing for an empty input.
    InputJson(String),
    /// Another delta, unchanged.
    Other(RawJson),
}

/// The end of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// The stop reason; `None` if the provider reported none.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that ended it, if one did and the provider returns it.
    pub stop_sequence: Option<String>,
    /// The other keys of the delta.
    pub extra: Extra,
    /// The edits of the context that the API applied (`context_management`).
    pub context_management: Option<RawJson>,
    /// The usage of the whole request.
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

/// `{"type":…}` with further members.
///
/// It writes the members of an event in the order of the Messages API, `type` first.
struct Tagged<M>(M);

impl<M: SerializeMap> Tagged<M> {
    /// Begins an object with its tag.
    fn new<S: Serializer<SerializeMap = M, Ok = M::Ok, Error = M::Error>>(
        serializer: S,
        tag: &str,
    ) -> Result<Self, M::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", tag)?;
        Ok(Self(map))
    }

    /// Writes a member.
    fn with<T: Serialize + ?Sized>(mut self, key: &str, value: &T) -> Result<Self, M::Error> {
        self.0.serialize_entry(key, value)?;
        Ok(self)
    }

    /// Ends the object.
    fn end(self) -> Result<M::Ok, M::Error> {
        self.0.end()
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::MessageStart(start) => {
                Tagged::new(serializer, "message_start")?.with("message", &Message(start))?
            }
            Self::BlockStart { index, block } => Tagged::new(serializer, "content_block_start")?
                .with("index", index)?
                .with("content_block", block)?,
            Self::BlockDelta { index, delta } => Tagged::new(serializer, "content_block_delta")?
                .with("index", index)?
                .with("delta", delta)?,
            Self::BlockStop { index } => {
                Tagged::new(serializer, "content_block_stop")?.with("index", index)?
            }
            Self::MessageDelta(end) => {
                let tagged = Tagged::new(serializer, "message_delta")?
                    .with("delta", &Reason(end))?
                    .with("usage", &end.usage)?;
                match &end.context_management {
                    Some(edits) => tagged.with("context_management", edits)?,
                    None => tagged,
                }
            }
            Self::MessageStop => Tagged::new(serializer, "message_stop")?,
        }
        .end()
    }
}

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => Tagged::new(serializer, "text_delta")?.with("text", text)?,
            Self::Thinking(text) => {
                Tagged::new(serializer, "thinking_delta")?.with("thinking", text)?
            }
            Self::Signature(text) => {
                Tagged::new(serializer, "signature_delta")?.with("signature", text)?
            }
            Self::InputJson(json) => {
                Tagged::new(serializer, "input_json_delta")?.with("partial_json", json)?
            }
            Self::Other(raw) => return raw.serialize(serializer),
        }
        .end()
    }
}

/// The message of a `message_start`.
///
/// ```json
/// {"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": [],
///  "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 9}}
/// ```
struct Message<'a>(&'a Start);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Start {
            id,
            model,
            usage,
            extra,
        } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", id)?;
        map.serialize_entry("type", "message")?;
        map.serialize_entry("role", "assistant")?;
        map.serialize_entry("model", model)?;
        map.serialize_entry::<_, [ContentBlock]>("content", &[])?;
        map.serialize_entry("stop_reason", &())?;
        map.serialize_entry("stop_sequence", &())?;
        for (key, value) in &extra.0 {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("usage", usage)?;
        map.end()
    }
}

/// The delta of a `message_delta`.
///
/// `{"stop_reason":"end_turn","stop_sequence":null}`, and the further keys that the provider sent.
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
