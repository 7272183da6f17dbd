//! Responses of the Messages API.
//!
//! A stream is put together to the blocks of a whole response, so a record has
//! the same form for both.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::Observed;
use crate::object::Object;

/// Blocks beyond this are not read.
const MAX_BLOCKS: usize = 10_000;

/// Content beyond this is not kept: a stream may have no end.
const MAX_CONTENT_BYTES: usize = 32 << 20;

#[derive(Debug, Default)]
pub(super) struct MessageReader {
    observed: Observed,
    blocks: Vec<Block>,
    /// The bytes of the events in the blocks.
    kept: usize,
    usage: Option<Usage>,
}

#[derive(Debug, Default)]
struct Block {
    start: String,
    text: String,
    thinking: String,
    signature: String,
    input: String,
}

/// The usage of a message, or an item of its `iterations`. A stream has it
/// twice, the second time with the final values of some fields.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Usage {
    /// The kind of an item.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
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
    iterations: Option<Vec<Usage>>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_5m_input_tokens: u64,
    #[serde(default)]
    ephemeral_1h_input_tokens: u64,
}

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

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    text: String,
    thinking: String,
    signature: String,
    partial_json: String,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(rename = "type")]
    kind: String,
}

impl MessageReader {
    /// Reads an event of a stream.
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

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Thinking<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    thinking: &'a str,
    signature: &'a str,
}

#[derive(Serialize)]
struct ToolUse<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    name: &'a str,
    input: &'a RawValue,
}

impl Block {
    /// Returns the complete block. A call with incomplete input is left out.
    fn end(self) -> Option<Box<RawValue>> {
        let start = Object::parse(&self.start)?;
        let kind = start.text("type")?;
        let begun = |key: &str, rest: &str| start.text(key).unwrap_or_default() + rest;
        let block = match &*kind {
            "text" => to_raw_value(&Text {
                kind: &kind,
                text: &begun("text", &self.text),
            }),
            "thinking" => to_raw_value(&Thinking {
                kind: &kind,
                thinking: &begun("thinking", &self.thinking),
                signature: &begun("signature", &self.signature),
            }),
            "tool_use" => {
                let streamed = serde_json::from_str::<&RawValue>(&self.input);
                let input = match self.input.is_empty() {
                    true => start.get("input")?,
                    false => streamed.ok()?,
                };
                to_raw_value(&ToolUse {
                    kind: &kind,
                    id: &start.text("id")?,
                    name: &start.text("name")?,
                    input,
                })
            }
            _ => RawValue::from_string(self.start),
        };
        block.ok()
    }
}
