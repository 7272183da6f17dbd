use std::path::{Path, PathBuf};

use aside_claudemd::{Memory, MemoryFile};
use aside_messages::{TokenEstimate, estimate_tokens};
use aside_session::Diagnostic;

/// What there is to say.
#[derive(Debug)]
pub(super) struct Report<'a> {
    /// Where the session works.
    pub(super) cwd: &'a Path,
    /// What the session starts with, what was skipped, and what is wrong.
    pub(super) memory: &'a Memory,
    /// What follows when the model reads files.
    pub(super) touched: &'a [Touched],
    /// What is wrong with the settings.
    pub(super) faults: &'a [Diagnostic],
}

/// What loads when the model reads one file.
#[derive(Debug)]
pub(super) struct Touched {
    /// As it was given.
    pub(super) path: PathBuf,
    pub(super) files: Vec<MemoryFile>,
}

impl<'a> Report<'a> {
    /// Every file that is loaded, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a MemoryFile> {
        let touched = self.touched.iter().flat_map(|touched| &touched.files);
        self.memory.files().iter().chain(touched)
    }
}

/// How many tokens the model reads, about.
pub(super) fn tokens(file: &MemoryFile) -> TokenEstimate {
    estimate_tokens(&file.text)
}
