use aside_messages::conversation::EntryDraft;
use serde::{Deserialize, Serialize};

use crate::draft::reminder;

/// Something that the model must not miss, in the words of whoever says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CriticalSystemReminder {
    /// What the model reads.
    pub content: String,
}

impl CriticalSystemReminder {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        reminder(kind, self.content)
    }
}
