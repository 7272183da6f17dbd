//! Streaming a scripted response as a provider would: a start, the content
//! blocks in deltas, and the stop reason with the usage.

use aside_agent::{ClientError, ClientErrorKind};
use aside_messages::wire::{ContentBlock, RawJson, RedactedThinking, Request, Thinking, ToolUse};
use aside_providers::script::{ScriptedAnswer, ScriptedBlock};
use aside_providers::{Delta, End, Event, ReportedUsage, Start};

/// Returns the events for a response with these blocks.
///
/// A response that breaks off ends with an error instead of closing its last
/// block.
pub(crate) fn events(
    answer: &ScriptedAnswer,
    blocks: &[ScriptedBlock],
    request: &Request,
) -> Vec<Result<Event, ClientError>> {
    let mut events = vec![Event::MessageStart(Start::default())];
    for (index, block) in blocks.iter().enumerate() {
        let (block, deltas) = taken_apart(complete(block, index, request));
        events.push(Event::BlockStart { index, block });
        let deltas = deltas.into_iter();
        events.extend(deltas.map(|delta| Event::BlockDelta { index, delta }));
        events.push(Event::BlockStop { index });
    }
    if answer.breaks_off {
        // Within the last block, if there is one.
        if !blocks.is_empty() {
            events.pop();
        }
        let error = ClientError::new(ClientErrorKind::BrokenStream, "the recording breaks off");
        return events.into_iter().map(Ok).chain([Err(error)]).collect();
    }
    events.push(Event::MessageDelta(End {
        stop_reason: Some(answer.stop_reason()),
        usage: ReportedUsage::from(answer.usage),
        ..End::default()
    }));
    events.push(Event::MessageStop);
    events.into_iter().map(Ok).collect()
}

/// Fills in what the script leaves out of a block.
fn complete(block: &ScriptedBlock, index: usize, request: &Request) -> ContentBlock {
    match block.clone() {
        ScriptedBlock::Block(block) => block,
        ScriptedBlock::Thinking(thinking) => {
            ContentBlock::Thinking(Thinking { thinking: thinking.into(), ..Thinking::default() })
        }
        ScriptedBlock::RedactedThinking => {
            ContentBlock::RedactedThinking(RedactedThinking::default())
        }
        ScriptedBlock::ToolUse { id, name, input, .. } => {
            let first = || request.tools.first().map(|tool| tool.name.clone());
            // A later response needs another id than an earlier one.
            let id = id.unwrap_or_else(|| format!("toolu_{}_{index}", request.messages.len()));
            let name = name.or_else(first).unwrap_or_default();
            ContentBlock::ToolUse(ToolUse::new(id, name, input.unwrap_or_else(empty_object)))
        }
    }
}

fn empty_object() -> RawJson {
    RawJson::parse("{}").expect("an empty object is JSON")
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
            block.input = empty_object();
            (ContentBlock::ToolUse(block), deltas)
        }
        other => (other, Vec::new()),
    }
}
