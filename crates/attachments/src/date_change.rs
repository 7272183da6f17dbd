use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::announced::Announced;
use crate::draft::announcing;

/// Another day has begun where the user is.
///
/// It is told where the conversation ends: changing the date in an earlier
/// message would cost the cached prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateChange {
    /// The new date, as the session writes dates: `2026-02-01`.
    pub date: String,
}

impl DateChange {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let date = self.date.as_str();
        let body = format!(
            "The date has changed. Today's date is now {}.",
            one_line(date)
        );
        announcing(kind, &Announced::named([date]), body)
    }
}
