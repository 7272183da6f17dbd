//! Reads responses of the Messages API, whole or as a stream.
//!
//! The events of a stream are merged into the blocks of a whole response, so a
//! record has the same form for both:
//!
//! ```text
//! content_block_start {"type":"text","text":""}                  {"type":"text","text":"Hi there"}
//! content_block_delta {"type":"text_delta","text":"Hi"}      →
//! content_block_delta {"type":"text_delta","text":" there"}
//! ```
//!
//! Events and keys that are not known are skipped. The reader never fails: what
//! cannot be read is missing from the record.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::Observed;
use crate::object::Object;

/// The number of blocks that are read; later ones are left out.
const MAX_BLOCKS: usize = 10_000;

/// The bytes of events whose content is kept. Later content is left out, since
/// a stream may have no end.
const MAX_CONTENT_BYTES: usize = 32 << 20;

/// Collects one response. A whole body is read by `whole`, a stream by `event`.
#[derive(Debug, Default)]
pub(super) struct MessageReader {
    /// The id, the model, the stop reason and the error; the content of a whole
    /// response.
    observed: Observed,
    /// The blocks of a stream, by their index.
    blocks: Vec<Block>,
    /// The bytes of the events in the blocks.
    kept: usize,
    /// The usage, merged from all events that have one.
    usage: Option<Usage>,
}

/// A block of a stream: its start as JSON, and the deltas of each kind joined.
#[derive(Debug, Default)]
struct Block {
    /// The `content_block` of its start event.
    start: String,
    /// The text of `text_delta` events.
    text: String,
    /// The text of `thinking_delta` events.
    thinking: String,
    /// The text of `signature_delta` events.
    signature: String,
    /// The JSON of `input_json_delta` events, valid only when the block is
    /// complete.
    input: String,
    /// The summary of `compaction_delta` events.
    content: String,
    /// The items of `citations_delta` events.
    citations: Vec<Box<RawValue>>,
}

/// The usage of a message. A stream has it twice, the second time with the final values of some fields.
///
/// ```json
/// {"input_tokens": 3, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 0,
///  "cache_creation": {"ephemeral_5m_input_tokens": 900, "ephemeral_1h_input_tokens": 0},
///  "output_tokens": 50}
/// ```
///
/// A key that is missing stays missing in the record.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Usage {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation: Option<CacheCreation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<Box<RawValue>>,
}

/// The tokens written to the cache, by the lifetime of the entry.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_5m_input_tokens: u64,
    #[serde(default)]
    ephemeral_1h_input_tokens: u64,
}

/// An event of a stream. Which of the optional fields an event has depends on
/// its type:
///
/// | type | fields |
/// |---|---|
/// | `message_start` | `message`, with `id`, `model` and the first `usage` |
/// | `content_block_start` | `index`, `content_block` |
/// | `content_block_delta` | `index`, `delta` |
/// | `message_delta` | `delta` with the stop reason, the final `usage` |
/// | `error` | `error` |
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(default)]
    index: usize,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    delta: Option<Delta>,
    usage: Option<Usage>,
    error: Option<Fault>,
}

/// The delta of a block, or of the message (`stop_reason`). A delta of one kind
/// has the key of that kind only; the others are empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    text: String,
    thinking: String,
    signature: String,
    partial_json: String,
    stop_reason: Option<String>,
    /// Of a compaction; other types may have any value.
    content: Option<Box<RawValue>>,
    /// Of a text.
    citation: Option<Box<RawValue>>,
}

/// The error of an `error` event, of which the record keeps the type.
#[derive(Deserialize)]
struct Fault {
    #[serde(rename = "type")]
    kind: String,
}

impl MessageReader {
    /// Reads an event of a stream, the text after `data:`. Text that is not an
    /// event is skipped.
    pub(super) fn event(&mut self, data: &str) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(data) else {
            return;
        };
        match &*event.kind {
            "message_start" => {
                if let Some(message) = event.message {
                    self.envelope(message.get());
                }
            }
            "content_block_start" | "content_block_delta"
                if self.kept + data.len() > MAX_CONTENT_BYTES =>
            {
                // Later content is left out too, so that no text has a gap.
                self.kept = MAX_CONTENT_BYTES;
            }
            "content_block_start"
                if event.index == self.blocks.len() && event.index < MAX_BLOCKS =>
            {
                self.kept += data.len();
                self.blocks.push(Block {
                    start: event
                        .content_block
                        .map_or_else(String::new, |it| it.get().to_owned()),
                    ..Block::default()
                });
            }
            "content_block_delta" => {
                self.kept += data.len();
                if let (Some(block), Some(delta)) = (self.blocks.get_mut(event.index), event.delta)
                {
                    block.text += &delta.text;
                    block.thinking += &delta.thinking;
                    block.signature += &delta.signature;
                    block.input += &delta.partial_json;
                    let content = delta.content.as_deref().map_or("null", RawValue::get);
                    block.content += &serde_json::from_str::<String>(content).unwrap_or_default();
                    block.citations.extend(delta.citation);
                }
            }
            "message_delta" => {
                let stop_reason = event.delta.and_then(|delta| delta.stop_reason);
                self.observed.stop_reason = stop_reason.or(self.observed.stop_reason.take());
                self.merge(event.usage);
            }
            "error" => self.observed.error = event.error.map(|error| error.kind),
            _ => {}
        }
    }

    /// Reads a response that is one JSON value: a message, or the envelope of
    /// an error,
    /// `{"type":"error","error":{"type":"overloaded_error","message":…}}`.
    pub(super) fn whole(&mut self, body: &str) {
        let Some(object) = Object::parse(body) else {
            return;
        };
        if let Some(error) = object.object("error") {
            self.observed.error = error.text("type");
            return;
        }
        self.envelope(body);
        let content = object.items("content").into_iter();
        self.observed.content = Some(content.map(ToOwned::to_owned).collect());
        self.observed.stop_reason = object.text("stop_reason");
    }

    /// Returns everything that was read, also of a stream that broke off.
    pub(super) fn end(mut self) -> Observed {
        let read: Vec<_> = std::mem::take(&mut self.blocks)
            .into_iter()
            .filter_map(Block::end)
            .collect();
        if self.observed.content.is_none() && !read.is_empty() {
            self.observed.content = Some(read);
        }
        self.observed.usage = self.usage.and_then(|usage| to_raw_value(&usage).ok());
        self.observed
    }

    /// Reads the fields of a message other than its content.
    fn envelope(&mut self, message: &str) {
        #[derive(Deserialize)]
        struct Message {
            id: Option<String>,
            model: Option<String>,
            usage: Option<Usage>,
        }
        if let Ok(message) = serde_json::from_str::<Message>(message) {
            self.observed.id = message.id;
            self.observed.model = message.model;
            self.merge(message.usage);
        }
    }

    /// Takes the fields that the newer usage has, and keeps the others.
    fn merge(&mut self, newer: Option<Usage>) {
        let Some(newer) = newer else {
            return;
        };
        let usage = self.usage.get_or_insert_default();
        let pick = |new: Option<u64>, old: &mut Option<u64>| *old = new.or(*old);
        pick(newer.input_tokens, &mut usage.input_tokens);
        pick(
            newer.cache_creation_input_tokens,
            &mut usage.cache_creation_input_tokens,
        );
        pick(
            newer.cache_read_input_tokens,
            &mut usage.cache_read_input_tokens,
        );
        pick(newer.output_tokens, &mut usage.output_tokens);
        usage.cache_creation = newer.cache_creation.or(usage.cache_creation);
        usage.iterations = newer.iterations.or(usage.iterations.take());
    }
}

impl Block {
    /// Returns the complete block: the members of its start in their order, with
    /// the deltas added. A call whose input is not valid JSON, since the stream
    /// broke off, is left out.
    fn end(self) -> Option<Box<RawValue>> {
        let start = Object::parse(&self.start)?;
        let mut streamed = Vec::new();
        for (key, delta) in [
            ("text", &self.text),
            ("thinking", &self.thinking),
            ("signature", &self.signature),
            ("content", &self.content),
        ] {
            if !delta.is_empty() {
                let text = start.text(key).unwrap_or_default() + delta;
                streamed.push((key, to_raw_value(&text).ok()?));
            }
        }
        if !self.input.is_empty() {
            streamed.push(("input", serde_json::from_str(&self.input).ok()?));
        }
        if !self.citations.is_empty() {
            let first = start.items("citations").into_iter();
            let all: Vec<&RawValue> = first
                .chain(self.citations.iter().map(AsRef::as_ref))
                .collect();
            streamed.push(("citations", to_raw_value(&all).ok()?));
        }
        let is_call = start.text("type")?.ends_with("tool_use");
        let is_streamed = |key: &str| streamed.iter().any(|(it, _)| *it == key);
        if is_call && start.get("input").is_none() && !is_streamed("input") {
            return None;
        }
        let kept = start.members().filter(|(key, _)| !is_streamed(key));
        let added = streamed.iter().map(|(key, value)| (*key, value.as_ref()));
        to_raw_value(&Members(kept.chain(added).collect())).ok()
    }
}

/// The members of an object, in order.
struct Members<'a>(Vec<(&'a str, &'a RawValue)>);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[cfg(test)]
mod tests;
