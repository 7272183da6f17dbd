use std::fmt;
use std::path::PathBuf;

use aside_messages::Trust;

use crate::schedule::Schedule;

/// A text that is sent to the model when its schedule fires.
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
    /// The origin of the definition.
    pub source: ReminderSource,
    /// The order among due reminders. A higher priority is later, closer to the
    /// end of the request, which models weigh most.
    pub priority: i32,
    /// False if the reminder is switched off.
    pub active: bool,
    /// The period for which it is part of requests.
    pub delivery: ReminderDelivery,
    /// The author of its text. A reminder of a project, or of a file of unknown
    /// origin, never has the authority of the harness.
    pub trust: Trust,
}

/// The origin of a [`Reminder`], displayed as `builtin`, `code` or the path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReminderSource {
    /// Built into this crate.
    Builtin,
    /// Code of the program.
    Code,
    /// A plugin file.
    Plugin {
        /// The path of the file.
        path: PathBuf,
    },
}

/// The period for which a [`Reminder`] is part of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReminderDelivery {
    /// For one request. On models that bind their thinking to the prefix, an
    /// agent sends it in a form that later requests keep; see the README.
    #[default]
    Ephemeral,
    /// From now on: it is rendered once, becomes an entry of the conversation,
    /// and has the same bytes in every later request.
    Persistent,
}

impl Reminder {
    /// Creates an active, ephemeral reminder of priority 0 with the source
    /// [`ReminderSource::Code`] and the trust [`Trust::Harness`].
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
