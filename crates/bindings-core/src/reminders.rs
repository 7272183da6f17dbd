//! `inject` and `neutralize`: reminders that cannot be forged.

use aside_json::Kind;
use aside_messages::wire::{Message, append_reminder};

use crate::compare::NoOptions;
use crate::error::BindingError;
use crate::input;
use crate::output::{self, Output, inputs, options};

/// Appends a reminder to the last user message. All other messages keep their bytes, so that the
/// cached prefix stays valid.
pub(crate) fn inject(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [messages, reminder] = inputs(given)?;
    options::<NoOptions>(json)?;
    let reminder = input::text(reminder)?;
    let tape = input::whole_tape(messages)?;
    if tape.root().kind() != Kind::Array {
        return Err(BindingError::shape("expected a list of messages"));
    }
    let is_user =
        |message: &aside_json::Value<'_>| message.text_of("role").as_deref() == Some("user");
    let last = tape.root().items().filter(is_user).last();
    let last = last.ok_or_else(|| BindingError::shape("no message of the user"))?;
    let mut message: Message = serde_json::from_str(last.raw())
        .map_err(|error| BindingError { path: last.path(), ..BindingError::shape(error) })?;
    append_reminder(&mut message, reminder);
    let changed = output::json(&message)?;
    let range = last.range();
    let body = [&messages[..range.start], &changed, &messages[range.end..]].concat();
    Ok(Output::default().with_body(body))
}

/// Changes outside text so that it opens and closes no reminder.
pub(crate) fn neutralize(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [text] = inputs(given)?;
    options::<NoOptions>(json)?;
    let text = aside_text::neutralize(input::text(text)?, &[aside_text::REMINDER_TAG]);
    Ok(Output::default().with_body(text.as_bytes().to_vec()))
}
