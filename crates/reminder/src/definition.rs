use aside_messages::Trust;

use crate::reminder::{Reminder, ReminderDelivery, ReminderSource};
use crate::scalar::integer::Priority;
use crate::scalar::{Checked, Scalar};
use crate::schedule::Schedule;

/// A reminder as a file defines it. You may leave out every key; unknown keys are ignored, and
/// [`UnknownKeys`](crate::UnknownKeys) finds them.
///
/// ```
/// use aside_reminder::{Definition, Schedule, ReminderSource};
///
/// let json = r#"{"content":"Run the tests.","schedule":{"kind":"turn","turn_interval":5}}"#;
/// let definition: Definition = serde_json::from_str(json)?;
/// let reminder = definition.into_reminder("run-tests", "", ReminderSource::Code);
/// assert_eq!(reminder.id, "run-tests");
/// assert_eq!(reminder.schedule, Schedule::every_turns(5));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(expecting = "a mapping of names to values")]
pub struct Definition {
    id: Option<Checked<Id>>,
    content: Option<Checked<String>>,
    schedule: Option<Schedule>,
    priority: Option<Checked<Priority>>,
    enabled: Option<bool>,
    delivery: Option<Checked<ReminderDelivery>>,
}

/// The keys in a [`Definition`].
pub(crate) const KEYS: &[&str] = &["id", "content", "schedule", "priority", "enabled", "delivery"];

impl Definition {
    /// Returns the id, if it has one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_ref().map(|Checked(Id(id))| id.as_str())
    }

    /// Returns the content, if it has any.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content.as_ref().map(|it| it.0.as_str())
    }

    /// Replaces the content.
    #[cfg(feature = "files")]
    pub(crate) fn with_content(self, content: &str) -> Self {
        let content = Some(Checked(content.to_owned()));
        Self { content, ..self }
    }

    /// Creates the reminder. `id` and `content` stand in where the definition has none.
    #[must_use]
    pub fn into_reminder(self, id: &str, content: &str, source: ReminderSource) -> Reminder {
        let trust = match source {
            ReminderSource::Builtin | ReminderSource::Code => Trust::Harness,
            // A file of unknown origin: a loader knows the user's own.
            ReminderSource::Plugin { .. } => Trust::Outside,
        };
        Reminder {
            trust,
            id: self.id.map_or_else(|| id.to_owned(), |Checked(Id(id))| id),
            content: self.content.map_or_else(|| content.to_owned(), |it| it.0),
            schedule: self.schedule.unwrap_or(Schedule::ONESHOT),
            source,
            priority: self.priority.map_or(0, |Checked(Priority(it))| it),
            active: self.enabled.unwrap_or(true),
            delivery: self.delivery.map_or(ReminderDelivery::default(), |it| it.0),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Id(String);

impl Scalar for Id {
    const EXPECTED: &str = "a string or a number";

    fn from_text(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err(format!("found {text:?}, expected an id that is not blank"));
        }
        Ok(Self(text.to_owned()))
    }

    fn from_integer(number: i128) -> Result<Self, String> {
        Ok(Self(number.to_string()))
    }

    fn from_float(number: f64) -> Result<Self, String> {
        Ok(Self(number.to_string()))
    }
}

impl Scalar for String {
    const EXPECTED: &str = "a string";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl Scalar for ReminderDelivery {
    const EXPECTED: &str = "ephemeral or persistent";

    fn from_text(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("found {text:?}, expected {}", Self::EXPECTED))
    }
}
