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
    /// How serious the finding is.
    pub severity: Severity,
    /// The kind of finding.
    pub code: Code,
    /// The file concerned and the position in it, if any.
    pub location: Option<Location>,
    /// What was found, without the location. It may quote files; to make it
    /// safe for a terminal, use the `Display` of the diagnostic.
    pub message: String,
}

impl Diagnostic {
    /// Creates a diagnostic without a location.
    #[must_use]
    pub fn new(severity: Severity, code: impl Into<Code>, message: impl fmt::Display) -> Self {
        Self { severity, code: code.into(), location: None, message: message.to_string() }
    }

    /// Creates an error: an input is left out.
    #[must_use]
    pub fn error(code: impl Into<Code>, message: impl fmt::Display) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Creates a warning: an input is used, but perhaps not as intended or not
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

    /// Sets the location.
    #[must_use]
    pub fn at(self, location: impl Into<Location>) -> Self {
        Self { location: Some(location.into()), ..self }
    }

    /// Returns the location's path.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.location.as_ref().map(|location| &*location.path)
    }

    /// Returns the location's line, counted from 1.
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
        let Diagnostic { location, message, .. } = self.0;
        if let Some(location) = location {
            write!(f, "{location}: ")?;
        }
        f.write_str(&one_line(message))
    }
}

/// `severity: path:line:column: message`, on one line, safe for a terminal.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.without_severity())
    }
}
