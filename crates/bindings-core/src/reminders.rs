//! `inject` and `neutralize`: reminders that cannot be forged.

use aside_body::wire::of_shape;
use aside_json::{Kind, Span, Tape, Value};
use aside_messages::wire::{ContentBlock, Message, append_reminder, reminder_text};
use aside_models::Wire;

use crate::compare::NoOptions;
use crate::error::{BindingError, BindingErrorKind};
use crate::input;
use crate::output::{self, Output, inputs, options};

/// Appends a reminder to the last user message, or, on OpenAI's wires, as a message of its own: a
/// tool's result is no user message there, and the last one may be far above. All other messages
/// keep their bytes, so that the cached prefix stays valid.
pub(crate) fn inject(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [messages, reminder] = inputs(given)?;
    options::<NoOptions>(json)?;
    let reminder = input::text(reminder)?;
    let tape = input::whole_tape(messages)?;
    if tape.root().kind() != Kind::Array {
        return Err(BindingError::shape("expected a list of messages"));
    }
    let (range, changed) = match of_shape(messages) {
        // An empty reminder is not sent.
        _ if reminder.trim().is_empty() => (0..0, Vec::new()),
        Some(Wire::ChatCompletions | Wire::Responses) => {
            let end = tape.root().range().end - 1;
            let message = serde_json::json!({"role": "user", "content": reminder_text(reminder)});
            (end..end, [b",", &*output::json(&message)?].concat())
        }
        Some(wire @ Wire::GenerateContent) => {
            let message = format!("read as {wire}: it has no messages for a reminder");
            return Err(BindingError::new(BindingErrorKind::Refused, message));
        }
        _ => in_last_message(&tape, reminder)?,
    };
    let body = [&messages[..range.start], &changed, &messages[range.end..]].concat();
    Ok(Output::default().with_body(body))
}

/// Returns the value to replace, and its bytes.
fn in_last_message(tape: &Tape<'_>, reminder: &str) -> Result<(Span, Vec<u8>), BindingError> {
    let is_user = |message: &Value<'_>| message.text_of("role").as_deref() == Some("user");
    let last = tape.root().items().filter(is_user).last();
    let last = last.ok_or_else(|| BindingError::shape("no message of the user"))?;
    let mut message: Message = serde_json::from_str(last.raw())
        .map_err(|error| BindingError { path: last.path(), ..BindingError::shape(error) })?;
    append_reminder(&mut message, reminder);
    // A string stays one: it may be for any wire, and the types of their blocks differ.
    let text = last.get("content").filter(|content| content.kind() == Kind::String);
    match (text, message.content.as_slice()) {
        (Some(text), [ContentBlock::Text(block)]) => Ok((text.range(), output::json(&block.text)?)),
        _ => Ok((last.range(), output::json(&message)?)),
    }
}

/// Changes outside text so that it opens and closes no reminder.
pub(crate) fn neutralize(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [text] = inputs(given)?;
    options::<NoOptions>(json)?;
    let text = aside_text::neutralize(input::text(text)?, &[aside_text::REMINDER_TAG]);
    Ok(Output::default().with_body(text.as_bytes().to_vec()))
}
