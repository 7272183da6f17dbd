//! A history of messages, read as entries. Faults in single messages are diagnostics.

use std::borrow::Cow;

use aside_body::wire::of_messages;
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{EntryDraft, EntryKind, Origin, Part};
use aside_messages::wire::{ClearAt, ContentBlock, Message, ReadError, Role};
use aside_messages::{REMINDER_TAG, neutralize};
use aside_models::Wire;
use aside_providers::{
    Provider, from_gemini, from_openai, from_responses, remove_foreign_thinking,
};
use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::appended::{Piece, Recorded};
use super::{CallerError, CallerHistory};
use crate::kinds;

/// Reads a text's messages. Entries that earlier calls recorded replace their blocks.
pub(super) fn read(
    text: &str,
    model: &Origin,
    recorded: &Recorded,
    report: &mut dyn FnMut(Diagnostic),
) -> Result<CallerHistory, CallerError> {
    let text = in_own_form(text, model, report)?;
    let items = items(&text).map_err(CallerError::in_json)?;
    let entries = messages(&items, model, recorded, report)?;
    Ok(CallerHistory::Messages(entries, items.len()))
}

/// Converts another wire's messages to the Messages API, and reports what is lost. Only the messages
/// show the wire: the keys beside them do not count.
///
/// For a Claude model, other vendors' thinking is removed, since its signature would be refused.
/// Losses in tools, system prompt and parameters are not reported: only the messages are used.
fn in_own_form<'a>(
    text: &'a str,
    model: &Origin,
    report: &mut dyn FnMut(Diagnostic),
) -> Result<Cow<'a, str>, CallerError> {
    let json = text.as_bytes();
    let form = of_messages(json).unwrap_or(Wire::Messages);
    let imported = match form {
        Wire::Messages => return Ok(Cow::Borrowed(text)),
        Wire::ChatCompletions => from_openai(json),
        Wire::Responses => from_responses(json),
        _ => from_gemini(json),
    };
    report(kinds::INPUT_FORM.diagnostic(format!("read as {form}")));
    let mut imported = imported.map_err(CallerError::new)?;
    if form == Wire::ChatCompletions && !imported.request.system.is_empty() {
        // There it is a message, and as one it is read while no message shows the wire.
        let system = std::mem::take(&mut imported.request.system);
        let system = Message::new(Role::System, system);
        imported.request.messages.insert(0, system);
    }
    let provider = match model {
        Origin::Model { provider, .. } => provider.parse::<Provider>().ok(),
        _ => None,
    };
    if provider.is_some_and(|it| it.spec().platform.is_anthropic()) {
        let removed = remove_foreign_thinking(&mut imported.request.messages);
        imported.losses.extend(removed);
    }
    let is_of_message = |path: &str| path.contains('[') && !path.starts_with("tools[");
    for loss in &imported.losses {
        if is_of_message(&loss.path) {
            report(Diagnostic::from(loss));
        }
    }
    let messages = serde_json::to_string(&imported.request.messages);
    messages.map(Cow::Owned).map_err(CallerError::new)
}

/// An object with messages, such as a request's body. Other keys are ignored.
#[derive(Deserialize)]
struct Holder<'a> {
    /// The messages, each with its bytes.
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

/// Returns a list's or an object's messages without reading them. The error has line and column.
fn items(text: &str) -> Result<Vec<&RawValue>, json::JsonError> {
    if text.trim_start().starts_with('[') {
        return json::read(text);
    }
    let holder: Holder<'_> = json::read(text)?;
    Ok(holder.messages)
}

/// Converts API messages to entries. The assistant's get `model` as their origin, all others the
/// user.
///
/// Recorded entries without a form on the wire go after as many messages as they were recorded
/// with. An unknown key in a message is reported and left out.
///
/// # Errors
/// The first message that cannot be read fails, with its path: `messages[3].content[0]: …`.
fn messages(
    items: &[&RawValue],
    model: &Origin,
    recorded: &Recorded,
    report: &mut dyn FnMut(Diagnostic),
) -> Result<Vec<EntryDraft>, CallerError> {
    let mut entries = Vec::new();
    for (index, item) in items.iter().enumerate() {
        entries.extend(recorded.changes_after(index).cloned());
        let parsed = Message::parse(item.get().as_bytes()).map_err(|error| at(index, &error))?;
        for fault in &parsed.diagnostics {
            let mut diagnostic = Diagnostic::from(fault);
            diagnostic.message = format!("messages[{index}]: {}", diagnostic.message);
            report(diagnostic);
        }
        let mut message = parsed.value;
        for (key, _) in &message.extra.0 {
            let message = format!("messages[{index}].{key} is left out");
            report(kinds::INPUT_KEY.diagnostic(message));
        }
        let pieces = recorded.split(&message)?;
        let is_own = !pieces.iter().any(|it| matches!(it, Piece::Recorded(_)));
        if is_own {
            entries.push(entry(index, message, model, report));
            continue;
        }
        for piece in pieces {
            match piece {
                Piece::Recorded(recorded) => entries.push(recorded),
                Piece::Own(blocks) => {
                    message.content = blocks;
                    entries.push(entry(index, message.clone(), model, report));
                }
            }
        }
    }
    entries.extend(recorded.changes_after(items.len()).cloned());
    Ok(entries)
}

/// Returns a message as an entry, and reports each of the caller's text blocks that has a reminder
/// tag. A system message with `clear_at` becomes a turn-scoped one.
fn entry(
    index: usize,
    message: Message,
    model: &Origin,
    report: &mut dyn FnMut(Diagnostic),
) -> EntryDraft {
    let is_answer = message.role == Role::Assistant;
    let reminders = message.content.iter().enumerate();
    for (block, _) in reminders.filter(|(_, block)| !is_answer && pretends(block)) {
        let message =
            format!("messages[{index}].content[{block}]: a <{REMINDER_TAG}> in it is sent as text");
        report(kinds::INPUT_TAG.diagnostic(message));
    }
    let origin = if is_answer { model.clone() } else { Origin::Human };
    let is_turn_scoped = message.clear_at == Some(ClearAt::NextUserMessage);
    let parts = message.content.into_iter().map(Part::from).collect();
    let entry = EntryDraft::message(message.role, origin, parts);
    match entry.kind {
        EntryKind::Message { role: Role::System } if is_turn_scoped => entry.into_turn_scoped(),
        _ => entry,
    }
}

/// Returns true if the text has a reminder tag. Tool results often quote one, so these are not
/// reported.
fn pretends(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(it) if *neutralize(&it.text, &[REMINDER_TAG]) != *it.text)
}

/// Returns the error with its position in the whole file.
///
/// `content[0]: …` becomes `messages[3].content[0]: …`.
fn at(index: usize, error: &ReadError) -> CallerError {
    let path = match error.path() {
        "" => format!("messages[{index}]"),
        path => format!("messages[{index}].{path}"),
    };
    CallerError::new(format_args!("{path}: {}", error.detail()))
}
