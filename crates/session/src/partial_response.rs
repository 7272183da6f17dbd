//! A response while it arrives. If it breaks off, text is kept; calls and
//! thinking are kept only if complete.

use aside_messages::conversation::{Part, ToolCall, ToolInput};
use aside_messages::wire::{ContentBlock, Extra, Other, RawJson, pending_calls};
use aside_providers::{BrokenCall, Collector, Delta, Event, ReportedUsage, StopReason};

/// How large a response may be, in bytes: more than any model sends.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

/// What has arrived of a response. At any time it can return what to keep in
/// the conversation.
#[derive(Debug, Default)]
pub struct PartialResponse {
    collector: Collector,
    /// Events in a block that is useful only if complete: a call, or thinking.
    held_back: Vec<Event>,
    /// How large the events so far are, by estimate.
    bytes: usize,
    /// True after the last event.
    is_whole: bool,
}

/// A response in the conversation's form.
#[derive(Debug, Default)]
pub struct Received {
    /// The blocks as parts of an entry; empty if none is worth keeping.
    pub parts: Vec<Part>,
    /// `None` if the response broke off.
    pub stop_reason: Option<StopReason>,
    /// The tokens that the provider counted so far.
    pub usage: ReportedUsage,
    /// How the API edited the context.
    pub context_management: Option<RawJson>,
}

/// A response longer than 32 MiB, which is more than any model sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is longer than {MAX_RESPONSE_BYTES} bytes")]
pub struct ResponseTooLong;

impl PartialResponse {
    /// Adds an event.
    ///
    /// # Errors
    ///
    /// The response is longer than 32 MiB.
    pub fn push(&mut self, event: Event) -> Result<(), ResponseTooLong> {
        self.bytes = self.bytes.saturating_add(size(&event));
        if self.bytes > MAX_RESPONSE_BYTES {
            return Err(ResponseTooLong);
        }
        match &event {
            Event::BlockStart { block, .. } if !matches!(block, ContentBlock::Text(_)) => {
                self.held_back = vec![event];
            }
            Event::BlockDelta { .. } if !self.held_back.is_empty() => self.held_back.push(event),
            Event::BlockStop { .. } => {
                let held_back = std::mem::take(&mut self.held_back);
                held_back.iter().for_each(|event| self.collector.push(event));
                self.collector.push(&event);
            }
            Event::MessageStop => self.is_whole = true,
            _ => self.collector.push(&event),
        }
        Ok(())
    }

    /// Returns true if the response is complete.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the complete response. A call whose input ended without being a
    /// JSON object keeps that input as text; in a truncated response it is left
    /// out.
    #[must_use]
    pub fn into_answer(self) -> Received {
        let answer = self.collector.finish();
        let context_management = context_management(&answer.extra);
        let mut parts: Vec<Part> = answer.content.into_iter().map(Part::from).collect();
        match answer.stop_reason {
            Some(StopReason::MaxTokens | StopReason::Refusal) => {
                parts = without_open_server_calls(parts);
            }
            Some(StopReason::PauseTurn) => {}
            _ => parts.extend(answer.broken_calls.into_iter().map(broken)),
        }
        Received {
            parts: worth_keeping(parts),
            stop_reason: answer.stop_reason,
            usage: answer.usage,
            context_management,
        }
    }

    /// Returns what to keep of an incomplete response: the text so far, and
    /// every other complete block.
    #[must_use]
    pub fn into_partial(self) -> Received {
        let answer = self.collector.finish();
        let parts = answer.content.into_iter().map(Part::from).collect();
        Received {
            parts: worth_keeping(without_open_server_calls(parts)),
            usage: answer.usage,
            ..Received::default()
        }
    }
}

/// Returns what the API says about its context edits.
fn context_management(extra: &Extra) -> Option<RawJson> {
    let mut members = extra.0.iter();
    let found = members.find(|(key, _)| key == "context_management");
    found.map(|(_, edits)| edits.clone())
}

/// Leaves out server tool calls without a result: after them the API accepts
/// only the rest of the response.
fn without_open_server_calls(mut parts: Vec<Part>) -> Vec<Part> {
    let pending = pending_calls(parts.iter().map(Part::as_other));
    let is_pending = |part: &Part| {
        let call = part.as_other().and_then(Other::server_call);
        call.is_some_and(|id| pending.contains(&id))
    };
    parts.retain(|part| !is_pending(part));
    parts
}

/// Returns no parts if they are only thinking and white space, which the API
/// does not accept as a response.
fn worth_keeping(parts: Vec<Part>) -> Vec<Part> {
    let has_content = |part: &Part| match part {
        Part::Text(text) => !text.text.trim().is_empty(),
        Part::Thinking(_) | Part::RedactedThinking(_) => false,
        _ => true,
    };
    if parts.iter().any(has_content) { parts } else { Vec::new() }
}

/// Converts a call whose input is not JSON. Its result reports the fault.
fn broken(call: BrokenCall) -> Part {
    Part::ToolUse(ToolCall {
        id: call.id,
        name: call.name,
        input: ToolInput(call.input.into()),
        extra: Extra::default(),
        cache_control: None,
    })
}

/// Estimates how many bytes an event adds.
fn size(event: &Event) -> usize {
    const SELF: usize = size_of::<Event>();
    SELF + match event {
        Event::BlockDelta { delta, .. } => match delta {
            Delta::Text(text)
            | Delta::Thinking(text)
            | Delta::Signature(text)
            | Delta::InputJson(text) => text.len(),
            Delta::Other(raw) => raw.get().len(),
        },
        Event::BlockStart { block, .. } => match block {
            ContentBlock::Text(block) => block.text.len(),
            ContentBlock::Thinking(block) => block.thinking.len() + block.signature.len(),
            ContentBlock::RedactedThinking(block) => block.data.len(),
            ContentBlock::ToolUse(block) => block.input.get().len(),
            ContentBlock::Other(block) => block.raw().get().len(),
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use aside_messages::wire::{RawJson, ToolUse};
    use aside_providers::{End, Start};

    use super::*;

    fn call(input: &[&str]) -> Vec<Event> {
        let block = ContentBlock::ToolUse(ToolUse {
            id: "c".into(),
            name: "T".into(),
            input: RawJson::parse("{}").unwrap(),
            extra: Extra::default(),
            cache_control: None,
        });
        block_of(block, input.iter().map(|it| Delta::InputJson((*it).into())))
    }

    fn text(pieces: &[&str]) -> Vec<Event> {
        let deltas = pieces.iter().map(|it| Delta::Text((*it).into()));
        block_of(ContentBlock::text(""), deltas)
    }

    fn block_of(block: ContentBlock, deltas: impl Iterator<Item = Delta>) -> Vec<Event> {
        let mut events = vec![Event::BlockStart { index: 0, block }];
        events.extend(deltas.map(|delta| Event::BlockDelta { index: 0, delta }));
        events.push(Event::BlockStop { index: 0 });
        events
    }

    fn received(events: &[Event]) -> PartialResponse {
        let mut received = PartialResponse::default();
        for event in events {
            received.push(event.clone()).unwrap();
        }
        received
    }

    fn shown(parts: &[Part]) -> String {
        let show = |part: &Part| match part {
            Part::Text(text) => text.text.to_string(),
            Part::ToolUse(call) => format!("{}({})", call.name, call.input.0),
            other => format!("{other:?}"),
        };
        parts.iter().map(show).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_broken_response_has_no_incomplete_call() {
        let mut events = vec![Event::MessageStart(Start::default())];
        events.extend(text(&["Let me ", "look."]));
        events.extend(call(&["{\"a\"", ":1}"]));
        let expected = [
            "",
            "",
            "",
            "Let me ",
            "Let me look.",
            "Let me look.",
            "Let me look.",
            "Let me look.",
            "Let me look.",
            "Let me look.|T({\"a\":1})",
        ];
        for (length, expected) in expected.iter().enumerate() {
            let taken = received(&events[..length]).into_partial();
            assert_eq!(shown(&taken.parts), *expected, "{length} events");
        }
    }

    #[test]
    fn a_call_without_an_input_yet_is_no_call() {
        let mut events = call(&[]);
        events.pop();
        assert_eq!(received(&events).into_partial().parts, []);
    }

    #[test]
    fn an_invalid_input_is_a_call_only_if_it_ended() {
        for (reason, expected) in [(StopReason::ToolUse, "T({\"a\":)"), (StopReason::MaxTokens, "")]
        {
            let mut events = call(&["{\"a\":"]);
            events.push(Event::MessageDelta(End { stop_reason: Some(reason), ..End::default() }));
            events.push(Event::MessageStop);
            let received = received(&events);
            assert!(received.is_whole());
            assert_eq!(shown(&received.into_answer().parts), expected);
        }
    }

    #[test]
    fn the_size_of_a_response_is_limited() {
        let mut received = PartialResponse::default();
        let delta = Delta::Text("x".repeat(1024 * 1024));
        let event = Event::BlockDelta { index: 0, delta };
        let pushed = (0..100).take_while(|_| received.push(event.clone()).is_ok());
        assert_eq!(pushed.count(), 31);
    }
}
