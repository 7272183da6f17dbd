//! The events of a recorded response, as a provider would stream them: a start,
//! the content blocks in deltas, and the stop reason with the usage.

use aside_messages::wire::{ContentBlock, RawJson};
use aside_providers::{Delta, End, Event, Start};

use super::cassette::Recorded;
use crate::client_error::{ClientError, ClientErrorKind};

/// Returns the events of a recorded response.
///
/// A response that breaks off ends with an error instead of the end of its last
/// block.
pub(super) fn events(recorded: &Recorded) -> Vec<Result<Event, ClientError>> {
    let mut events = vec![Event::MessageStart(Start::default())];
    for (index, block) in recorded.content.iter().enumerate() {
        let (block, deltas) = taken_apart(block.clone());
        events.push(Event::BlockStart { index, block });
        events.extend(
            deltas
                .into_iter()
                .map(|delta| Event::BlockDelta { index, delta }),
        );
        events.push(Event::BlockStop { index });
    }
    if recorded.breaks_off {
        // Within the last block, if there is one.
        if !recorded.content.is_empty() {
            events.pop();
        }
        let error = ClientError::new(ClientErrorKind::BrokenStream, "the recording breaks off");
        return events.into_iter().map(Ok).chain([Err(error)]).collect();
    }
    events.push(Event::MessageDelta(End {
        stop_reason: Some(recorded.stop_reason.clone()),
        usage: recorded.usage.clone(),
        ..End::default()
    }));
    events.push(Event::MessageStop);
    events.into_iter().map(Ok).collect()
}

/// Splits a block into its start and its deltas.
fn taken_apart(block: ContentBlock) -> (ContentBlock, Vec<Delta>) {
    match block {
        ContentBlock::Text(mut block) => {
            // One delta per word.
            let words = block.text.split_inclusive(' ').map(str::to_owned);
            let deltas = words.map(Delta::Text).collect();
            block.text = "".into();
            (ContentBlock::Text(block), deltas)
        }
        ContentBlock::Thinking(mut block) => {
            let deltas = vec![
                Delta::Thinking(block.thinking.to_string()),
                Delta::Signature(block.signature.to_string()),
            ];
            block.thinking = "".into();
            block.signature = "".into();
            (ContentBlock::Thinking(block), deltas)
        }
        ContentBlock::ToolUse(mut block) => {
            let deltas = vec![Delta::InputJson(block.input.get().to_owned())];
            block.input = RawJson::parse("{}").expect("an empty object is JSON");
            (ContentBlock::ToolUse(block), deltas)
        }
        other => (other, Vec::new()),
    }
}
