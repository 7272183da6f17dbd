//! The diagnostic itself, and its form on one line.

use std::fmt;
use std::path::Path;

use aside_text::one_line;

use crate::code::Code;
use crate::location::Location;
use crate::severity::Severity;

/// A finding for the user about an input that is used or left out. The request
/// is made in any case; an operation that fails returns an error instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The kind of the finding.
    pub code: Code,
    /// The file and the position concerned, if there is one.
    pub location: Option<Location>,
    /// The finding, without the location. It may contain text of files;
    /// `Display` of the diagnostic escapes it for a terminal.
    pub message: String,
}

impl Diagnostic {
    /// Creates a diagnostic without a location.
    #[must_use]
    pub fn new(severity: Severity, code: impl Into<Code>, message: impl fmt::Display) -> Self {
        Self {
            severity,
            code: code.into(),
            location: None,
            message: message.to_string(),
        }
    }

    /// Creates an error: an input is left out completely.
    #[must_use]
    pub fn error(code: impl Into<Code>, message: impl fmt::Display) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Creates a warning: an input is used, but possibly not as intended or not
    /// completely.
    #[must_use]
    pub fn warning(code: impl Into<Code>, message: impl fmt::Display) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Creates a note: the result is as configured.
    #[must_use]
    pub fn note(code: impl Into<Code>, message: impl fmt::Display) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Returns the diagnostic with this location.
    #[must_use]
    pub fn at(self, location: impl Into<Location>) -> Self {
        Self {
            location: Some(location.into()),
            ..self
        }
    }

    /// Returns the path of the location.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.location.as_ref().map(|location| &*location.path)
    }

    /// Returns the line of the location, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.location.as_ref()?.line
    }

    /// Returns location and message on one line: `path:line: message`.
    #[must_use]
    pub fn without_severity(&self) -> impl fmt::Display + '_ {
        WithoutSeverity(self)
    }
}

struct WithoutSeverity<'a>(&'a Diagnostic);

impl fmt::Display for WithoutSeverity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic {
            location, message, ..
        } = self.0;
        if let Some(location) = location {
            write!(f, "{location}: ")?;
        }
        f.write_str(&one_line(message))
    }
}

/// `severity: path:line:column: message`, on one line that is fit for a terminal.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.without_severity())
    }
}
