//! Error results from tools: the subject, then the fault, as in `a.md: a binary
//! file, not a text`.

use std::fmt::Display;

use aside_user_files::open::OpenError;

/// An error result from a tool, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(String);

impl Refusal {
    /// Creates an error from its subject (a path, a pattern or a key) and the
    /// fault.
    pub(crate) fn new(what: &str, why: impl Display) -> Self {
        Self(format!("{what}: {why}"))
    }

    /// Reports a file that cannot be opened.
    pub(crate) fn open(path: &str, error: &OpenError) -> Self {
        if error.is_missing() {
            Self::new(path, "there is no such file or directory")
        } else {
            Self::new(path, error.message())
        }
    }
}

#[cfg(feature = "agent")]
impl From<Refusal> for aside_agent::ToolOutput {
    fn from(refusal: Refusal) -> Self {
        Self::error(refusal.0)
    }
}
