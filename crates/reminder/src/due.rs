use aside_messages::Trust;
use aside_messages::conversation::{EntryDraft, Origin};
use aside_messages::wire::{ContentBlock, Message, Role, reminder_text};

use crate::moment::Moment;
use crate::reminder::{Reminder, ReminderDelivery};

/// A reminder that is due.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a due reminder is reserved until it is committed or released"]
pub struct Due {
    /// The id of the reminder.
    pub id: String,
    /// The text between the tags.
    pub content: String,
    /// How long it stays in requests.
    pub delivery: ReminderDelivery,
    /// Who wrote its text, including the values of placeholders.
    pub trust: Trust,
    /// When a manager reserved it; `None` once it is committed or released, and
    /// when no manager created it.
    pub(crate) reserved: Option<Moment>,
}

/// Makes a reminder due regardless of its schedule. No manager counts it.
impl From<&Reminder> for Due {
    fn from(reminder: &Reminder) -> Self {
        Self {
            id: reminder.id.clone(),
            content: reminder.content.clone(),
            delivery: reminder.delivery,
            trust: reminder.trust,
            reserved: None,
        }
    }
}

impl Due {
    /// Returns true if the reminder goes into one request only. One without
    /// content is not delivered at all.
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.delivery == ReminderDelivery::Ephemeral && !self.is_blank()
    }

    /// Returns the reminder as an entry with one `<system-reminder>` part;
    /// `None` if it has no content.
    #[must_use]
    pub fn to_entry(&self) -> Option<EntryDraft> {
        let origin = Origin::Reminder { id: self.id.clone() };
        (!self.is_blank()).then(|| EntryDraft::reminder(origin, self.content.as_str()))
    }

    fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }
}

/// Returns the persistent reminders as entries, to append to the conversation.
/// Their text is final: fill templates first.
#[must_use]
pub fn entries(due: &[Due]) -> Vec<EntryDraft> {
    let is_persistent = |due: &&Due| due.delivery == ReminderDelivery::Persistent;
    let persistent = due.iter().filter(is_persistent);
    persistent.filter_map(Due::to_entry).collect()
}

/// Returns the reminders as a user message, to append to the stored messages.
/// Once it is stored, do not remove or change it. Empty if there is nothing to
/// send.
///
/// Use this for models that bind their thinking to the prefix, whatever a
/// reminder's delivery: for them, [`inject`](crate::inject) would change bytes
/// that a later request has to repeat.
#[must_use]
pub fn append(due: &[Due]) -> Vec<Message> {
    match render(due) {
        text if text.is_empty() => Vec::new(),
        text => vec![Message::new(Role::User, vec![ContentBlock::text(text)])],
    }
}

/// Renders the reminders as one text, each in its tags, for programs with other
/// message types, which then decide on the delivery. The text is empty when
/// nothing is due.
#[must_use]
pub fn render(due: &[Due]) -> String {
    let sent = due.iter().filter(|due| !due.is_blank());
    let texts: Vec<_> = sent.map(|due| reminder_text(&due.content)).collect();
    texts.join("\n")
}
