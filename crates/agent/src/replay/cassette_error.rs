use std::fmt;

/// Why a text is no cassette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CassetteError {
    name: String,
    line: usize,
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

    /// The line concerned, from 1.
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
