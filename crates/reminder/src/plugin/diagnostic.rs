use std::fmt;
use std::path::PathBuf;

/// Something that a person should know about a plugin file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// The file or directory concerned.
    pub path: PathBuf,
    /// The line concerned, 1-based; `None` for a directory.
    pub line: Option<usize>,
    /// What was found and what was expected. May hold characters of the file;
    /// not yet fit for a terminal.
    pub message: String,
}

/// How much a [`Diagnostic`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// As it was asked for.
    Note,
    /// The file is loaded, and does not all that it says.
    Warning,
    /// The file is left out.
    Error,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, .. } = self;
        match self.line {
            Some(line) => write!(f, "{}:{line}: {message}", path.display()),
            None => write!(f, "{}: {message}", path.display()),
        }
    }
}
