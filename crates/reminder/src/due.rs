use aside_messages::conversation::{EntryDraft, Origin};
use aside_messages::wire::reminder_text;

use crate::manager::Moment;
use crate::reminder::{Delivery, Reminder};

/// A reminder that fires now.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "what is due is reserved until it is committed or released"]
pub struct Due {
    /// The reminder.
    pub id: String,
    /// What the model reads, between the tags.
    pub content: String,
    /// For how long it is before the model's eyes.
    pub delivery: Delivery,
    /// When a manager reserved it. One that is settled, or was made by hand,
    /// counts no more.
    pub(crate) reserved: Option<Moment>,
}

/// A reminder to be told now, whatever its schedule says; no manager counts
/// it.
impl From<&Reminder> for Due {
    fn from(reminder: &Reminder) -> Self {
        Self {
            id: reminder.id.clone(),
            content: reminder.content.clone(),
            delivery: reminder.delivery,
            reserved: None,
        }
    }
}

impl Due {
    /// Whether it belongs in one request and nowhere else. What has no content
    /// belongs nowhere.
    #[must_use]
    pub fn is_told_once(&self) -> bool {
        self.delivery == Delivery::Ephemeral && !self.is_blank()
    }

    fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }
}

/// The persistent ones among what is due, each as an entry for the end of the
/// conversation. Its text is fixed by now: fill templates first.
#[must_use]
pub fn entries(due: &[Due]) -> Vec<EntryDraft> {
    let entry = |due: &Due| {
        let origin = Origin::Reminder { id: due.id.clone() };
        EntryDraft::reminder(origin, due.content.as_str())
    };
    let is_kept = |due: &&Due| due.delivery == Delivery::Persistent && !due.is_blank();
    due.iter().filter(is_kept).map(entry).collect()
}

/// What is due as one text, each in its tags, for those who have message types
/// of their own; delivery is then theirs to decide. Empty where nothing is
/// due.
#[must_use]
pub fn render(due: &[Due]) -> String {
    let told = due.iter().filter(|due| !due.is_blank());
    let texts: Vec<_> = told.map(|due| reminder_text(&due.content)).collect();
    texts.join("\n")
}
