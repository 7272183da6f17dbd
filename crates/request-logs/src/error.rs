//! Errors of single entries. A log is read to its end in spite of them.

use std::fmt;

/// A part of a log that could not be read. The rest of the log is read.
///
/// ```
/// use aside_request_logs::{Format, LogErrorKind, read};
///
/// let log = b"{\"model\":\"m\",\"messages\":[]}\nnot JSON\n{\"model\":\"m\",\"messages\":[]}\n";
/// let all: Vec<_> = read(&log[..], Some(Format::Bodies)).collect();
/// let fault = all[1].as_ref().unwrap_err();
/// assert_eq!((fault.kind(), fault.line()), (LogErrorKind::NotJson, 2));
/// assert!(all[2].is_ok(), "the rest is read");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogError {
    kind: LogErrorKind,
    /// 1-based; of a document, its first line or the number of the entry.
    line: usize,
    /// The cause, such as the message of the JSON parser.
    detail: String,
}

/// The kinds of [`LogError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogErrorKind {
    /// The last line has no end, since its writer was interrupted.
    Torn,
    /// A line is not JSON.
    NotJson,
    /// The line is JSON, but not an entry of the format.
    NotAnEntry,
    /// A line or a document is too long. This error is the last of the log.
    TooLong,
    /// An entry is older than the latest one before it. It is read
    /// nevertheless.
    OutOfOrder,
    /// The bytes could not be read.
    ///
    /// This error is the last of the log.
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

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> LogErrorKind {
        self.kind
    }

    /// Returns the line of the log, 1-based.
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
