//! The three severities, and their names.

use std::fmt;
use std::str::FromStr;

/// The severity of a [`Diagnostic`](crate::Diagnostic), in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The result is as configured.
    Note,
    /// An input is used, but possibly not as intended or not completely.
    Warning,
    /// An input is left out completely.
    Error,
}

impl Severity {
    /// Returns the name: `note`, `warning` or `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is not the name of a [`Severity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSeverity(String);

/// The name has to be exactly `note`, `warning` or `error`: letter case counts.
impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(name: &str) -> Result<Self, UnknownSeverity> {
        match name {
            "note" => Ok(Self::Note),
            "warning" => Ok(Self::Warning),
            "error" => Ok(Self::Error),
            _ => Err(UnknownSeverity(name.to_owned())),
        }
    }
}

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected note, warning or error, found {:?}", self.0)
    }
}

impl std::error::Error for UnknownSeverity {}
