use std::fmt;

use aside_messages::Violation;

/// A request that the provider would refuse. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    violations: Vec<Violation>,
}

impl Refused {
    /// There is at least one violation.
    pub(crate) fn new(violations: Vec<Violation>) -> Self {
        Self { violations }
    }

    pub(crate) fn one(
        rule: &'static str,
        path: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self {
            violations: vec![Violation::new(rule, path.to_string(), found.to_string())],
        }
    }

    /// Returns the violations, with the rule and the path of each; there is at
    /// least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.violations.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}
