//! A stream's open block, and how to close it.
//!
//! This only collects deltas, and parses nothing until the block is complete, so the cost is linear
//! in the received bytes.

use aside_messages::wire::{ContentBlock, Other, RawJson, Text, Thinking, ToolUse};

use crate::event::Delta;
use crate::message::{Answer, BrokenCall};
use crate::read::{Members, set};

/// A block with the deltas that it received.
#[derive(Clone, Debug)]
pub(super) struct OpenBlock {
    /// The block as it began, with all members that no delta changes.
    block: ContentBlock,
    /// The text, the thinking or the input's JSON, by block type.
    text: String,
    /// A thinking block's signature; empty for others.
    signature: String,
    /// The citations that arrived in deltas, in order.
    citations: Vec<RawJson>,
    /// The members of a compaction, which begins without: its summary, and what seals it.
    received: Vec<(String, RawJson)>,
}

impl OpenBlock {
    /// Starts with the text and the signature that the block already has, which are empty on
    /// Anthropic's own server.
    pub(super) fn new(block: ContentBlock) -> Self {
        let (mut text, mut signature) = (String::new(), String::new());
        match &block {
            ContentBlock::Text(block) => text.push_str(&block.text),
            ContentBlock::Thinking(block) => {
                text.push_str(&block.thinking);
                signature.push_str(&block.signature);
            }
            _ => {}
        }
        Self { block, text, signature, citations: Vec::new(), received: Vec::new() }
    }

    /// Adds a delta of the same type as the block.
    ///
    /// The stream's reader has already refused deltas with another type.
    pub(super) fn add(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) | Delta::Thinking(text) | Delta::InputJson(text) => {
                self.text.push_str(text);
            }
            Delta::Signature(text) => self.signature.push_str(text),
            Delta::Other(raw) => self.add_members(raw),
        }
    }

    /// Adds what a delta brings; an unknown form brings nothing.
    ///
    /// ```json
    /// {"type": "citations_delta", "citation": {"type": "char_location", "cited_text": "…"}}
    /// {"type": "compaction_delta", "content": "A summary", "encrypted_content": "…"}
    /// ```
    fn add_members(&mut self, delta: &RawJson) {
        let members = serde_json::from_str(delta.get());
        let Members(members) = members.unwrap_or(Members(Vec::new()));
        let is_compaction = |(key, value): &(String, RawJson)| {
            key == "type" && value.get() == r#""compaction_delta""#
        };
        let is_compaction = members.iter().any(is_compaction);
        for (key, value) in members {
            match key.as_str() {
                "citation" => self.citations.push(value),
                "type" => {}
                _ if is_compaction => self.received.push((key, value)),
                _ => {}
            }
        }
    }
}

/// Closes a block, and adds it to the answer unless it is empty.
///
/// - Empty text, and thinking without text and signature, are left out.
/// - A call with an invalid input goes to `broken_calls` instead of the content.
/// - A block with another type gets the received input under its key `input`, as in calls to tools
///   that Anthropic's servers run, and what else it received.
/// - `None` changes nothing.
pub(super) fn close(open: Option<OpenBlock>, answer: &mut Answer) {
    let Some(OpenBlock { block, text, signature, citations, received }) = open else {
        return;
    };
    let block = match block {
        ContentBlock::Text(_) if text.is_empty() => return,
        ContentBlock::Text(block) => ContentBlock::Text(Text {
            text: text.into(),
            citations: cited(block.citations, &citations),
            ..block
        }),
        ContentBlock::Thinking(_) if text.is_empty() && signature.is_empty() => return,
        ContentBlock::Thinking(block) => ContentBlock::Thinking(Thinking {
            thinking: text.into(),
            signature: signature.into(),
            ..block
        }),
        ContentBlock::ToolUse(block) => match input(&text, &block.input) {
            Some(input) => ContentBlock::ToolUse(ToolUse { input, ..block }),
            None => {
                let ToolUse { id, name, .. } = block;
                answer.broken_calls.push(BrokenCall { id, name, input: text });
                return;
            }
        },
        ContentBlock::Other(block) => {
            let input = serde_json::from_str(&text).ok();
            let input = input.map(|input| ("input".to_owned(), input));
            ContentBlock::Other(with_members(block, input.into_iter().chain(received)))
        }
        other => other,
    };
    answer.content.push(block);
}

/// Returns the citations that the text began with, followed by those that arrived later.
///
/// If it began with something other than a list, such as `null`, this counts as an empty list.
fn cited(start: Option<RawJson>, citations: &[RawJson]) -> Option<RawJson> {
    if citations.is_empty() {
        return start;
    }
    let first = start.and_then(|start| serde_json::from_str::<Vec<RawJson>>(start.get()).ok());
    let mut all = first.unwrap_or_default();
    all.extend(citations.iter().cloned());
    Some(RawJson::of(&all))
}

/// Returns the block with the received values instead of its own.
///
/// ```text
/// {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}  +  {"query":"x"}
/// → {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}
/// ```
fn with_members(block: Other, received: impl Iterator<Item = (String, RawJson)>) -> Other {
    let mut received = received.peekable();
    if received.peek().is_none() {
        return block;
    }
    let Ok(mut members) = serde_json::from_str::<Members>(block.raw().get()) else {
        return block;
    };
    received.for_each(|(key, value)| set(&mut members.0, &key, value));
    Other::new(RawJson::of(&members)).unwrap_or(block)
}

/// Returns the received input, or if nothing was received, the one that the block began with;
/// `None` if the received text is not a JSON object. When a key is doubled, the last one counts.
fn input(json: &str, start: &RawJson) -> Option<RawJson> {
    if json.trim().is_empty() {
        return Some(start.clone());
    }
    let input: Option<RawJson> = serde_json::from_str(json).ok();
    input.filter(RawJson::is_object)
}
