//! The instruction files of a session, as both forms of the output read them.

use std::path::{Path, PathBuf};

use aside_claudemd::{Memory, MemoryFile, UnloadedFiles};
use aside_messages::{TokenEstimate, Tokenizer, estimate};
use aside_session::Diagnostic;

/// The report on the instruction files of a session.
#[derive(Debug)]
pub(super) struct Report<'a> {
    /// The working directory of the session.
    pub(super) cwd: &'a Path,
    /// The files that the session starts with, skipped files, and diagnostics.
    pub(super) memory: &'a Memory,
    /// The files that exist and are not loaded.
    pub(super) unloaded: &'a UnloadedFiles,
    /// The files that load when the model reads other files.
    pub(super) touched: &'a [Touched],
    /// The tokenizer of the session's model.
    pub(super) tokenizer: Tokenizer,
    /// The faults of the settings.
    pub(super) faults: &'a [Diagnostic],
}

/// The files that load when the model reads one file.
#[derive(Debug)]
pub(super) struct Touched {
    /// The file that is read, as it was given to `--touch`.
    pub(super) path: PathBuf,
    /// The files that it loads in addition to all earlier ones; empty if there is nothing
    /// more.
    pub(super) files: Vec<MemoryFile>,
}

impl<'a> Report<'a> {
    /// Returns every file that is loaded: those of the start in the order of the request,
    /// then those of each touch.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a MemoryFile> {
        let touched = self.touched.iter().flat_map(|touched| &touched.files);
        self.memory.files().iter().chain(touched)
    }

    /// Returns the estimated number of tokens of a file.
    pub(super) fn tokens(&self, file: &MemoryFile) -> TokenEstimate {
        estimate(&file.text, self.tokenizer)
    }
}
