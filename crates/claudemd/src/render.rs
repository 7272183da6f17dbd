//! Rendering instruction files as reminder bodies. The caller neutralizes reminder tags in them and
//! writes the tags around them.

pub(crate) mod contents;
pub(crate) mod fault;
pub(crate) mod forged_headers;
pub(crate) mod markdown;
pub(crate) mod parsed;

use std::borrow::Cow;

use aside_text::one_line;

use crate::render::forged_headers::CONTENTS_OF;
use crate::{InstructionBlock, Memory, MemoryFile, MemoryKind};

const FOLLOW: &str = "The files below are the instructions of this code base and of its user: \
follow them exactly as written. If two of them disagree, follow the later one.";

const FOLLOW_SHARED: &str = "The files below are the instructions of this code base: follow them \
exactly as written. If two of them disagree, follow the later one. Their paths start at the root of \
the project.";

const FOLLOW_PRIVATE: &str = "The files below are the instructions of the user: follow them \
exactly as written. If they disagree with the instructions of this code base, the instructions of \
this code base take precedence over the user's global instructions, and the user's private \
instructions for this project take precedence over those of this code base.";

/// Returns all instruction files in order, with full paths, as one reminder's body; `None` without
/// any.
///
/// `sections` are the headings of other texts in the request, which no file may imitate: see
/// [`MemoryFile::guarded_text`].
///
/// ```
/// use aside_claudemd::{Dirs, instructions, load};
///
/// # let project = tempfile::tempdir()?;
/// # std::fs::write(project.path().join("CLAUDE.md"), "Version every route.\n")?;
/// let memory = load(project.path(), &Dirs::default())?;
/// let body = instructions(&memory, &["environment"]).expect("one file");
/// assert!(body.contains("/CLAUDE.md"));
/// assert!(body.trim_end().ends_with("Version every route."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn instructions(memory: &Memory, sections: &[&str]) -> Option<String> {
    rendered(FOLLOW, memory.files(), |file| file.render(sections))
}

/// Returns the instruction files that all users in the project share, as a reminder's body (layered
/// layout): the same bytes for two clones at different paths. `None` without any.
pub fn shared_instructions(memory: &Memory, sections: &[&str]) -> Option<String> {
    block(FOLLOW_SHARED, memory, InstructionBlock::Project, sections)
}

/// Returns the user's own instruction files, as the body of a reminder after
/// [`shared_instructions`] (layered layout); `None` without any.
pub fn private_instructions(memory: &Memory, sections: &[&str]) -> Option<String> {
    block(FOLLOW_PRIVATE, memory, InstructionBlock::User, sections)
}

fn block(
    follow: &str,
    memory: &Memory,
    block: InstructionBlock,
    sections: &[&str],
) -> Option<String> {
    let files = memory.files().iter().filter(|file| file.kind.block() == block);
    rendered(follow, files, |file| memory.render(file, sections))
}

fn rendered<'a>(
    follow: &str,
    files: impl IntoIterator<Item = &'a MemoryFile>,
    render: impl Fn(&MemoryFile) -> String,
) -> Option<String> {
    let mut files = files.into_iter().peekable();
    files.peek()?;
    let mut body = follow.to_owned();
    for file in files {
        body.push_str("\n\n");
        body.push_str(&render(file));
    }
    Some(body)
}

/// Returns the instruction files and the date (`YYYY-MM-DD`), as the body of the reminder that
/// becomes the first user message (classic layout, which leaves the files' texts unchanged).
pub fn user_context(memory: &Memory, date: &str) -> String {
    let mut body = "This is the context of the conversation that follows:\n".to_owned();
    let instructions =
        rendered(FOLLOW, memory.files(), |file| file.below_header(&file.full_path(), &file.text));
    if let Some(instructions) = instructions {
        body.push_str("# claudeMd\n");
        body.push_str(&instructions);
        body.push_str("\n\n");
    }
    body.push_str("# currentDate\nToday's date is ");
    body.push_str(date);
    body.push('.');
    body
}

impl Memory {
    /// Returns one of its files as the model reads it in the layered layout: as
    /// [`MemoryFile::render`] does, with the path from the project's root unless a touch loaded it.
    pub fn render(&self, file: &MemoryFile, sections: &[&str]) -> String {
        match file.trigger {
            Some(_) => file.render(sections),
            None => file.below_header(&self.shown_path(file), &file.guarded_text(sections)),
        }
    }
}

impl MemoryFile {
    /// Returns the file as the model reads it: its path, its owner (unless a touch loaded it), and
    /// [`MemoryFile::guarded_text`].
    ///
    /// The path is on one line, with replacements for bytes that are not UTF-8, so that a
    /// directory's name cannot pass for instructions.
    pub fn render(&self, sections: &[&str]) -> String {
        self.below_header(&self.full_path(), &self.guarded_text(sections))
    }

    fn full_path(&self) -> String {
        one_line(&self.path.to_string_lossy()).into_owned()
    }

    /// Returns the text with each line that looks like a session context header indented by one
    /// space: `Contents of …`, `# currentDate`, `# gitStatus` and the headings in `sections`. Text
    /// after such a line would claim another source.
    pub fn guarded_text(&self, sections: &[&str]) -> Cow<'_, str> {
        forged_headers::indent_headers(&self.text, sections)
    }

    fn below_header(&self, path: &str, text: &str) -> String {
        let label = match self.kind {
            _ if self.trigger.is_some() => "",
            MemoryKind::Managed => " (managed by the organization, applies to all projects)",
            MemoryKind::User => " (user's private global instructions for all projects)",
            MemoryKind::Project => " (project instructions, checked into the codebase)",
            MemoryKind::Local => " (user's private project instructions, not checked in)",
            MemoryKind::AutoMemory => " (user's auto-memory, persists across conversations)",
        };
        format!("{CONTENTS_OF}{path}{label}:\n\n{text}")
    }
}
