use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::trust::Trust;

/// A reminder that the model must not miss, sent exactly as you give it.
///
/// The value records where its text comes from. Only text compiled into the
/// program is the harness's own: it is borrowed from the program, and neither a
/// state file nor JSON can produce such a value.
///
/// ```
/// use aside_attachments::{CriticalSystemReminder, Trust};
///
/// let reminder = CriticalSystemReminder::from_code("The disk is full.");
/// assert_eq!(reminder.trust(), Trust::Harness);
///
/// let json = serde_json::to_string(&reminder)?;
/// let read: CriticalSystemReminder = serde_json::from_str(&json)?;
/// assert_eq!(read.content(), "The disk is full.");
/// assert_eq!(read.trust(), Trust::Outside);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CriticalSystemReminder {
    #[cfg_attr(feature = "schema", schemars(description = "The text for the model."))]
    /// Borrowed if it is compiled into the program: serde reads a `Cow` as
    /// owned text.
    content: Cow<'static, str>,
}

impl CriticalSystemReminder {
    /// Creates a reminder from text compiled into the program.
    #[must_use]
    pub const fn from_code(content: &'static str) -> Self {
        Self { content: Cow::Borrowed(content) }
    }

    /// Creates a reminder from computed, configured or received text.
    pub fn from_outside(content: impl Into<String>) -> Self {
        Self { content: Cow::Owned(content.into()) }
    }

    /// Returns the text.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns [`Trust::Harness`] if the text is compiled into the program.
    #[must_use]
    pub fn trust(&self) -> Trust {
        match self.content {
            Cow::Borrowed(_) => Trust::Harness,
            Cow::Owned(_) => Trust::Outside,
        }
    }

    pub(crate) fn into_draft(self) -> String {
        self.content.into_owned()
    }
}
