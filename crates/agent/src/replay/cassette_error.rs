use std::fmt;

/// An error of parsing a cassette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CassetteError {
    /// The name of the file.
    name: String,
    /// The line concerned, 1-based.
    line: usize,
    /// The fault, with the path of the value.
    detail: String,
}

impl CassetteError {
    pub(super) fn new(name: &str, line: usize, detail: impl fmt::Display) -> Self {
        Self {
            name: name.to_owned(),
            line,
            detail: detail.to_string(),
        }
    }

    /// Returns the line concerned, 1-based.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for CassetteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, detail } = self;
        write!(f, "{name}:{line}: {detail}")
    }
}

impl std::error::Error for CassetteError {}
