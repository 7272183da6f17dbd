use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a transcript cannot be read or written. It is as it was.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    line: Option<usize>,
    detail: String,
    source: Option<io::Error>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    Io,
    /// Somebody else writes it.
    Locked,
    /// There is something else in its place: a directory, a device, a FIFO.
    NotAFile,
    /// A line before the last is no record.
    Garbage,
    /// A line is longer than 64 MiB.
    TooLong,
}

impl Error {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self {
            detail: error.to_string(),
            source: Some(error),
            ..Self::new(ErrorKind::Io, path, String::new())
        }
    }

    pub(crate) fn new(kind: ErrorKind, path: &Path, detail: impl Into<String>) -> Self {
        Self {
            kind,
            path: path.to_owned(),
            line: None,
            detail: detail.into(),
            source: None,
        }
    }

    pub(crate) fn at_line(self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }

    /// The kind of fault.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line concerned, from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.detail)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // What the system says is part of the message already.
        self.source.as_ref().and_then(std::error::Error::source)
    }
}
