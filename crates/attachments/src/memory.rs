//! Instruction files and memories that become relevant on the way.

use std::fmt::Write as _;

use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::announced::Announced;
use crate::cut;
use crate::draft::{announcing, reminder};
use crate::left_out::left_out;

/// The most memories at once.
pub const MEMORIES: usize = 5;

/// The most lines of one memory.
pub const MEMORY_LINES: usize = 200;

/// The most bytes of one memory.
pub const MEMORY_BYTES: usize = 4 * 1024;

/// An instruction file of a directory that the model came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedMemory {
    /// The file.
    pub path: String,
    /// What it says.
    pub content: String,
}

/// What was noted earlier and fits the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelevantMemories {
    /// The most relevant first.
    pub memories: Vec<RelevantMemory>,
}

/// One of the [`RelevantMemories`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelevantMemory {
    /// Where it is kept.
    pub path: String,
    /// What it says.
    pub content: String,
    /// How many days ago it was written, when the attachment is made.
    pub age_days: u32,
}

impl NestedMemory {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let Self { path, content } = &self;
        let announced = Announced::texts([(path.as_str(), content.as_str())]);
        let body = format!("Contents of {}:\n\n{content}", one_line(path));
        announcing(kind, &announced, body)
    }
}

impl RelevantMemories {
    pub(crate) fn entry(self, kind: &str) -> Option<EntryDraft> {
        if self.memories.is_empty() {
            return None;
        }
        let shown = self.memories.iter().take(MEMORIES);
        let mut pieces: Vec<String> = shown.map(RelevantMemory::text).collect();
        let more = self.memories.len() - pieces.len();
        if more > 0 {
            pieces.push(format!("[… {}]", left_out(more, "memory", "memories")));
        }
        Some(reminder(kind, pieces.join("\n\n")))
    }
}

impl RelevantMemory {
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
        let cut = cut::to_lines(&self.content, MEMORY_LINES, MEMORY_BYTES);
        let _ = write!(text, ":\n{}", cut.kept);
        if cut.is_cut() {
            let bytes = left_out(self.content.len() - cut.kept.len(), "byte", "bytes");
            let _ = write!(text, "\n[… {bytes}; the whole memory is in the file]");
        }
        text
    }
}
