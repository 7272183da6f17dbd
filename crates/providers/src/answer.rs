//! Whole responses in the Anthropic form.
//!
//! A streamed response becomes an `Answer` through a `Collector`, which accepts the
//! events in the form in which a caller would pass them on. A whole response of another
//! wire is read as a stream of one event, so both ways give the same answer for the same
//! content. The file also has the constructors of the blocks with which the readers of
//! the other wires begin.

mod open_block;

use std::sync::Arc;

use aside_messages::wire::{
    CacheControl, ContentBlock, Extra, RawJson, RedactedThinking, Thinking, ToolUse,
};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::event::Event;
use crate::stop_reason::StopReason;
use crate::usage::ReportedUsage;

use self::open_block::{OpenBlock, close};

/// A complete response in the Anthropic form. Serialized with serde, it is the
/// body of a response of the Messages API.
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
/// The keys of `extra` are written before `usage`, in their order. `broken_calls` is not
/// written, since the form has no place for a call without a valid input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The id that the provider gave to the response.
    pub id: String,
    /// The model that responded, by the provider's name.
    pub model: String,
    /// The content blocks. Empty ones are left out.
    pub content: Vec<ContentBlock>,
    /// The stop reason; `None` if the response broke off.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that ended it, if one did and the provider returns it.
    pub stop_sequence: Option<String>,
    /// The token usage.
    pub usage: ReportedUsage,
    /// The other keys of the message.
    pub extra: Extra,
    /// Calls that are not in `content` because their input is not a JSON object:
    /// the stream broke off, or the model wrote invalid JSON.
    pub broken_calls: Vec<BrokenCall>,
}

/// A call whose input is not a JSON object.
///
/// The Messages API would refuse it in the history, so it cannot be a content block. A
/// caller can report it, or start the request again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenCall {
    /// The id of the call.
    pub id: Arc<str>,
    /// The tool.
    pub name: Arc<str>,
    /// The received part of the input, such as `{"command":"ls`; never empty.
    pub input: String,
}

/// Collects events into an [`Answer`]. At any time it can return the part
/// received so far.
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
    /// The blocks that are closed, and the values of the message so far.
    answer: Answer,
    /// The block whose deltas arrive; `None` between two blocks.
    open: Option<OpenBlock>,
}

impl Collector {
    /// Adds an event.
    ///
    /// The events must be in the order in which a `Stream` returns them. A delta without
    /// an open block is ignored, and a block that starts while another is open closes
    /// that one. The usage of a `MessageDelta` replaces the usage of the start, since it
    /// is that of the whole request.
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
    /// Without any event the answer is empty: no id, no content and no stop reason. An
    /// open call whose input is incomplete becomes a `BrokenCall`.
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

/// The responses of the other wires never have cache markers.
const NO_MARKER: Option<CacheControl> = None;

/// Returns the start of a call, with an empty input.
///
/// ```json
/// {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {}}
/// ```
///
/// The pieces of the input follow as `input_json_delta`.
pub(crate) fn call(id: String, name: &str) -> ContentBlock {
    ContentBlock::ToolUse(ToolUse {
        id: id.into(),
        name: name.into(),
        input: RawJson::parse("{}").expect("an empty object is JSON"),
        extra: Extra::default(),
        cache_control: NO_MARKER,
    })
}

/// Returns the start of a thinking block.
///
/// Its text and signature are empty; both arrive in deltas.
pub(crate) fn thinking() -> ContentBlock {
    ContentBlock::Thinking(Thinking {
        thinking: "".into(),
        signature: "".into(),
        extra: Extra::default(),
    })
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
    ContentBlock::RedactedThinking(RedactedThinking {
        data: data.into(),
        extra: Extra::default(),
    })
}
