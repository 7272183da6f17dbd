//! The state of the user's editor.

use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::truncate;

const MAX_SELECTION_CHARS: usize = 2_000;

/// Lines that the user selected, up to 2,000 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SelectedLines {
    /// The file's path.
    pub path: String,
    /// The first line's number, counted from 1.
    pub first_line: u32,
    /// The last line's number, included in the selection.
    pub last_line: u32,
    /// The selected text.
    pub content: String,
}

/// A file that the user opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OpenedFile {
    /// The file's path.
    pub path: String,
}

impl SelectedLines {
    pub(crate) fn into_draft(self) -> String {
        format!(
            "The user selected lines {} to {} from {}:\n{}",
            self.first_line,
            self.last_line,
            one_line(&self.path),
            truncate::to_chars(&self.content, MAX_SELECTION_CHARS)
        )
    }
}

impl OpenedFile {
    pub(crate) fn into_draft(self) -> String {
        let path = one_line(&self.path);
        format!("The user opened the file {path} in the IDE.")
    }
}
