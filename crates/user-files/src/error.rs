use std::fmt;

/// What went wrong, and on which line of the file.
///
/// Reads after "failed to read the front matter: ", for example
/// `line 3: paths: invalid type: integer …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    line: usize,
    message: String,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A block is opened, and not closed within 64 KB.
    Unclosed,
    /// The block is YAML, but a text, number or list instead of a mapping.
    NotAMapping,
    /// The block is no YAML, or its data does not have the type asked for.
    Data,
    /// The block is larger or deeper, or repeats more, than what a person
    /// writes; to read it could take all the time and memory there is.
    Limit,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, line: usize, message: impl Into<String>) -> Self {
        Self {
            kind,
            line,
            message: message.into(),
        }
    }

    /// The kind of fault.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The line of the file, 1-based: the opening line of the block where
    /// nothing more exact is known.
    pub fn line(&self) -> usize {
        self.line
    }

    /// What was found and what was expected, without the line.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Error {}
