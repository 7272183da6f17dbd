//! Rendering of instruction files as bodies of reminders. The caller
//! neutralizes reminder tags in them and writes the tags around them.

use std::borrow::Cow;

use aside_text::one_line;

use crate::forged_headers::{self, CONTENTS_OF};
use crate::{Memory, MemoryFile, MemoryKind};

const FOLLOW: &str = "The files below are the instructions of this code base and of its user: \
follow them exactly as they are written, and where two of them disagree, the later one.";

/// Returns the instruction files as the body of a reminder of their own
/// (layered layout); `None` without any files.
pub fn instructions(memory: &Memory) -> Option<String> {
    rendered(memory, MemoryFile::render)
}

fn rendered(memory: &Memory, render: impl Fn(&MemoryFile) -> String) -> Option<String> {
    if memory.files().is_empty() {
        return None;
    }
    let mut body = FOLLOW.to_owned();
    for file in memory.files() {
        body.push_str("\n\n");
        body.push_str(&render(file));
    }
    Some(body)
}

/// Returns the instruction files and the date (`YYYY-MM-DD`) as the body of the
/// reminder that becomes the first user message (classic layout, which has the
/// texts of the files unchanged).
pub fn user_context(memory: &Memory, date: &str) -> String {
    let mut body = "This is the context of the conversation that follows:\n".to_owned();
    if let Some(instructions) = rendered(memory, |file| file.below_header(&file.text)) {
        body.push_str("# claudeMd\n");
        body.push_str(&instructions);
        body.push_str("\n\n");
    }
    body.push_str("# currentDate\nToday's date is ");
    body.push_str(date);
    body.push('.');
    body
}

impl MemoryFile {
    /// Returns the file as the model reads it: its path, its owner (unless it
    /// was loaded by a touch), and [`MemoryFile::guarded_text`].
    ///
    /// The path is on one line, with replacements for bytes that are not UTF-8,
    /// so that the name of a directory cannot pass for instructions.
    pub fn render(&self) -> String {
        self.below_header(&self.guarded_text())
    }

    /// Returns the text with each line that looks like a header of a session's
    /// context indented by one space: `Contents of …`, `# currentDate`, `#
    /// gitStatus` and the like. Text after such a line would claim another
    /// source.
    pub fn guarded_text(&self) -> Cow<'_, str> {
        forged_headers::indent(&self.text)
    }

    fn below_header(&self, text: &str) -> String {
        let label = match self.kind {
            _ if self.trigger.is_some() => "",
            MemoryKind::Managed | MemoryKind::User => {
                " (user's private global instructions for all projects)"
            }
            MemoryKind::Project => " (project instructions, checked into the codebase)",
            MemoryKind::Local => " (user's private project instructions, not checked in)",
            MemoryKind::AutoMemory => " (user's auto-memory, persists across conversations)",
        };
        format!(
            "{CONTENTS_OF}{}{label}:\n\n{text}",
            one_line(&self.path.to_string_lossy()),
        )
    }
}
