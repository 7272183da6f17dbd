//! Instruction files and memories that become relevant during a session.

use std::fmt::Write as _;

use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::announcement::Announcement;
use crate::edited_file::EditedFile;
use crate::truncate::{first_lines, left_out};

const MAX_MEMORIES: usize = 5;

const MAX_MEMORY_LINES: usize = 200;

const MAX_MEMORY_BYTES: usize = 4 * 1024;

/// An instruction file in a directory that the model has touched, or one that changed since the
/// session began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedMemory {
    /// The file's path.
    pub path: String,
    /// Its text; empty if it no longer loads.
    pub content: String,
    /// The text that the model got when the session began, empty for a newer file, the same text if
    /// a changed file is again as it was; `None` for a
    /// file that was not loaded then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// True for a file without content here that still has a text: nothing
    /// imports or discovers it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unused: bool,
}

/// Memories that are relevant to the task, up to 5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RelevantMemories {
    /// The memories, most relevant first.
    pub memories: Vec<RelevantMemory>,
}

/// One of the [`RelevantMemories`]. Up to 200 lines and 4 KB are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RelevantMemory {
    /// Its file's path.
    pub path: String,
    /// Its text.
    pub content: String,
    /// Its age in days when the request is made.
    pub age_days: u32,
}

impl NestedMemory {
    pub(crate) fn into_draft(self) -> (Announcement, String) {
        let Self { path, content, .. } = &self;
        let announcement = Announcement {
            changed: self.before.is_some(),
            ..Announcement::of_texts([(path.as_str(), content.as_str())])
        };
        let body = format!("Contents of {}{}", one_line(path), self.change());
        (announcement, body)
    }

    /// Returns the end of the header and the text: the whole one, or its diff if that is shorter.
    fn change(&self) -> String {
        let content = &self.content;
        let Some(before) = &self.before else {
            return format!(":\n\n{content}");
        };
        if content.is_empty() {
            let why = if self.is_unused { "not loaded any more" } else { "empty or gone" };
            return format!(
                " (changed since the session began): it is {why}, and its instructions no longer \
                 apply."
            );
        }
        if content == before {
            return format!(
                " (changed since the session began), again as it was then:\n\n{content}"
            );
        }
        // Texts have no line end, which a diff would point out.
        let [before, now] = [before, content].map(|text| format!("{text}\n"));
        let diff = EditedFile::between("", &before, &now).diff;
        if diff.len() < content.len() && !diff.is_empty() {
            format!(" (changed since the session began), as a diff:\n\n{diff}")
        } else {
            format!(" (changed since the session began):\n\n{content}")
        }
    }
}

impl RelevantMemories {
    /// Returns no entry for an empty list.
    pub(crate) fn into_draft(self) -> Option<String> {
        if self.memories.is_empty() {
            return None;
        }
        let shown = self.memories.iter().take(MAX_MEMORIES);
        let mut texts: Vec<String> = shown.map(RelevantMemory::text).collect();
        let more = self.memories.len() - texts.len();
        if more > 0 {
            texts.push(format!("[… {}]", left_out(more, "memory", "memories")));
        }
        Some(texts.join("\n\n"))
    }
}

impl RelevantMemory {
    /// Returns the memory below its path. One saved two or more days ago comes with a note about
    /// its age; a long one is cut.
    fn text(&self) -> String {
        let mut text = format!("Memory {}", one_line(&self.path));
        if self.age_days > 1 {
            let days = self.age_days;
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                " (saved {days} days ago: it may be out of date, so check what it says of the \
                 code before you rely on it)"
            );
        }
        let cut = first_lines(&self.content, MAX_MEMORY_LINES, MAX_MEMORY_BYTES);
        let _ = write!(text, ":\n{}", cut.kept);
        if cut.is_cut() {
            let bytes = left_out(self.content.len() - cut.kept.len(), "byte", "bytes");
            let _ = write!(text, "\n[… {bytes}; the whole memory is in the file]");
        }
        text
    }
}
