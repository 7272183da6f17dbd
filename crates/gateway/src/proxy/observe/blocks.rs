//! Puts a message's content together from its stream's events, so that a record
//! looks as it does for a whole response:
//!
//! ```text
//! content_block_start {"type":"text","text":""}                  {"type":"text","text":"Hi there"}
//! content_block_delta {"type":"text_delta","text":"Hi"}      →
//! content_block_delta {"type":"text_delta","text":" there"}
//! ```
//!
//! Unknown events and keys are skipped. Reading never fails: what cannot be
//! read is missing from the record.

use std::borrow::Cow;

use aside_json::{Kind, Tape, Value};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// How many blocks to read; later ones are left out.
const MAX_BLOCKS: usize = 10_000;

/// From how many bytes of events to keep content. Later content is left out,
/// since a stream may have no end.
const MAX_CONTENT_BYTES: usize = 32 << 20;

/// The content blocks in one Messages API response.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// A whole response's content.
    whole: Option<Vec<Box<RawValue>>>,
    /// A stream's blocks, by index.
    blocks: Vec<Block>,
    /// How many bytes of events are in the blocks.
    kept: usize,
}

/// A block in a stream: its start as JSON, and each kind's deltas joined.
#[derive(Debug, Default)]
struct Block {
    /// The `content_block` in its start event.
    start: String,
    /// Text from `text_delta` events.
    text: String,
    /// Text from `thinking_delta` events.
    thinking: String,
    /// Text from `signature_delta` events.
    signature: String,
    /// JSON from `input_json_delta` events, valid only when the block is
    /// complete.
    input: String,
    /// The summary from `compaction_delta` events.
    content: String,
    /// The items from `citations_delta` events.
    citations: Vec<Box<RawValue>>,
}

impl Blocks {
    /// Reads a stream's event. Events without content are skipped.
    pub(super) fn event(&mut self, event: Value<'_>) {
        let kind = event.tag();
        if !matches!(&*kind, "content_block_start" | "content_block_delta") {
            return;
        }
        let bytes = event.raw().len();
        if self.kept + bytes > MAX_CONTENT_BYTES {
            // Later content is left out too, so that no text has a gap.
            self.kept = MAX_CONTENT_BYTES;
            return;
        }
        self.kept += bytes;
        let index = event.get("index").and_then(Value::integer).unwrap_or(0);
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        if kind == "content_block_start" {
            if index == self.blocks.len() && index < MAX_BLOCKS {
                let start = event.get("content_block");
                self.blocks.push(Block {
                    start: start.map_or_else(String::new, |it| it.raw().to_owned()),
                    ..Block::default()
                });
            }
        } else if let Some((block, delta)) = self.blocks.get_mut(index).zip(event.get("delta")) {
            block.add(delta);
        }
    }

    /// Reads a response that is one JSON value. An error has no content.
    pub(super) fn whole(&mut self, body: Value<'_>) {
        let is_error = body
            .get("error")
            .is_some_and(|it| it.kind() == Kind::Object);
        if body.kind() == Kind::Object && !is_error {
            let content = body.get("content").into_iter().flat_map(Value::items);
            self.whole = Some(content.filter_map(raw).collect());
        }
    }

    /// Returns the content that was read, even from a stream that broke off.
    pub(super) fn end(self) -> Option<Vec<Box<RawValue>>> {
        let read: Vec<_> = self.blocks.into_iter().filter_map(Block::end).collect();
        self.whole.or_else(|| (!read.is_empty()).then_some(read))
    }
}

/// Returns a value as written.
pub(super) fn raw(value: Value<'_>) -> Option<Box<RawValue>> {
    RawValue::from_string(value.raw().to_owned()).ok()
}

impl Block {
    /// Adds a delta, which has only its kind's key.
    fn add(&mut self, delta: Value<'_>) {
        for (key, text) in [
            ("text", &mut self.text),
            ("thinking", &mut self.thinking),
            ("signature", &mut self.signature),
            ("partial_json", &mut self.input),
            ("content", &mut self.content),
        ] {
            text.push_str(&delta.text_of(key).unwrap_or_default());
        }
        self.citations.extend(delta.given("citation").and_then(raw));
    }

    /// Returns the complete block: its start's members in order, with the
    /// deltas added. If the stream broke off and a call's input is no valid
    /// JSON, the call is left out.
    fn end(self) -> Option<Box<RawValue>> {
        let tape = Tape::parse(self.start.as_bytes()).ok()?;
        let start = tape.root();
        let mut streamed = Vec::new();
        for (key, delta) in [
            ("text", &self.text),
            ("thinking", &self.thinking),
            ("signature", &self.signature),
            ("content", &self.content),
        ] {
            if !delta.is_empty() {
                let text = start.text_of(key).unwrap_or_default() + &**delta;
                streamed.push((key, to_raw_value(&text).ok()?));
            }
        }
        if !self.input.is_empty() {
            streamed.push(("input", serde_json::from_str(&self.input).ok()?));
        }
        if !self.citations.is_empty() {
            let first = start.get("citations").into_iter().flat_map(Value::items);
            let all: Vec<_> = first.filter_map(raw).chain(self.citations).collect();
            streamed.push(("citations", to_raw_value(&all).ok()?));
        }
        let is_call = start.text_of("type")?.ends_with("tool_use");
        let is_streamed = |key: &str| streamed.iter().any(|(it, _)| *it == key);
        if is_call && start.given("input").is_none() && !is_streamed("input") {
            return None;
        }
        let kept = start.members().filter(|(key, _)| !is_streamed(key));
        let mut members: Vec<_> = kept.filter_map(|(key, it)| Some((key, raw(it)?))).collect();
        members.extend(streamed.into_iter().map(|(key, it)| (key.into(), it)));
        to_raw_value(&Members(members)).ok()
    }
}

/// An object's members, in order.
struct Members<'a>(Vec<(Cow<'a, str>, Box<RawValue>)>);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[cfg(test)]
mod tests;
