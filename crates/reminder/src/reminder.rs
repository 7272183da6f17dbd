use std::fmt;
use std::path::PathBuf;

use aside_messages::Trust;

use crate::schedule::Schedule;

/// A text to send to the model when its schedule fires.
///
/// ```
/// use aside_reminder::{ReminderDelivery, Reminder, Schedule};
///
/// let reminder = Reminder {
///     priority: 5,
///     delivery: ReminderDelivery::Persistent,
///     ..Reminder::new("careful", "Ask before you delete.", Schedule::ONESHOT)
/// };
/// assert!(reminder.active);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reminder {
    /// The id, unique in a [`Manager`](crate::Manager).
    pub id: String,
    /// The text between the tags, a template for
    /// [`TemplateValues`](crate::TemplateValues).
    pub content: String,
    /// When it fires.
    pub schedule: Schedule,
    /// Where the definition comes from.
    pub source: ReminderSource,
    /// The order among due reminders. A higher priority comes later, closer to
    /// the end of the request, which models weigh most.
    pub priority: i32,
    /// False if the reminder is switched off.
    pub active: bool,
    /// How long it stays in requests.
    pub delivery: ReminderDelivery,
    /// Who wrote its text. A reminder from a project, or from a file of unknown
    /// origin, never has the harness's authority.
    pub trust: Trust,
}

/// Where a [`Reminder`] comes from, displayed as `builtin`, `code` or the path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReminderSource {
    /// Built into this crate.
    Builtin,
    /// The program's code.
    Code,
    /// A plugin file.
    Plugin {
        /// The file's path.
        path: PathBuf,
    },
}

aside_text::names! {
    /// How long a [`Reminder`] stays in requests.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum ReminderDelivery {
        /// For one request. When a model binds its thinking to the prefix, an agent
        /// sends it in a form that later requests keep; see the README.
        #[default]
        Ephemeral = "ephemeral",
        /// From now on: it is rendered once, becomes an entry in the conversation,
        /// and has the same bytes in every later request.
        Persistent = "persistent",
    }
}

impl Reminder {
    /// Creates an active, ephemeral reminder with priority 0, source
    /// [`ReminderSource::Code`] and trust [`Trust::Harness`].
    pub fn new(id: impl Into<String>, content: impl Into<String>, schedule: Schedule) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            schedule,
            source: ReminderSource::Code,
            priority: 0,
            active: true,
            delivery: ReminderDelivery::Ephemeral,
            trust: Trust::Harness,
        }
    }

    /// Returns true if there is nothing to send.
    pub(crate) fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }
}

impl fmt::Display for ReminderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("builtin"),
            Self::Code => f.write_str("code"),
            Self::Plugin { path } => path.display().fmt(f),
        }
    }
}
