//! Finding an instruction file's lines in a request.
//!
//! A file follows a header, `Contents of CLAUDE.md (…):`, and has as many lines
//! as on disk, whatever they say: a tag in them is neutralized and a forged
//! header indented, which keeps the number of lines. The text itself is not
//! searched for, since other texts may be the same.

use aside_claudemd::{Memory, MemoryFile};
use aside_messages::{REMINDER_TAG, neutralize, one_line};
use aside_prompt_sections::SESSION_SECTIONS;

use crate::sourced::{CONTEXT, INSTRUCTIONS};
use crate::world::World;

/// The label for an instruction file read because a path was touched, which is
/// alone in its reminder.
pub(crate) const NESTED: &str = "attachment nested_memory";

/// The labels of lines around instruction files.
pub(crate) const WRAPPERS: [&str; 2] = [INSTRUCTIONS, NESTED];

/// Ends a reminder. In a file it is neutralized.
const END: &str = "</system-reminder>";

/// More lines than a reminder can have.
const TO_THE_END: usize = usize::MAX;

/// An instruction file that the session begins with.
pub(crate) struct InstructionFile {
    /// The header with its full path, and with the path in the project.
    headers: [String; 2],
    /// In the project.
    path: String,
    lines: usize,
}

impl InstructionFile {
    pub(crate) fn new(file: &MemoryFile, memory: &Memory, world: &World) -> Self {
        let rendered = file.render(SESSION_SECTIONS);
        let header = rendered.lines().next().unwrap_or_default();
        let full = file.path.to_string_lossy();
        // Headers have no control characters and no tag, whatever the file's name.
        let short = header.replacen(&*one_line(&full), &memory.shown_path(file), 1);
        let in_request = |it| world.normalize_text(&neutralize(it, &[REMINDER_TAG]));
        Self {
            headers: [header, &short].map(in_request),
            path: in_project(&world.normalize_text(&full)),
            lines: file.text.split('\n').count(),
        }
    }
}

/// Which of a text's lines are still a file's.
#[derive(Default)]
pub(crate) struct Reader<'a> {
    path: String,
    /// The lines before them: a blank one after the header.
    before: usize,
    left: usize,
    files: &'a [InstructionFile],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(files: &'a [InstructionFile]) -> Self {
        Self { files, ..Self::default() }
    }

    pub(crate) fn restart(&mut self) {
        (self.before, self.left) = (0, 0);
    }

    /// Returns the path of the file that has a line; `None` for headers and
    /// everything around the files. `label` is where the line comes from.
    pub(crate) fn path(&mut self, label: &str, line: &str) -> Option<&str> {
        if line == END && self.left > TO_THE_END / 2 {
            self.left = 0;
        }
        if self.before > 0 {
            self.before -= 1;
            return None;
        }
        if self.left > 0 {
            self.left -= 1;
            return Some(&self.path);
        }
        if label == NESTED {
            let header = line.strip_prefix("Contents of ")?.strip_suffix(':')?;
            let path = header.split(" (changed since the session began)").next();
            self.path = in_project(path.unwrap_or(header));
            (self.before, self.left) = (1, TO_THE_END);
            return None;
        }
        if label != INSTRUCTIONS && !label.starts_with(CONTEXT) {
            return None;
        }
        let is_it = |it: &&InstructionFile| it.headers.iter().any(|header| header == line);
        let file = self.files.iter().find(is_it)?;
        self.path.clone_from(&file.path);
        (self.before, self.left) = (1, file.lines);
        None
    }
}

/// Returns a path relative to the project, if it is in it.
pub(crate) fn in_project(path: &str) -> String {
    path.trim_start_matches("/scenario/project/").to_owned()
}
