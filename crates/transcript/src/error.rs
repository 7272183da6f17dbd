//! Why a transcript cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use aside_user_files::open::{OpenError, OpenErrorKind};

/// Why a transcript cannot be read or written. The file is unchanged, unless an
/// incomplete line could not be removed after a failed write.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {detail}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct TranscriptError {
    kind: TranscriptErrorKind,
    path: PathBuf,
    /// 1-based; `None` when the whole file is concerned.
    line: Option<usize>,
    /// The text after path and line.
    detail: String,
}

/// The kinds of [`TranscriptError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TranscriptErrorKind {
    /// The operating system returned an error.
    Io,
    /// Another process is writing the transcript.
    ///
    /// Try again later: the lock ends with that process.
    Locked,
    /// The path is a directory, a device or a FIFO.
    NotAFile,
    /// A line that ends with a newline is not a record.
    ///
    /// A last line without its newline is torn instead, which is no error.
    Garbage,
    /// A line is longer than 64 MiB, or a caller's file than 512 MiB.
    ///
    /// When appending, nothing was written.
    TooLong,
    /// The file should be a caller's, and is the transcript of a session.
    OfSession,
}

impl TranscriptError {
    /// The detail is the operating system's text.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::new(TranscriptErrorKind::Io, path, error.to_string())
    }

    /// Creates an error that concerns the whole file.
    pub(crate) fn new(kind: TranscriptErrorKind, path: &Path, detail: impl Into<String>) -> Self {
        Self { kind, path: path.to_owned(), line: None, detail: detail.into() }
    }

    pub(crate) fn at_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> TranscriptErrorKind {
        self.kind
    }

    /// Returns the transcript's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the line concerned, 1-based.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl From<OpenError> for TranscriptError {
    fn from(error: OpenError) -> Self {
        let path = error.path().to_owned();
        match error.kind() {
            OpenErrorKind::NotAFile(_) => {
                Self::new(TranscriptErrorKind::NotAFile, &path, error.message())
            }
            _ => Self::io(&path, &error.into()),
        }
    }
}
