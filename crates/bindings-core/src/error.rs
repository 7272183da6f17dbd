//! The one error that Python and Node raise as an exception.

use std::fmt;

use aside_body::ParseError;
use aside_json::Tape;
use aside_messages::wire::ReadError;
use serde::Serialize;

/// An input cannot be read, an option does not exist, or this machine fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BindingError {
    /// What failed.
    pub kind: BindingErrorKind,
    /// The cause, and the value concerned.
    pub message: String,
    /// The JSON path or the file; empty when the whole input is at fault.
    pub path: String,
    /// The line in the input, from 1, when the text is not JSON.
    pub line: Option<usize>,
}

aside_text::names! {
    /// What failed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum BindingErrorKind {
        /// The input is not JSON.
        Syntax = "syntax",
        /// The input is JSON, but no request, message list or stream.
        Shape = "shape",
        /// A function, an option or an option's value does not exist.
        Option = "option",
        /// The provider or the API would refuse this request.
        Refused = "refused",
        /// A file or a directory cannot be read, or git failed.
        Local = "local",
        /// A bug in Aside itself. Please report it.
        Panic = "panic",
    }
}

impl BindingError {
    pub(crate) fn new(kind: BindingErrorKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), path: String::new(), line: None }
    }

    pub(crate) fn shape(message: impl fmt::Display) -> Self {
        Self::new(BindingErrorKind::Shape, message)
    }

    pub(crate) fn option(message: impl fmt::Display) -> Self {
        Self::new(BindingErrorKind::Option, message)
    }

    pub(crate) fn body(error: &ParseError, bytes: &[u8]) -> Self {
        let line = Some(line_at(bytes, error.offset()));
        Self { line, ..Self::shape(error).of_input(bytes) }
    }

    pub(crate) fn read(error: &ReadError, bytes: &[u8]) -> Self {
        let path = error.path().to_owned();
        Self { path, ..Self::shape(error).of_input(bytes) }
    }

    /// Adds the line in an input that is not JSON.
    pub(crate) fn of_input(self, bytes: &[u8]) -> Self {
        match Tape::parse(bytes) {
            Ok(_) => self,
            Err(error) => Self {
                kind: BindingErrorKind::Syntax,
                line: Some(line_at(bytes, error.at())),
                ..self
            },
        }
    }
}

/// Counts lines from 1.
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
