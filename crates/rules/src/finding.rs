//! The findings of a check.

use std::fmt;

use aside_models::Wire;
use serde::Serialize;

use crate::rule::{Rule, RuleLevel};

/// A broken rule at one position of a request.
///
/// As `serde` writes it:
///
/// ```json
/// {
///   "rule": "result-order",
///   "level": "refused",
///   "path": "messages[2].content[1]",
///   "found": "a tool result after another block",
///   "expected": "tool results before other blocks",
///   "source": "platform docs, errors"
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the rule.
    ///
    /// It is stable: scripts may compare it, and [`find`](crate::find) returns its
    /// row.
    pub rule: &'static str,
    /// The effect on the request.
    pub level: RuleLevel,
    /// The JSON path, as in `messages[3].content[0]`.
    ///
    /// Empty for the whole body. A key that is missing is named as if it was
    /// there. The API's own errors write the same position as
    /// `messages.3.content.0`.
    pub path: String,
    /// The value in the request, shortened.
    ///
    /// Text of the body is cut after 40 characters and escaped, so that it can
    /// be printed.
    pub found: String,
    /// The value that the API expects.
    pub expected: String,
    /// The publication or the observation that the rule is based on.
    pub source: &'static str,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The findings of every level, in the order of the rules.
    ///
    /// At most 1,000 are listed; the number of others is in
    /// [`Checked::not_checked`] under the topic `further-findings`.
    pub findings: Vec<Finding>,
    /// Parts of the body that no rule can decide.
    ///
    /// Sorted by topic, each topic once.
    pub not_checked: Vec<NotChecked>,
}

/// A part of the body that no rule can decide.
///
/// For example, a check cannot see whether a signature of a thinking block is
/// valid:
///
/// ```json
/// {"topic": "signatures", "count": 3, "reason": "whether each signature is valid"}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotChecked {
    /// The subject, in kebab case.
    pub topic: &'static str,
    /// The number of its occurrences in the body.
    pub count: usize,
    /// The reason why it is not checked.
    pub reason: String,
}

impl Checked {
    /// Iterates over the findings that the API refuses with status 400.
    pub fn refused(&self) -> impl Iterator<Item = &Finding> {
        self.of_level(RuleLevel::Refused)
    }

    /// Iterates over the findings of a level.
    pub fn of_level(&self, level: RuleLevel) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |it| it.level == level)
    }
}

impl NotChecked {
    /// Creates an entry.
    ///
    /// Used by callers that add findings of their own to those of the rules.
    #[must_use]
    pub fn new(topic: &'static str, count: usize, reason: impl Into<String>) -> Self {
        Self {
            topic,
            count,
            reason: reason.into(),
        }
    }
}

impl Finding {
    /// Creates a finding of a rule on a wire. On a wire that does not have the rule, it expects
    /// nothing.
    #[must_use]
    pub fn new(
        rule: &'static Rule,
        wire: Wire,
        path: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let on = rule.on_wire(wire);
        Self {
            rule: rule.id,
            level: on.map_or(RuleLevel::Refused, |it| it.level),
            path: path.into(),
            found: found.into(),
            expected: on.map_or("", |it| it.expected).to_owned(),
            source: on.map_or("", |it| it.source),
        }
    }
}

/// `rule: path: found, expected …`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            path,
            found,
            expected,
            ..
        } = self;
        match path.as_str() {
            "" => write!(f, "{rule}: {found}")?,
            path => write!(f, "{rule}: {path}: {found}")?,
        }
        match expected.as_str() {
            "" => Ok(()),
            expected => write!(f, ", expected {expected}"),
        }
    }
}
