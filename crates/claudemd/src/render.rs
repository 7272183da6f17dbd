//! What the model reads. These are the bodies of reminders: tags around them,
//! and making harmless what a file says about tags, are somebody else's.

use std::fmt::Write;
use std::path::Path;

use crate::{Memory, MemoryFile, MemoryKind};

const FOLLOW: &str = "The files below are the instructions of this code base and of its user: \
follow them exactly as they are written, and where two of them disagree, the later one.";

/// The instruction files, as the body of a reminder of their own (layered
/// layout); `None` without any.
pub fn instructions(memory: &Memory) -> Option<String> {
    if memory.files().is_empty() {
        return None;
    }
    let mut body = FOLLOW.to_owned();
    for file in memory.files() {
        body.push_str("\n\n");
        body.push_str(&file.render());
    }
    Some(body)
}

/// The instruction files and the date (`YYYY-MM-DD`), as the body of the
/// reminder that becomes the first user message (classic layout).
pub fn user_context(memory: &Memory, date: &str) -> String {
    let mut body = "This is the context of the conversation that follows:\n".to_owned();
    if let Some(instructions) = instructions(memory) {
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
    /// The file as the model reads it: which one it is, whose (unless it was
    /// loaded by a touch), and the text.
    ///
    /// Control characters of the path are escaped, and what is not UTF-8 in
    /// it is replaced: a name of a directory cannot pass for instructions.
    pub fn render(&self) -> String {
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
            "Contents of {}{label}:\n\n{}",
            printable(&self.path),
            self.text
        )
    }
}

fn printable(path: &Path) -> String {
    let mut printable = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() {
            write!(printable, "{}", c.escape_default()).expect("writing to a string succeeds");
        } else {
            printable.push(c);
        }
    }
    printable
}
