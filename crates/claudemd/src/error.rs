//! The only errors of loading: the working directory itself is unusable.

use std::fmt;
use std::path::{Path, PathBuf};

/// A failure to load anything at all.
///
/// A single file is never a reason for it: that file is skipped and reported.
#[derive(Debug)]
pub struct LoadError {
    kind: LoadErrorKind,
    path: PathBuf,
    source: Option<std::io::Error>,
}

/// The kinds of [`LoadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The working directory is not an absolute path.
    NotAbsolute,
    /// The working directory does not exist or cannot be accessed.
    Unreachable,
    /// The working directory is a file.
    NotADirectory,
}

impl LoadError {
    pub(crate) fn new(kind: LoadErrorKind, path: &Path, source: Option<std::io::Error>) -> Self {
        Self {
            kind,
            path: path.to_owned(),
            source,
        }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> LoadErrorKind {
        self.kind
    }

    /// Returns the path concerned.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.kind {
            LoadErrorKind::NotAbsolute => "working directory is not absolute",
            LoadErrorKind::Unreachable => "working directory cannot be reached",
            LoadErrorKind::NotADirectory => "working directory is not a directory",
        };
        write!(f, "{fault}: {}", self.path.display())?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
