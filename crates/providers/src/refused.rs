//! Refusing a request before it is sent.

use std::fmt;

use aside_models::Wire;
use aside_rules::{Finding, Rule, table};

/// Why the provider would refuse your request. Nothing was written.
///
/// It is displayed as its findings, joined by semicolons: `rule: path: found`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct RefusedError {
    /// At least one.
    findings: Vec<Finding>,
}

/// The kinds of [`RefusedError`], by its first finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedErrorKind {
    /// The model has no name, or is not served there; you can try another one.
    Model,
    /// The body is longer than the platform takes. This limit depends on the platform.
    BodySize,
    /// The request breaks one of the provider's or the model's rules.
    Rule,
}

impl RefusedError {
    /// Creates an error from at least one finding.
    pub(crate) fn new(findings: Vec<Finding>) -> Self {
        Self { findings }
    }

    /// Creates an error from a single finding, for a rule that is checked only while a request is
    /// written.
    pub(crate) fn one(
        rule: &'static Rule,
        path: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        let wire = rule.wires().next().map_or(Wire::Messages, |it| it.wire);
        let mut finding = Finding::new(rule, wire, path.to_string(), found.to_string());
        // The value already says what the target takes.
        finding.expected.clear();
        Self { findings: vec![finding] }
    }

    /// Adds another error's findings.
    pub(crate) fn and(mut self, mut other: Self) -> Self {
        self.findings.append(&mut other.findings);
        self
    }

    /// Replaces the paths of the findings.
    pub(crate) fn renamed(mut self, path: impl Fn(&str) -> String) -> Self {
        for finding in &mut self.findings {
            finding.path = path(&finding.path);
        }
        self
    }

    /// Returns the error's kind.
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
        match self.findings.first().map(|it| it.rule) {
            Some(id) if id == table::MODEL_NAME.id || id == table::MODEL_ENDPOINT.id => {
                RefusedErrorKind::Model
            }
            Some(id) if id == table::BODY_SIZE.id => RefusedErrorKind::BodySize,
            _ => RefusedErrorKind::Rule,
        }
    }

    /// Returns the findings, at least one, with their rules and paths.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
