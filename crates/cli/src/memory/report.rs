use std::path::Path;

use aside_agent::Diagnostic;
use aside_claudemd::{Memory, MemoryFile};
use aside_messages::{TokenEstimate, estimate_tokens};

/// What there is to say.
#[derive(Debug)]
pub(super) struct Report<'a> {
    /// Where the session works.
    pub(super) cwd: &'a Path,
    /// What the session starts with, and then what each touch loads.
    pub(super) files: &'a [MemoryFile],
    /// What was skipped, and what is wrong.
    pub(super) memory: &'a Memory,
    /// What is wrong with the settings.
    pub(super) faults: &'a [Diagnostic],
}

/// How many tokens the model reads, about.
pub(super) fn tokens(file: &MemoryFile) -> TokenEstimate {
    estimate_tokens(&file.text)
}
