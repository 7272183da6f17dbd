//! Errors in single entries. Reading continues to the end of the log in spite
//! of them.

use std::fmt;

/// A part of a log that could not be read. The rest is still read.
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
#[error("line {line}: {kind}{detail}")]
pub struct LogError {
    kind: LogErrorKind,
    /// From 1; in a document, its first line or the number of the entry.
    line: usize,
    /// The cause, such as the JSON parser's message.
    detail: String,
}

aside_text::names! {
    /// What kind of [`LogError`] this is. It is displayed as its message begins.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LogErrorKind {
        /// The last line has no end, since its writer was interrupted.
        Torn = "the last line is incomplete: ",
        /// A line is not JSON.
        NotJson = "not JSON: ",
        /// The line is JSON, but no entry in this format.
        NotAnEntry = "no entry of this format: ",
        /// A line or a document is too long. What follows a line is read.
        TooLong = "too long: ",
        /// An entry is older than the latest one before it. It is read all the
        /// same.
        OutOfOrder = "out of order: ",
        /// A token figure is no whole number. Its entry is read without it.
        Figure = "a figure that is no whole number: ",
        /// A usage has no figure that is known. Its entry is read without it.
        Usage = "a usage without a known figure: ",
        /// A time has no form that can be read. Its entry is read without it.
        Time = "a time that cannot be read: ",
        /// The bytes could not be read.
        ///
        /// This is the log's last error.
        Io = "",
    }
}

impl LogError {
    pub(crate) fn new(kind: LogErrorKind, line: usize, detail: impl fmt::Display) -> Self {
        Self { kind, line, detail: detail.to_string() }
    }

    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> LogErrorKind {
        self.kind
    }

    /// Returns the line in the log, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Sets the line, for one that was read by itself.
    #[must_use]
    pub fn at_line(self, line: usize) -> Self {
        Self { line, ..self }
    }
}
