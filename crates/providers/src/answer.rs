//! Whole responses in the Anthropic form.
//!
//! To turn a streamed response into an `Answer`, push its events to a `Collector`. Other wires'
//! whole responses are read as a stream with one event, so both ways give the same answer for the
//! same content. This file also has the constructors for the blocks that the other wires' readers
//! begin with.

mod open_block;

use serde::Deserialize;

use aside_messages::wire::{ContentBlock, RawJson, RedactedThinking, ToolUse};

use crate::event::Event;
use crate::message::Answer;
use crate::read::set;

use self::open_block::{OpenBlock, close};

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
                if let Some(model) = fallback(block) {
                    self.answer.model = model;
                }
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
                let named = [
                    ("context_management", &end.context_management),
                    ("input_transformations", &end.input_transformations),
                ];
                let named = named.iter().filter_map(|(key, it)| Some((*key, it.as_ref()?)));
                let others = end.extra.0.iter().map(|(key, value)| (key.as_str(), value));
                for (key, value) in others.chain(named).filter(|(_, it)| it.get() != "null") {
                    set(&mut self.answer.extra.0, key, value.clone());
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

/// Returns the model that goes on with a response, if the block says so.
///
/// ```json
/// {"type": "fallback", "from": {"model": "claude-fable-5-1"}, "to": {"model": "claude-opus-5-5"}}
/// ```
fn fallback(block: &ContentBlock) -> Option<String> {
    #[derive(Deserialize)]
    struct Fallback {
        to: Model,
    }
    #[derive(Deserialize)]
    struct Model {
        model: String,
    }
    let ContentBlock::Other(block) = block else {
        return None;
    };
    let read = || serde_json::from_str::<Fallback>(block.raw().get()).ok();
    (block.kind() == "fallback").then(read)?.map(|it| it.to.model)
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
