//! How each text that a request adds is sent.
//!
//! | text | model binds thinking | form |
//! | --- | --- | --- |
//! | persistent reminder, attachment | – | an entry that stays |
//! | ephemeral reminder | no | the end of one request |
//! | ephemeral reminder of the harness | yes, with `clear_at` | a turn-scoped system message |
//! | ephemeral reminder | yes | an entry that stays, at most once in 20 requests of a turn |

use std::collections::BTreeSet;

use aside_attachments::Attachment;
use aside_diagnostic::Diagnostic;
use aside_messages::Trust;
use aside_messages::conversation::{
    Conversation, Delivery, Entry, EntryDraft, EntryKind, EphemeralForm, Origin, Part, Voice,
};
use aside_messages::lower::EphemeralReminder;
use aside_messages::wire::Role;
use aside_reminder::{Due, ReminderDelivery};

use crate::kinds;

/// For how many requests in a turn a reminder with the same text is not
/// appended again.
const REPEAT_REQUESTS: usize = 20;

/// The texts that a request adds.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// The entries that stay in the conversation.
    pub(super) pending: Vec<EntryDraft>,
    /// The reminders that are in this request only.
    pub(super) ephemeral: Vec<EphemeralReminder>,
}

impl Added {
    /// Adds an attachment: as a system message if Aside wrote its text and the
    /// session uses system messages, otherwise as a reminder in a user message.
    pub(super) fn attachment(&mut self, attachment: Attachment, form: &Delivery) {
        let trust = attachment.trust();
        let entries = attachment.into_entries().into_iter();
        self.pending.extend(entries.map(|entry| in_voice(entry, trust, form.voice)));
    }

    /// Adds a reminder. An ephemeral one stays in the conversation if the model
    /// binds its thinking to the prefix; `reported` has the reminders that this
    /// was reported for.
    pub(super) fn reminder(
        &mut self,
        due: &Due,
        form: &Delivery,
        conversation: &Conversation,
        reported: &mut BTreeSet<String>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let Some(entry) = due.to_entry() else {
            return;
        };
        match (due.delivery, form.ephemeral, due.trust) {
            (ReminderDelivery::Persistent, _, trust) => {
                self.pending.push(in_voice(entry, trust, form.voice));
            }
            (ReminderDelivery::Ephemeral, EphemeralForm::Tail, _) => {
                self.ephemeral.push(EphemeralReminder {
                    id: due.id.as_str().into(),
                    body: due.content.as_str().into(),
                });
            }
            (ReminderDelivery::Ephemeral, EphemeralForm::TurnScoped, Trust::Harness) => {
                self.pending.push(entry.into_turn_scoped());
            }
            (ReminderDelivery::Ephemeral, _, trust) => {
                if reported.insert(due.id.clone()) {
                    let id = aside_messages::one_line(&due.id);
                    let message = format!(
                        "the reminder {id} stays in the conversation: {} binds its thinking to \
                         what was sent before",
                        form.model
                    );
                    diagnostics.push(kinds::REMINDER_KEPT.diagnostic(message));
                }
                if !was_just_sent(due, conversation) {
                    self.pending.push(in_voice(entry, trust, form.voice));
                }
            }
        }
    }
}

/// Puts a harness text into the session's form. Text from outside never becomes
/// a system message.
fn in_voice(entry: EntryDraft, trust: Trust, voice: Voice) -> EntryDraft {
    match (trust, voice) {
        (Trust::Harness, Voice::System) => entry.into_system(),
        _ => entry,
    }
}

/// Returns true if the reminder's last copy has the same text, belongs to this
/// user turn, and is fewer than [`REPEAT_REQUESTS`] requests old.
fn was_just_sent(due: &Due, conversation: &Conversation) -> bool {
    let mut requests = 0;
    for entry in conversation.entries().iter().rev() {
        if is_copy(entry, due) {
            return entry.parts.iter().any(|part| text(part) == Some(&*due.content));
        }
        match &entry.kind {
            EntryKind::Boundary(_) => return false,
            kind if kind.is_answer() => requests += 1,
            EntryKind::Message { role }
                if *role == Role::User
                    && entry.origin == Origin::Human
                    && entry.parts.iter().any(is_text) =>
            {
                return false;
            }
            _ => {}
        }
        if requests >= REPEAT_REQUESTS {
            return false;
        }
    }
    false
}

/// Returns true for an entry with the same reminder.
fn is_copy(entry: &Entry, due: &Due) -> bool {
    matches!(&entry.origin, Origin::Reminder { id } if *id == due.id)
}

/// Returns true for the user's text; a reminder in a message is not.
fn is_text(part: &Part) -> bool {
    matches!(part, Part::Text(_))
}

fn text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(&text.text),
        Part::Reminder { body } => Some(body),
        _ => None,
    }
}
