//! A session's instruction files, for both output forms to read.

use std::path::{Path, PathBuf};

use aside_cache_split::Layout;
use aside_claudemd::{InstructionBlock, Memory, MemoryFile, UnloadedFiles};
use aside_messages::{TokenEstimate, Tokenizer, estimate};
use aside_prompt_sections::SESSION_SECTIONS;
use aside_session::Diagnostic;
use aside_text::{REMINDER_TAG, neutralize};

#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) cwd: &'a Path,
    /// Files that the session starts with, skipped files, and diagnostics.
    pub(super) memory: &'a Memory,
    /// How the first message contains the files; `None` for another agent's.
    pub(super) layout: Option<Layout>,
    /// Files that exist but are not loaded.
    pub(super) unloaded: &'a UnloadedFiles,
    /// Files that load when the model reads other files.
    pub(super) touched: &'a [Touched],
    /// The tokenizer for the session's model.
    pub(super) tokenizer: Tokenizer,
    /// Faults in the settings.
    pub(super) faults: &'a [Diagnostic],
}

/// What loads when the model reads one file.
#[derive(Debug)]
pub(super) struct Touched {
    /// The file read, as passed to `--touch`.
    pub(super) path: PathBuf,
    /// Files that this adds to all earlier ones; empty when nothing new loads.
    pub(super) files: Vec<MemoryFile>,
}

impl<'a> Report<'a> {
    /// Returns every loaded file: those at the start in request order, then
    /// those from each touch.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a MemoryFile> {
        let touched = self.touched.iter().flat_map(|touched| &touched.files);
        self.start().into_iter().chain(touched)
    }

    /// Returns the files that the session starts with, in request order: in the
    /// layered layout, those that all users share are in a block before the
    /// user's own.
    pub(super) fn start(&self) -> Vec<&'a MemoryFile> {
        let mut files: Vec<_> = self.memory.files().iter().collect();
        if self.layout == Some(Layout::Layered) {
            files.sort_by_key(|file| file.kind.block() == InstructionBlock::User);
        }
        files
    }

    /// Returns a file's text as the model gets it, with its header.
    pub(super) fn rendered(&self, file: &MemoryFile) -> String {
        let text = self.memory.render(file, SESSION_SECTIONS);
        neutralize(&text, &[REMINDER_TAG]).into_owned()
    }

    /// Returns the size of a file's text, as the model gets it: in bytes, and
    /// in estimated tokens.
    pub(super) fn size(&self, file: &MemoryFile) -> (usize, TokenEstimate) {
        let text = file.guarded_text(SESSION_SECTIONS);
        let text = neutralize(&text, &[REMINDER_TAG]);
        (text.len(), estimate(&text, self.tokenizer))
    }
}
