//! Whole responses, on every wire.

use aside_messages::wire::{ContentBlock, RawJson};

use crate::answer::Collector;
use crate::anthropic;
use crate::fault_line::fault_line;
use crate::message::Answer;
use crate::names::Names;
use crate::provider_spec::WireDialect;
use crate::stream::reader;
use crate::stream_error::StreamError;

/// Reads a whole response into the Anthropic form. Pass the request's `names`
/// ([`Outgoing::names`](crate::Outgoing::names)).
///
/// # Errors
/// When the body is a provider error, or does not fit the wire.
///
/// When the token limit cut the response, this is not an error; you see it in the stop reason.
pub fn answer(wire: WireDialect, body: &[u8], names: &Names) -> Result<Answer, StreamError> {
    if let WireDialect::Messages(_) = wire {
        return anthropic::answer(body).map(|answer| restored(answer, names));
    }
    let json = std::str::from_utf8(body)
        .map_err(|error| StreamError::malformed(format!("expected UTF-8: {error}")))?;
    let mut reader = reader(wire, names.clone());
    let mut events = Vec::new();
    let read = reader.response(json, &mut events);
    let read = read.and_then(|()| reader.finish(&mut events));
    // A JSON error has the line in the body.
    read.map_err(|error| match fault_line(body) {
        Some(line) => error.at(line + 1),
        None => error,
    })?;
    let mut collector = Collector::default();
    for event in &events {
        collector.push(event);
    }
    Ok(collector.finish())
}

/// Restores the keys in call inputs.
fn restored(mut answer: Answer, names: &Names) -> Answer {
    for block in &mut answer.content {
        if let ContentBlock::ToolUse(call) = block
            && let Some(input) = names.keys().original(&call.name, call.input.get())
            && let Ok(input) = RawJson::parse(&input)
        {
            call.input = input;
        }
    }
    answer
}
