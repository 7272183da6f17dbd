//! Why some bytes are no request body.

use std::fmt;

use aside_json::JsonError;

/// These bytes are no request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: usize,
    detail: String,
}

/// What kind of [`ParseError`] this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The bytes are not JSON.
    Json,
    /// The bytes are JSON, but no request for a known wire.
    NotARequest,
    /// The body is for Bedrock's Converse, whose cache points are not read.
    Converse,
}

impl ParseError {
    pub(super) fn not_json(offset: usize, detail: impl fmt::Display) -> Self {
        Self::new(ParseErrorKind::Json, offset, detail)
    }

    pub(super) fn new(kind: ParseErrorKind, offset: usize, detail: impl fmt::Display) -> Self {
        Self { kind, offset, detail: detail.to_string() }
    }

    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Returns the position where the bytes are not as expected.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl From<JsonError> for ParseError {
    fn from(error: JsonError) -> Self {
        Self::not_json(error.at(), error.expected())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ParseErrorKind::Json => write!(f, "not JSON at byte {}: {}", self.offset, self.detail),
            ParseErrorKind::NotARequest => write!(f, "no request body: {}", self.detail),
            ParseErrorKind::Converse => {
                f.write_str("a body of Bedrock's Converse, whose cache points are not read")
            }
        }
    }
}

impl std::error::Error for ParseError {}
