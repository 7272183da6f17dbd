//! Instruction files and memories that become relevant during a session.

use std::fmt::Write as _;

use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::announcement::Announcement;
use crate::draft::{announcing, reminder};
use crate::truncate::{first_lines, left_out};

/// The maximum number of memories of an attachment.
const MAX_MEMORIES: usize = 5;

/// The maximum number of lines of one memory.
const MAX_MEMORY_LINES: usize = 200;

/// The maximum number of bytes of one memory.
const MAX_MEMORY_BYTES: usize = 4 * 1024;

/// An instruction file of a directory that the model has touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedMemory {
    /// The path of the file.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// Memories that are relevant to the task, at most 5 of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RelevantMemories {
    /// The memories, the most relevant one first.
    pub memories: Vec<RelevantMemory>,
}

/// One of the [`RelevantMemories`]. At most 200 lines and 4 KB are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RelevantMemory {
    /// The path of its file.
    pub path: String,
    /// Its text.
    pub content: String,
    /// Its age in days at the time of the request.
    pub age_days: u32,
}

impl NestedMemory {
    pub(crate) fn into_draft(self, kind: &str) -> EntryDraft {
        let Self { path, content } = &self;
        let announcement = Announcement::of_texts([(path.as_str(), content.as_str())]);
        let body = format!("Contents of {}:\n\n{content}", one_line(path));
        announcing(kind, &announcement, body)
    }
}

impl RelevantMemories {
    /// Returns no entry for an empty list.
    pub(crate) fn into_draft(self, kind: &str) -> Option<EntryDraft> {
        if self.memories.is_empty() {
            return None;
        }
        let shown = self.memories.iter().take(MAX_MEMORIES);
        let mut texts: Vec<String> = shown.map(RelevantMemory::text).collect();
        let more = self.memories.len() - texts.len();
        if more > 0 {
            texts.push(format!("[… {}]", left_out(more, "memory", "memories")));
        }
        Some(reminder(kind, texts.join("\n\n")))
    }
}

impl RelevantMemory {
    /// Returns the memory below its path. A memory that was saved two days ago
    /// or earlier has a note of its age; a long one is cut.
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
