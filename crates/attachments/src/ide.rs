//! What the user does in their editor.

use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::cut;
use crate::draft::reminder;

/// The most characters of a selection.
pub const SELECTION_CHARACTERS: usize = 2_000;

/// Lines that the user selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectedLines {
    /// The file.
    pub path: String,
    /// The number of the first line, from 1.
    pub first_line: u32,
    /// The number of the last line.
    pub last_line: u32,
    /// What is selected.
    pub content: String,
}

/// A file that the user opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenedFile {
    /// The file.
    pub path: String,
}

impl SelectedLines {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let body = format!(
            "The user selected lines {} to {} from {}:\n{}",
            self.first_line,
            self.last_line,
            one_line(&self.path),
            cut::to_chars(&self.content, SELECTION_CHARACTERS)
        );
        reminder(kind, body)
    }
}

impl OpenedFile {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let path = one_line(&self.path);
        reminder(kind, format!("The user opened the file {path} in the IDE."))
    }
}
