use std::fmt;

use aside_models::{Platform, Platforms};
use serde::{Serialize, Serializer};

/// A rule of the Messages API, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rule {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// The effect of a violation on the request.
    pub level: RuleLevel,
    /// The value that the API expects.
    pub expected: &'static str,
    /// The publication or the observation that the rule is based on.
    pub source: &'static str,
    /// The first version of the API that has the rule; `None` for all.
    pub since: Option<ApiVersion>,
    /// The fact about the model that the rule depends on, by its field in
    /// [`aside_models::ModelFacts`].
    pub model: Option<&'static str>,
    /// The betas that lift the rule; one of them is enough.
    pub betas: &'static [&'static str],
    /// The platforms that have the rule.
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
    Needs,
    /// The request is accepted, but cache hits or thinking are lost without an
    /// error.
    Lossy,
    /// The request has a type that the rules do not know.
    Unknown,
    /// The request is accepted, by a feature that will be removed.
    Deprecated,
}

/// The part of a request that a rule depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleScope {
    /// The whole request.
    #[default]
    Whole,
    /// Parameters, tools and system prompt.
    Prefix,
    /// One message and its neighbors.
    Messages,
    /// One object, wherever it is.
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

    pub(super) const fn level(self, level: RuleLevel) -> Self {
        Self { level, ..self }
    }

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
