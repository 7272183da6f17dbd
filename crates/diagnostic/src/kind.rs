//! Kinds of diagnostics, and the macro for crates to declare their own.

use std::fmt;

use crate::code::{Code, is_kebab_case};
use crate::diagnostic::Diagnostic;
use crate::severity::Severity;

/// A kind of diagnostic: a code with its severity and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    code: &'static str,
    severity: Severity,
    summary: &'static str,
}

impl Kind {
    /// Creates a kind whose diagnostics are errors.
    ///
    /// # Panics
    /// If the code is not in kebab case. In a `const`, the compiler reports it.
    #[must_use]
    pub const fn error(code: &'static str, summary: &'static str) -> Self {
        Self::new(Severity::Error, code, summary)
    }

    /// Creates a kind whose diagnostics are warnings.
    ///
    /// # Panics
    /// See [`Kind::error`].
    #[must_use]
    pub const fn warning(code: &'static str, summary: &'static str) -> Self {
        Self::new(Severity::Warning, code, summary)
    }

    /// Creates a kind whose diagnostics are notes.
    ///
    /// # Panics
    /// See [`Kind::error`].
    #[must_use]
    pub const fn note(code: &'static str, summary: &'static str) -> Self {
        Self::new(Severity::Note, code, summary)
    }

    /// The summary is trimmed: a documentation comment begins with a space.
    const fn new(severity: Severity, code: &'static str, summary: &'static str) -> Self {
        assert!(is_kebab_case(code.as_bytes()), "a code is in kebab case");
        Self { code, severity, summary: summary.trim_ascii() }
    }

    /// Returns the code.
    #[must_use]
    pub fn code(&self) -> Code {
        Code::new(self.code)
    }

    /// Returns the severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns what the code means, in one or two sentences.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Returns true if the diagnostic is of this kind.
    ///
    /// Compares codes, not severities.
    #[must_use]
    pub fn is(&self, diagnostic: &Diagnostic) -> bool {
        diagnostic.code.as_str() == self.code
    }

    /// Creates a diagnostic of this kind, without a location.
    #[must_use]
    pub fn diagnostic(&self, message: impl fmt::Display) -> Diagnostic {
        Diagnostic::new(self.severity, self.code(), message)
    }
}

/// Declares the diagnostic kinds of a crate: a constant for each, with its
/// documentation as the summary, and `DIAGNOSTICS`, a list of them all.
///
/// ```
/// aside_diagnostic::kinds! {
///     /// An import names no file.
///     IMPORT_NOT_FOUND = warning "import-not-found";
///     /// A file cannot be read and is left out.
///     UNREADABLE = error "unreadable-file";
/// }
///
/// assert_eq!(DIAGNOSTICS, [IMPORT_NOT_FOUND, UNREADABLE]);
/// assert_eq!(IMPORT_NOT_FOUND.summary(), "An import names no file.");
/// ```
#[macro_export]
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $severity:ident $code:literal;)+) => {
        $(
            $(#[doc = $doc])+
            pub(crate) const $name: $crate::Kind =
                $crate::Kind::$severity($code, concat!($($doc),+));
        )+

        /// All kinds of diagnostics that this crate reports.
        pub const DIAGNOSTICS: &[$crate::Kind] = &[$($name),+];
    };
}
