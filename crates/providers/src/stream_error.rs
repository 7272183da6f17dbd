use std::fmt;

use crate::error_body::ErrorBody;

/// A line of a stream, or the data of one event, may be so long, in bytes.
pub const MAX_LINE_BYTES: usize = 32 << 20;

/// An error of reading a stream or a complete response. The events before it
/// are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamError {
    kind: StreamErrorKind,
    line: Option<u64>,
}

/// The kinds of [`StreamError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The bytes end before the answer does.
    Ended,
    /// A line or an event is longer than [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES),
    /// or there is too much that must wait for its turn.
    TooLong,
    /// The data is not of the wire: the expected and the actual value.
    Malformed(String),
    /// The provider reported an error within the stream.
    Provider(ErrorBody),
}

impl StreamError {
    pub(crate) fn new(kind: StreamErrorKind) -> Self {
        Self { kind, line: None }
    }

    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StreamErrorKind::Malformed(detail.into()))
    }

    /// The error of a value that is no JSON, or of another shape.
    pub(crate) fn json(error: &serde_json::Error, found: &str) -> Self {
        let mut shown: String = found
            .chars()
            .take(80)
            .flat_map(char::escape_debug)
            .collect();
        if found.chars().nth(80).is_some() {
            shown.push('…');
        }
        // The line within the event is not the line in the stream.
        let error = error.to_string();
        let error = error
            .rsplit_once(" at line ")
            .map_or(&*error, |(message, _)| message);
        Self::malformed(format!("expected an event: {error}, in {shown}"))
    }

    pub(crate) fn at(mut self, line: u64) -> Self {
        self.line.get_or_insert(line);
        self
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &StreamErrorKind {
        &self.kind
    }

    /// Returns the line of the stream, or of a whole response that is not JSON,
    /// counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        match &self.kind {
            StreamErrorKind::Ended => f.write_str("the response broke off"),
            StreamErrorKind::TooLong => {
                write!(f, "more than {MAX_LINE_BYTES} bytes without an end")
            }
            StreamErrorKind::Malformed(detail) => f.write_str(detail),
            StreamErrorKind::Provider(error) => write!(f, "the provider reported {error}"),
        }
    }
}

impl std::error::Error for StreamError {}
