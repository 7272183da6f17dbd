//! The one error of the bindings, which Python and Node raise as an exception.

use std::fmt;

use aside_body::ParseError;
use aside_messages::wire::{ReadError, ReadErrorKind};
use serde::Serialize;

/// An input that cannot be read, an option that does not exist, or a failure on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BindingError {
    /// What failed.
    pub kind: BindingErrorKind,
    /// The cause, with the value concerned.
    pub message: String,
    /// The JSON path or the file; empty if the whole input is at fault.
    pub path: String,
    /// The line of the input, from 1, for a text that is not JSON.
    pub line: Option<usize>,
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BindingErrorKind {
    /// The input is not JSON.
    Syntax,
    /// The input is JSON, but not a request, a list of messages, or a stream.
    Shape,
    /// A function, an option or the value of an option does not exist.
    Option,
    /// The provider or the API would refuse the request.
    Refused,
    /// A file or a directory cannot be read, or git failed.
    Local,
    /// A fault in Aside itself. Please report it.
    Panic,
}

impl BindingErrorKind {
    /// Returns the name in snake case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Shape => "shape",
            Self::Option => "option",
            Self::Refused => "refused",
            Self::Local => "local",
            Self::Panic => "panic",
        }
    }
}

impl BindingError {
    /// Creates an error without a position.
    pub(crate) fn new(kind: BindingErrorKind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            message: message.to_string(),
            path: String::new(),
            line: None,
        }
    }

    /// Creates the error of an option.
    pub(crate) fn option(message: impl fmt::Display) -> Self {
        Self::new(BindingErrorKind::Option, message)
    }

    /// Creates the error of a body.
    pub(crate) fn body(error: &ParseError, bytes: &[u8]) -> Self {
        Self {
            line: Some(line_at(bytes, error.offset())),
            ..Self::new(
                match aside_json::Tape::parse(bytes) {
                    Ok(_) => BindingErrorKind::Shape,
                    Err(_) => BindingErrorKind::Syntax,
                },
                error,
            )
        }
    }

    /// Creates the error of a typed request or message.
    pub(crate) fn read(error: &ReadError) -> Self {
        let kind = match error.kind() {
            ReadErrorKind::Syntax => BindingErrorKind::Syntax,
            _ => BindingErrorKind::Shape,
        };
        Self {
            path: error.path().to_owned(),
            ..Self::new(kind, error)
        }
    }
}

/// Returns the line of a byte, from 1.
fn line_at(bytes: &[u8], offset: usize) -> usize {
    let before = &bytes[..offset.min(bytes.len())];
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

impl fmt::Display for BindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for BindingError {}
