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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {}{detail}", kind.heading())]
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

impl LogErrorKind {
    /// Returns the text before the detail.
    fn heading(self) -> &'static str {
        match self {
            Self::Torn => "the last line is incomplete: ",
            Self::NotJson => "not JSON: ",
            Self::NotAnEntry => "no entry of this format: ",
            Self::TooLong => "too long: ",
            Self::OutOfOrder => "out of order: ",
            Self::Io => "",
        }
    }
}
