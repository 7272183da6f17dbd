//! Whole responses in the Anthropic form.
//!
//! To turn a streamed response into an `Answer`, push its events to a `Collector`. Other wires'
//! whole responses are read as a stream with one event, so both ways give the same answer for the
//! same content. This file also has the constructors for the blocks that the other wires' readers
//! begin with.

mod open_block;

use std::sync::Arc;

use aside_messages::wire::{ContentBlock, Extra, RawJson, RedactedThinking, ToolUse};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::event::Event;
use crate::stop_reason::StopReason;
use crate::usage::ReportedUsage;

use self::open_block::{OpenBlock, close};

/// A complete response in the Anthropic form. When you serialize it with serde, you get a Messages
/// API response body.
///
/// ```json
/// {
///   "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5-5",
///   "content": [{"type": "text", "text": "Hi"}],
///   "stop_reason": "end_turn", "stop_sequence": null,
///   "usage": {"input_tokens": 9, "cache_creation_input_tokens": 0,
///             "cache_read_input_tokens": 0, "output_tokens": 2}
/// }
/// ```
///
/// The keys in `extra` are written before `usage`, in their order. `broken_calls` is not written:
/// the form has no place for a call without a valid input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The response's id from the provider.
    pub id: String,
    /// Which model responded, by the provider's name.
    pub model: String,
    /// The content blocks. Empty ones are left out.
    pub content: Vec<ContentBlock>,
    /// The stop reason; `None` if the response broke off.
    pub stop_reason: Option<StopReason>,
    /// Which stop sequence ended it, if one did and the provider returns it.
    pub stop_sequence: Option<String>,
    /// How many tokens were used.
    pub usage: ReportedUsage,
    /// The message's other keys.
    pub extra: Extra,
    /// Calls left out of `content` because their input is not a JSON object: the stream broke off,
    /// or the model wrote invalid JSON.
    pub broken_calls: Vec<BrokenCall>,
}

/// A call whose input is not a JSON object.
///
/// The Messages API would refuse it in the history, so it cannot be a content block. You can report
/// it, or start the request again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenCall {
    /// The call's id.
    pub id: Arc<str>,
    /// Which tool was called.
    pub name: Arc<str>,
    /// The part of the input that arrived, such as `{"command":"ls`; never empty.
    pub input: String,
}

/// Collects events into an [`Answer`]. At any time, you can ask for the part received so far.
///
/// ```
/// use aside_providers::{Collector, Names, Provider, Stream};
///
/// let mut events = Vec::new();
/// let mut stream = Stream::new(Provider::OpenAi, Names::default());
/// let chunk = br#"data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}"#;
/// stream.push(chunk, &mut events)?;
/// stream.push(b"\n\n", &mut events)?;
///
/// let mut collector = Collector::default();
/// events.iter().for_each(|event| collector.push(event));
/// let answer = collector.finish();
/// assert_eq!(answer.content.len(), 1);
/// assert_eq!(answer.stop_reason, None, "the stream has not ended");
/// # Ok::<(), aside_providers::StreamError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Collector {
    /// The closed blocks, and the message's values so far.
    answer: Answer,
    /// The block that deltas arrive for; `None` between two blocks.
    open: Option<OpenBlock>,
}

impl Collector {
    /// Adds an event.
    ///
    /// Pass the events in the order in which a `Stream` returns them. A delta without an open block
    /// is ignored, and when a block starts while another is open, this closes the open one. The
    /// usage in a `MessageDelta` replaces the one at the start, because it is for the whole
    /// request.
    pub fn push(&mut self, event: &Event) {
        match event {
            Event::MessageStart(start) => {
                self.answer.id.clone_from(&start.id);
                self.answer.model.clone_from(&start.model);
                self.answer.usage = start.usage.clone();
                self.answer.extra = start.extra.clone();
            }
            Event::BlockStart { block, .. } => {
                close(self.open.take(), &mut self.answer);
                self.open = Some(OpenBlock::new(block.clone()));
            }
            Event::BlockDelta { delta, .. } => {
                if let Some(open) = &mut self.open {
                    open.add(delta);
                }
            }
            Event::BlockStop { .. } => close(self.open.take(), &mut self.answer),
            Event::MessageDelta(end) => {
                self.answer.stop_reason.clone_from(&end.stop_reason);
                self.answer.stop_sequence.clone_from(&end.stop_sequence);
                self.answer.usage = end.usage.clone();
                self.answer.extra.0.extend(end.extra.0.iter().cloned());
                if let Some(edits) = &end.context_management {
                    let member = ("context_management".to_owned(), edits.clone());
                    self.answer.extra.0.push(member);
                }
            }
            Event::MessageStop => {}
        }
    }

    /// Returns the answer so far, with the block that is open.
    ///
    /// If you added no event, the answer is empty: no id, no content and no stop reason. An open
    /// call with an incomplete input becomes a `BrokenCall`.
    #[must_use]
    pub fn finish(mut self) -> Answer {
        close(self.open.take(), &mut self.answer);
        self.answer
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("type", "message")?;
        map.serialize_entry("role", "assistant")?;
        map.serialize_entry("model", &self.model)?;
        map.serialize_entry("content", &self.content)?;
        map.serialize_entry("stop_reason", &self.stop_reason)?;
        map.serialize_entry("stop_sequence", &self.stop_sequence)?;
        for (key, value) in &self.extra.0 {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("usage", &self.usage)?;
        map.end()
    }
}

/// Returns the start of a call, with an empty input.
///
/// ```json
/// {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {}}
/// ```
///
/// Its input follows in pieces, as `input_json_delta`.
pub(crate) fn call(id: String, name: &str) -> ContentBlock {
    let input = RawJson::parse("{}").expect("an empty object is JSON");
    ContentBlock::ToolUse(ToolUse::new(id, name, input))
}

/// Returns a complete block of sealed data.
///
/// `data` begins with the seal of a provider, such as `gemini:`. The block is a
/// `redacted_thinking`, which programs for the Messages API return unchanged:
///
/// ```json
/// {"type": "redacted_thinking", "data": "gemini:CiQ…"}
/// ```
pub(crate) fn sealed(data: String) -> ContentBlock {
    ContentBlock::RedactedThinking(RedactedThinking { data: data.into(), ..Default::default() })
}
