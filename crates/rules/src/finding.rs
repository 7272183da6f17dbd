//! What a check finds.

use std::fmt;

use aside_models::Wire;
use serde::Serialize;

use crate::rule::{Rule, RuleLevel};

/// A broken rule, at one place in a request.
///
/// As `serde` writes it:
///
/// ```json
/// {
///   "rule": "result-order",
///   "level": "refused",
///   "path": "messages[2].content[1]",
///   "found": "the result of \"toolu_1\" after another block",
///   "expected": "tool results before other blocks",
///   "source": "platform docs, errors"
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's id.
    ///
    /// It is stable: you can compare it in scripts, and [`find`](crate::find)
    /// returns its row.
    pub rule: &'static str,
    /// What happens to the request.
    pub level: RuleLevel,
    /// The JSON path, as in `messages[3].content[0]`.
    ///
    /// Empty for the whole body. A missing key is named as if it was there. In
    /// its own errors the API writes this place as `messages.3.content.0`.
    pub path: String,
    /// The value in the request, shortened.
    ///
    /// Text from the body is cut after 40 characters and escaped, so that you
    /// can print it.
    pub found: String,
    /// What the API expects.
    pub expected: String,
    /// The publication or observation that the rule is based on.
    pub source: &'static str,
}

/// What a check returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// Findings at every level, in the order of the rules.
    ///
    /// At most 1,000 are listed; how many more there are is in
    /// [`Checked::not_checked`] under the topic `further-findings`.
    pub findings: Vec<Finding>,
    /// Parts of the body that no rule can decide.
    ///
    /// Sorted by topic, each topic once.
    pub not_checked: Vec<NotChecked>,
}

/// A part of the body that no rule can decide.
///
/// For example, a check cannot see whether a thinking block's signature is
/// valid:
///
/// ```json
/// {"topic": "signatures", "count": 3, "reason": "whether each signature is valid"}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotChecked {
    /// The topic, in kebab case.
    pub topic: &'static str,
    /// How often it occurs in the body.
    pub count: usize,
    /// Why it is not checked.
    pub reason: String,
}

impl Checked {
    /// Iterates over findings that make the API refuse the request with status
    /// 400.
    pub fn refused(&self) -> impl Iterator<Item = &Finding> {
        self.of_level(RuleLevel::Refused)
    }

    /// Iterates over findings at one level.
    pub fn of_level(&self, level: RuleLevel) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |it| it.level == level)
    }
}

impl NotChecked {
    /// Creates an entry.
    ///
    /// For callers that add findings of their own.
    #[must_use]
    pub fn new(topic: &'static str, count: usize, reason: impl Into<String>) -> Self {
        Self { topic, count, reason: reason.into() }
    }
}

impl Finding {
    /// Creates a finding for a rule on a wire. If the wire does not have the
    /// rule, nothing is expected.
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
        let Self { rule, path, found, expected, .. } = self;
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
