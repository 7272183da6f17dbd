use std::fmt;

/// Why a part of a log could not be read. The rest of the log is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogError {
    kind: LogErrorKind,
    line: usize,
    detail: String,
}

/// The kinds of [`LogError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogErrorKind {
    /// The last line has no end; its writer was interrupted.
    Torn,
    /// A line is not JSON.
    NotJson,
    /// JSON, and no entry of the format.
    NotAnEntry,
    /// A line or a document is too long.
    TooLong,
    /// An entry is older than the one before it. It is read all the same.
    OutOfOrder,
    /// The bytes could not be read.
    Io,
}

impl LogError {
    pub(crate) fn new(kind: LogErrorKind, line: usize, detail: impl fmt::Display) -> Self {
        Self {
            kind,
            line,
            detail: detail.to_string(),
        }
    }

    /// Returns what kind of error it is.
    #[must_use]
    pub fn kind(&self) -> LogErrorKind {
        self.kind
    }

    /// Returns the line of the log, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, detail) = (self.line, &self.detail);
        match self.kind {
            LogErrorKind::Torn => write!(f, "line {line}: the last line is incomplete: {detail}"),
            LogErrorKind::NotJson => write!(f, "line {line}: not JSON: {detail}"),
            LogErrorKind::NotAnEntry => write!(f, "line {line}: no entry of this format: {detail}"),
            LogErrorKind::TooLong => write!(f, "line {line}: too long: {detail}"),
            LogErrorKind::OutOfOrder => write!(f, "line {line}: out of order: {detail}"),
            LogErrorKind::Io => write!(f, "line {line}: {detail}"),
        }
    }
}

impl std::error::Error for LogError {}
