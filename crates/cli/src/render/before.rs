//! The conversation before the request, from the file of `--conversation` or
//! `--messages`.
//!
//! | file | read as |
//! |---|---|
//! | `--conversation` | JSON Lines of entries, which keep their ids, origins and types |
//! | `--messages` | messages of the Messages API, each an entry of the user or the model |
//! | `--messages` of another wire | the same, after a conversion whose losses are reported |
//!
//! A text is an ordinary text, whatever it contains: a reminder tag in `--messages` is
//! reported, because the file does not show who wrote it. Faults in single messages are
//! diagnostics; a file that is not JSON is an error with its line.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, anyhow};
use aside_body::wire::of_shape;
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{Conversation, Entry, EntryDraft, EntryKind, Origin, Part};
use aside_messages::wire::{ClearAt, ContentBlock, Message, ReadError, Role};
use aside_messages::{REMINDER_TAG, neutralize};
use aside_models::Wire;
use aside_providers::{Provider, import, remove_foreign_thinking};
use aside_session::Session;
use aside_user_files::json;
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::appended::{Piece, Recorded};
use super::kept_conversation::Lines;
use crate::arguments::NextRequest;
use crate::input;
use crate::kinds;
use crate::output;

/// The conversation so far.
pub(super) enum PriorConversation {
    /// Entries of `--conversation`, which have their ids.
    Conversation(Conversation),
    /// Messages of `--messages`; empty without either argument.
    Messages(CallerMessages),
}

/// The messages of a caller, as entries.
#[derive(Debug, Default)]
pub(super) struct CallerMessages {
    /// The entries, with those that earlier calls recorded at their positions.
    pub(super) entries: Vec<EntryDraft>,
    /// The number of messages in the file, which is not that of the entries.
    pub(super) messages: usize,
}

impl CallerMessages {
    /// Returns the number of responses of the model, which is that of the requests so
    /// far.
    pub(super) fn answers(&self) -> u64 {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.kind.is_answer()).count() as u64
    }
}

/// Reads the file that the arguments name. `provider` is part of the origin of the
/// model's messages, by which thinking of another provider is recognized.
pub(super) fn read(
    arguments: &NextRequest,
    provider: Provider,
) -> anyhow::Result<PriorConversation> {
    if let Some(file) = &arguments.conversation {
        return conversation(file).map(PriorConversation::Conversation);
    }
    messages_of(arguments, provider, &Recorded::default()).map(PriorConversation::Messages)
}

/// Reads the messages that the arguments name. Entries that earlier calls
/// recorded take the place of their blocks.
///
/// Without `--messages` there are none.
pub(super) fn messages_of(
    arguments: &NextRequest,
    provider: Provider,
    recorded: &Recorded,
) -> anyhow::Result<CallerMessages> {
    let Some(file) = &arguments.messages else {
        return Ok(CallerMessages::default());
    };
    let text = in_own_form(
        file,
        input::text(file, input::MAX_CONVERSATION_BYTES)?,
        provider,
    )?;
    let failed = |error| anyhow!("failed to read {}:{error}", file.display());
    let items = items(&text).map_err(failed)?;
    let model = Origin::Model {
        provider: provider.to_string(),
        name: arguments.request.model.clone(),
    };
    let entries = messages(&items, &model, recorded, &mut |diagnostic| {
        output::report(&diagnostic.at(file));
    });
    let failed = || format!("failed to read {}", file.display());
    Ok(CallerMessages {
        entries: entries.with_context(failed)?,
        messages: items.len(),
    })
}

/// Converts messages of another wire to the Messages API, and reports
/// conversion losses.
///
/// Returns the text of a body of the Messages API as it is. For a Claude model, thinking
/// of other vendors is removed, since its signature would be refused. Losses in tools,
/// the system prompt and parameters are not reported: only the messages are used.
fn in_own_form(file: &Path, text: String, provider: Provider) -> anyhow::Result<String> {
    let form = of_shape(text.as_bytes()).filter(|form| *form != Wire::Messages);
    let Some(form) = form else {
        return Ok(text);
    };
    let note = kinds::INPUT_FORM.diagnostic(format!("read as {form}"));
    output::report(&note.at(file));
    let failed = || format!("failed to read {}", file.display());
    let mut imported = import(text.as_bytes()).with_context(failed)?;
    if provider.spec().platform.is_anthropic() {
        let removed = remove_foreign_thinking(&mut imported.request.messages);
        imported.losses.extend(removed);
    }
    // Only the messages of a body are used.
    let is_of_message = |path: &str| path.contains('[') && !path.starts_with("tools[");
    for loss in &imported.losses {
        if is_of_message(&loss.path) {
            output::report(&Diagnostic::from(loss).at(file));
        }
    }
    Ok(serde_json::to_string(&imported.request.messages)?)
}

/// Reads the file of `--conversation`; faults are reported with their line. The error for
/// a transcript of `aside run` suggests `--resume` with its id.
fn conversation(file: &Path) -> anyhow::Result<Conversation> {
    let text = input::text(file, input::MAX_CONVERSATION_BYTES)?;
    let failed = || format!("failed to read {}", file.display());
    let text = Lines::read(&text).with_context(failed)?.entries;
    let parsed = Conversation::from_json_lines(Uuid::nil(), &text)
        .map_err(|error| match is_transcript(&text) {
            true => anyhow!("the transcript of a session: take --resume {}", id(file)),
            false => error.into(),
        })
        .with_context(failed)?;
    for fault in &parsed.diagnostics {
        output::report(&Diagnostic::from(fault).at(file));
    }
    Ok(parsed.value)
}

/// Returns true if the first line is that of a transcript.
///
/// It has a `type`, which an entry of a conversation does not have.
fn is_transcript(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Line<'a> {
        /// `context` in the first line of a transcript.
        r#type: &'a str,
    }
    let first = text.trim_start().lines().next().unwrap_or_default();
    json::read::<Line<'_>>(first).is_ok_and(|line| line.r#type == "context")
}

/// Returns the id of a session, by which its transcript is named; `ID` for any other name
/// of a file.
fn id(transcript: &Path) -> String {
    let stem = transcript.file_stem().and_then(OsStr::to_str);
    let id = stem.and_then(|stem| Uuid::try_parse(stem).ok());
    id.map_or_else(|| "ID".to_owned(), |id| id.to_string())
}

impl PriorConversation {
    /// Returns the number of responses of the model.
    pub(super) fn answers(&self) -> u64 {
        match self {
            Self::Messages(messages) => messages.answers(),
            Self::Conversation(conversation) => answers(conversation),
        }
    }

    /// Returns the conversation, with the context entries of this session, whose id is
    /// `id`.
    ///
    /// Entries of a file that has such entries after its last boundary stay as they are.
    pub(super) fn begin(self, session: &Session, id: Uuid) -> anyhow::Result<Conversation> {
        match self {
            Self::Messages(messages) => {
                let mut conversation = session.begin(id);
                for entry in messages.entries {
                    conversation.push(entry);
                }
                Ok(conversation)
            }
            Self::Conversation(conversation) => complete(conversation, session),
        }
    }
}

/// Returns the number of responses in a conversation.
pub(super) fn answers(conversation: &Conversation) -> u64 {
    let entries = conversation.entries().iter();
    entries.filter(|entry| entry.kind.is_answer()).count() as u64
}

/// Inserts the context entries of the session at the start, or after the last boundary,
/// if there are none.
///
/// # Errors
/// Fails if two entries have the same id.
pub(super) fn complete(
    conversation: Conversation,
    session: &Session,
) -> anyhow::Result<Conversation> {
    let entries = conversation.entries();
    let is_boundary = |entry: &Entry| matches!(entry.kind, EntryKind::Boundary(_));
    let is_context = |entry: &Entry| matches!(entry.origin, Origin::Context { .. });
    let start = entries.iter().rposition(is_boundary).map_or(0, |at| at + 1);
    if entries[start..].iter().any(is_context) {
        return Ok(conversation);
    }
    // The entries of the file have the ids that the other one gives.
    let first = session.begin(Uuid::max());
    let (before, behind) = entries.split_at(start);
    let all = before.iter().chain(first.entries()).chain(behind).cloned();
    Conversation::from_entries(conversation.id(), all.collect())
        .map_err(|id| anyhow!("two entries have the id {id}"))
}

/// An object with messages, such as the body of a request. Other keys are ignored.
#[derive(Deserialize)]
struct Holder<'a> {
    /// The messages, each with its bytes.
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

/// Returns the messages of a list, or of an object, without reading them. The error has
/// the line and column.
fn items(text: &str) -> Result<Vec<&RawValue>, json::JsonError> {
    if text.trim_start().starts_with('[') {
        return json::read(text);
    }
    let holder: Holder<'_> = json::read(text)?;
    Ok(holder.messages)
}

/// Converts messages of the API to entries. Those of the assistant get `model` as their
/// origin, all others the user.
///
/// Recorded entries without a form on the wire are inserted after the number of messages
/// that they were recorded with. A key of a message that is not known is reported and
/// left out.
///
/// # Errors
/// The first message that cannot be read fails, with its path: `messages[3].content[0]:
/// …`.
fn messages(
    items: &[&RawValue],
    model: &Origin,
    recorded: &Recorded,
    report: &mut dyn FnMut(Diagnostic),
) -> anyhow::Result<Vec<EntryDraft>> {
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

/// Returns a message as an entry, and reports each text block of the caller that contains
/// a reminder tag. A system message with `clear_at` becomes a turn-scoped one.
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
    let origin = match is_answer {
        true => model.clone(),
        false => Origin::Human,
    };
    let is_turn_scoped = message.clear_at == Some(ClearAt::NextUserMessage);
    let parts = message.content.into_iter().map(Part::from).collect();
    let entry = EntryDraft::message(message.role, origin, parts);
    match entry.kind {
        EntryKind::Message { role: Role::System } if is_turn_scoped => entry.into_turn_scoped(),
        _ => entry,
    }
}

/// Returns true if the text has a reminder tag. Tool results often quote one,
/// so these are not reported.
fn pretends(block: &ContentBlock) -> bool {
    let ContentBlock::Text(text) = block else {
        return false;
    };
    *neutralize(&text.text, &[REMINDER_TAG]) != *text.text
}

/// Returns the error with its position in the whole file.
///
/// `failed to read FILE: content[0]…` becomes `messages[3].content[0]: …`.
fn at(index: usize, error: &ReadError) -> anyhow::Error {
    let path = match error.path() {
        "" => format!("messages[{index}]"),
        path => format!("messages[{index}].{path}"),
    };
    anyhow!("{path}: {}", error.detail())
}
