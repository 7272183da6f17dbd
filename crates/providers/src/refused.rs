//! The refusal of a request before it is sent.

use std::fmt;

use aside_messages::Violation;

/// The error of a request that the provider would refuse. Nothing was written.
///
/// It is displayed as its violations, joined by semicolons: `rule: path: found`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedError {
    /// There is at least one.
    violations: Vec<Violation>,
}

/// The kinds of [`RefusedError`], by its first violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedErrorKind {
    /// The model has no name, or is not served there: another one may be.
    Model,
    /// The body is longer than the platform takes.
    /// The limit depends on the platform.
    BodySize,
    /// The request breaks a rule of the provider or the model.
    Rule,
}

impl RefusedError {
    /// Creates the error of violations, of which there is at least one.
    pub(crate) fn new(violations: Vec<Violation>) -> Self {
        Self { violations }
    }

    /// Creates the error of one violation of a rule that is checked only while a request is
    /// written.
    pub(crate) fn one(
        rule: &'static str,
        path: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self {
            violations: vec![Violation::new(rule, path.to_string(), found.to_string())],
        }
    }

    /// Returns the kind of the error.
    ///
    /// ```
    /// use aside_messages::wire::Request;
    /// use aside_providers::{Options, Provider, RefusedErrorKind, convert};
    ///
    /// let request = Request::parse(br#"{"model":"","max_tokens":9,"messages":[]}"#)?.value;
    /// let error = convert(&request, Provider::Gemini, &Options::for_model("gemini-4-argon"));
    /// assert_eq!(error.unwrap_err().kind(), RefusedErrorKind::Rule);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kind(&self) -> RefusedErrorKind {
        match self.violations.first().map(|it| it.rule) {
            Some("model-name" | "model-id" | "model-endpoint") => RefusedErrorKind::Model,
            Some("body-size") => RefusedErrorKind::BodySize,
            _ => RefusedErrorKind::Rule,
        }
    }

    /// Returns the violations, with the rule and the path of each; there is at
    /// least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl fmt::Display for RefusedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.violations.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RefusedError {}
