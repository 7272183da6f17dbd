use std::fmt;
use std::path::PathBuf;

/// A fault or a note about a plugin file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The file or directory concerned.
    pub path: PathBuf,
    /// The line concerned, counted from 1; `None` for a directory.
    pub line: Option<usize>,
    /// The value found and the value expected. May contain text of the file, so
    /// escape it before it is written to a terminal.
    pub message: String,
}

/// The severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The effect is as configured.
    Note,
    /// The file is loaded, but a part of it has no effect.
    Warning,
    /// The file is not loaded.
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
