//! Errors when you read a response, whole or streamed.
//!
//! An error ends the reading: after it, a stream returns the same error from every further call.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error_body::ErrorBody;

/// The maximum length of one line in a stream, or of one event's data, in bytes: 32 MiB.
///
/// No more is held in memory; if a line is longer, you get [`StreamErrorKind::TooLong`].
pub const MAX_LINE_BYTES: usize = 32 << 20;

/// Why a stream or a whole response cannot be read. Events before the error are valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct StreamError {
    kind: StreamErrorKind,
    /// The line in the whole stream, not in the event; `None` for a fault at the end, and for
    /// events that are not server-sent events.
    line: Option<u64>,
}

/// The kinds of [`StreamError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The bytes end before the response is complete, as when a connection was lost.
    #[error("the response broke off")]
    Ended,
    /// A line or an event is longer than [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES), or too many
    /// bytes or blocks wait for an earlier block to end.
    #[error("more than {MAX_LINE_BYTES} bytes without an end")]
    TooLong,
    /// The data does not fit its wire: what was expected, and what was found.
    #[error("{0}")]
    Malformed(String),
    /// The provider reported an error within the stream, such as `overloaded_error`.
    #[error("the provider reported {0}")]
    Provider(ErrorBody),
}

impl StreamError {
    /// Creates an error whose line is not known.
    pub(crate) fn new(kind: StreamErrorKind) -> Self {
        Self { kind, line: None }
    }

    /// Creates an error for data that does not fit its wire; `detail` says what was expected and
    /// what was found.
    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StreamErrorKind::Malformed(detail.into()))
    }

    /// Creates an error for a value that is not JSON, or has another shape.
    ///
    /// The message has the value's first 80 characters, with control characters escaped.
    fn json(error: &serde_json::Error, found: &str) -> Self {
        let mut shown: String = found.chars().take(80).flat_map(char::escape_debug).collect();
        if found.chars().nth(80).is_some() {
            shown.push('…');
        }
        // The line within the event is not the line in the stream.
        let error = error.to_string();
        let error = error.rsplit_once(" at line ").map_or(&*error, |(message, _)| message);
        Self::malformed(format!("expected an event: {error}, in {shown}"))
    }

    /// Creates the error that an event reports, in its `error` or in other members of `json`.
    pub(crate) fn of_provider(error: Option<&RawValue>, json: &str) -> Self {
        let body = error
            .and_then(|error| ErrorBody::inner(error.get()))
            .unwrap_or_else(|| ErrorBody::parse(json.as_bytes()));
        Self::new(StreamErrorKind::Provider(body))
    }

    /// Creates the error for JSON in place of a response: the error that it reports, or what was
    /// expected.
    pub(crate) fn in_place_of(expected: impl Into<String>, json: &str) -> Self {
        match ErrorBody::in_json(json) {
            Some(body) => Self::new(StreamErrorKind::Provider(body)),
            None => Self::malformed(expected),
        }
    }

    /// Sets the line, counted from 1, unless it is known already.
    pub(crate) fn at(mut self, line: u64) -> Self {
        self.line.get_or_insert(line);
        self
    }

    /// Returns the error's kind.
    #[must_use]
    pub fn kind(&self) -> &StreamErrorKind {
        &self.kind
    }

    /// Returns the line in the stream, or in a whole response that is not JSON, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

/// Reads JSON.
///
/// # Errors
///
/// The fault, and how the JSON begins.
pub(crate) fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, StreamError> {
    serde_json::from_str(json).map_err(|error| StreamError::json(&error, json))
}

/// Returns a member that the event's type requires.
pub(crate) fn required<T>(value: Option<T>, key: &str) -> Result<T, StreamError> {
    value.ok_or_else(|| StreamError::malformed(format!("expected {key}, found nothing")))
}
