use std::fmt;
use std::io;

use aside_agent::ToolOutput;

/// Why a tool does not do what it was called for, as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    message: String,
}

impl Refusal {
    /// A path, a pattern or a key, and what is wrong with it.
    pub(crate) fn new(what: &str, why: impl fmt::Display) -> Self {
        Self {
            message: format!("{what}: {why}"),
        }
    }

    /// What the system says of a path.
    pub(crate) fn io(path: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::new(path, "there is no such file or directory"),
            _ => Self::new(path, error),
        }
    }
}

impl From<Refusal> for ToolOutput {
    fn from(refusal: Refusal) -> Self {
        Self::error(refusal.message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
