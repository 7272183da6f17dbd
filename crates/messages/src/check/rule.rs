//! A rule as data, and the scales on which it is judged.

use std::fmt;

use aside_models::{Platform, Platforms};
use serde::{Serialize, Serializer};

/// A rule of the Messages API, as data.
///
/// As `serde` writes it:
///
/// ```json
/// {
///   "name": "clear-at-beta",
///   "level": "needs",
///   "expected": "the beta of turn-scoped system messages",
///   "source": "published live error texts, October 2026",
///   "since": null,
///   "model": null,
///   "betas": ["mid-conversation-system-clear-at-2026-08-21"],
///   "platforms": ["…"]
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rule {
    /// The name in kebab case, such as `orphaned-result`. It is stable.
    pub name: &'static str,
    /// The effect of a violation on the request.
    ///
    /// The level of a violation may differ: if the version of the API is not
    /// known, a rule with `since` gives [`RuleLevel::Needs`], and if the betas
    /// are known to lack those of the rule, `Needs` is [`RuleLevel::Refused`].
    pub level: RuleLevel,
    /// The value that the API expects.
    ///
    /// A noun phrase that reads after “expected”.
    pub expected: &'static str,
    /// The publication or the observation that the rule is based on.
    ///
    /// A page of the documentation, the types of the SDK, issue threads, or a
    /// published observation with its month.
    pub source: &'static str,
    /// The first version of the API that has the rule; `None` for all.
    pub since: Option<ApiVersion>,
    /// The fact about the model that the rule depends on, by its field in
    /// [`aside_models::ModelFacts`].
    pub model: Option<&'static str>,
    /// The betas that lift the rule; one of them is enough.
    pub betas: &'static [&'static str],
    /// The platforms that have the rule.
    ///
    /// A request that may be for several platforms breaks the rule only if all
    /// of them have it.
    pub platforms: Platforms,
    /// The part of a request that the rule depends on.
    #[serde(skip)]
    pub(crate) part: RuleScope,
}

/// The effect of a violation on the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RuleLevel {
    /// The API refuses the request with status 400.
    Refused,
    /// The request is valid only with a beta or a version of the API, which the
    /// body does not contain.
    ///
    /// Reported if the betas or the version are not known, as for a body that
    /// was read from a file.
    Needs,
    /// The request is accepted, but cache hits or thinking are lost without an
    /// error.
    ///
    /// For example, a marker on a prompt that is shorter than the model's cache
    /// minimum: the request succeeds and both cache counters are 0.
    Lossy,
    /// The request has a type that the rules do not know.
    ///
    /// For example, a content block of a type that was published after this
    /// version.
    Unknown,
    /// The request is accepted, by a feature that will be removed.
    ///
    /// For example, the top-level key `output_format`.
    Deprecated,
}

/// The part of a request that a rule depends on.
///
/// Parts of a request can be checked as soon as they exist: the prefix when a
/// session opens, each message when it is appended. Rules of the scope `Whole`
/// need the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleScope {
    /// The whole request.
    #[default]
    Whole,
    /// Parameters, tools and system prompt.
    Prefix,
    /// One message and its neighbors.
    ///
    /// A neighbour is needed for the pairs of tool uses and results, and for
    /// the place of a system message.
    Messages,
    /// One object, wherever it is.
    ///
    /// It can be judged in any part.
    Object,
}

/// A version of the API, as in the header `anthropic-version`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ApiVersion {
    /// `2023-06-01`
    #[default]
    V2023_06_01,
    /// `2026-10-21`
    ///
    /// Refuses the sampling parameters, documents of the assistant, and
    /// citations on text of the user.
    V2026_10_21,
}

impl RuleLevel {
    /// Every level, the most severe first.
    pub const ALL: [Self; 5] = [
        Self::Refused,
        Self::Needs,
        Self::Lossy,
        Self::Unknown,
        Self::Deprecated,
    ];

    /// Returns the name in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Needs => "needs",
            Self::Lossy => "lossy",
            Self::Unknown => "unknown",
            Self::Deprecated => "deprecated",
        }
    }
}

impl fmt::Display for RuleLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ApiVersion {
    /// Returns the value of the header.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2023_06_01 => "2023-06-01",
            Self::V2026_10_21 => "2026-10-21",
        }
    }

    /// Finds a version by the value of the header.
    ///
    /// Returns `None` for any other value, also for a version of a cloud such
    /// as `bedrock-2023-05-31`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::V2023_06_01, Self::V2026_10_21];
        all.into_iter().find(|it| it.as_str() == name)
    }
}

impl Serialize for ApiVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Rule {
    /// Creates a rule of the level `Refused` that all versions, models and
    /// platforms have.
    pub(super) const fn new(
        part: RuleScope,
        name: &'static str,
        source: &'static str,
        expected: &'static str,
    ) -> Self {
        Self {
            name,
            level: RuleLevel::Refused,
            expected,
            source,
            since: None,
            model: None,
            betas: &[],
            platforms: Platforms::ALL,
            part,
        }
    }

    /// Sets another level than `Refused`.
    pub(super) const fn level(self, level: RuleLevel) -> Self {
        Self { level, ..self }
    }

    /// Sets the first version of the API that has the rule.
    pub(super) const fn since(self, version: ApiVersion) -> Self {
        Self {
            since: Some(version),
            ..self
        }
    }

    /// Makes the rule depend on a fact about the model.
    pub(super) const fn by_model(self, fact: &'static str) -> Self {
        Self {
            model: Some(fact),
            ..self
        }
    }

    /// Sets the betas that lift the rule.
    pub(super) const fn without(self, betas: &'static [&'static str]) -> Self {
        Self { betas, ..self }
    }

    /// Restricts the rule to these platforms.
    pub(super) const fn on(self, platforms: &[Platform]) -> Self {
        Self {
            platforms: Platforms::of(platforms),
            ..self
        }
    }
}
