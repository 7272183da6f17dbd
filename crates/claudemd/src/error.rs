use std::fmt;
use std::path::{Path, PathBuf};

/// A failure to load anything at all.
///
/// A single file is never a reason for it: that file is skipped and reported.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    source: Option<std::io::Error>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The working directory is not an absolute path.
    NotAbsolute,
    /// The working directory does not exist or cannot be accessed.
    Unreachable,
    /// The working directory is a file.
    NotADirectory,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: &Path, source: Option<std::io::Error>) -> Self {
        Self {
            kind,
            path: path.to_owned(),
            source,
        }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the path concerned.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.kind {
            ErrorKind::NotAbsolute => "working directory is not absolute",
            ErrorKind::Unreachable => "working directory cannot be reached",
            ErrorKind::NotADirectory => "working directory is not a directory",
        };
        write!(f, "{fault}: {}", self.path.display())?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
