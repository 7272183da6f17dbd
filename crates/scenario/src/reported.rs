//! Comparing what a session reports with what a scenario expects.

use std::fmt;

use aside_diagnostic::{Diagnostic, Location, Severity};

use crate::world::World;

/// A diagnostic that a session reported, with `/scenario` in place of the real directory.
///
/// A line and a column do not count: they change with every edit above them, and the fault is the
/// same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    severity: Severity,
    text: String,
    /// Severity and path.
    start: String,
    message: String,
}

impl Reported {
    pub(crate) fn new(diagnostic: &Diagnostic, world: &World) -> Self {
        let normalized = |it: &dyn fmt::Display| world.normalize_diagnostic(&it.to_string());
        let severity = diagnostic.severity;
        let start = match &diagnostic.location {
            Some(it) => normalized(&format_args!("{severity}: {}", Location::new(&*it.path))),
            None => severity.to_string(),
        };
        let mut unplaced = diagnostic.clone();
        unplaced.location = None;
        let message = normalized(&unplaced.without_severity());
        Self { severity, text: normalized(diagnostic), start, message: format!(": {message}") }
    }

    /// Returns the line for `diagnostics` in a scenario: the text, without the line and column of
    /// the place.
    #[must_use]
    pub fn without_position(&self) -> String {
        format!("{}{}", self.start, self.message)
    }

    pub(crate) fn is_note(&self) -> bool {
        self.severity == Severity::Note
    }

    /// Returns true if this is a diagnostic in a scenario, which may have another position or
    /// none.
    pub(crate) fn is(&self, expected: &str) -> bool {
        let rest = expected.strip_prefix(&*self.start);
        let position = rest.and_then(|it| it.strip_suffix(&*self.message));
        position.is_some_and(|it| {
            let is_number = |it: &str| it.parse::<usize>().is_ok();
            it.is_empty() || it.strip_prefix(':').is_some_and(|it| it.split(':').all(is_number))
        })
    }
}

/// On one line, with its position.
impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
