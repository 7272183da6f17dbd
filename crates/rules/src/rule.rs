//! A rule as data, and the scales to judge it by.

use aside_models::{Platform, Platforms, Wire};
use serde::{Serialize, Serializer};

/// A rule as data: what it expects on each wire that has it.
///
/// As `serde` writes it:
///
/// ```json
/// {
///   "id": "clear-at-beta",
///   "since": null,
///   "betas": ["mid-conversation-system-clear-at-2026-08-21"],
///   "platforms": ["…"],
///   "fix": null,
///   "aliases": [],
///   "wires": [{
///     "wire": "messages",
///     "level": "needs",
///     "expected": "the beta of turn-scoped system messages",
///     "source": "published live error texts, October 2026",
///     "model": null
///   }]
/// }
/// ```
#[derive(Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rule {
    /// The id in kebab case, such as `orphaned-result`. It is stable, and the
    /// same on every wire and in every command.
    pub id: &'static str,
    /// The first Messages API version that has this rule; `None` for all.
    pub since: Option<ApiVersion>,
    /// The betas that lift this rule; one is enough.
    pub betas: &'static [&'static str],
    /// The platforms that have this rule.
    ///
    /// A request that could be for several platforms breaks the rule only if
    /// all have it.
    pub platforms: Platforms,
    /// How to repair a request, as an imperative, for rules about cost.
    pub fix: Option<&'static str>,
    /// Its ids in earlier versions, which [`find`](crate::find) still finds.
    pub aliases: &'static [&'static str],
    /// In the order of [`Wire::ALL`].
    #[serde(serialize_with = "present")]
    wires: [Option<OnWire>; Wire::ALL.len()],
}

/// A rule on one wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OnWire {
    /// The wire.
    pub wire: Wire,
    /// What a violation does to the request.
    ///
    /// A finding's level may differ: when the API version is unknown, a rule
    /// with `since` gives [`RuleLevel::Needs`], and when the betas are known
    /// but the rule's own are not among them, `Needs` is
    /// [`RuleLevel::Refused`].
    pub level: RuleLevel,
    /// What the API expects.
    ///
    /// A noun phrase that reads after “expected”.
    pub expected: &'static str,
    /// The publication or observation that the rule is based on.
    ///
    /// A documentation page, the SDK's types, issue threads, or a published
    /// observation with its month.
    pub source: &'static str,
    /// The model fact that the rule depends on, by its field in
    /// [`aside_models::ModelFacts`].
    pub model: Option<&'static str>,
}

aside_text::names! {
    /// What a violation does to the request.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum RuleLevel {
        /// The API refuses the request with status 400.
        Refused = "refused",
        /// The request is valid only with a beta or an API version, which the body
        /// does not say.
        ///
        /// Reported when betas or version are unknown, for example when you check a
        /// body from a file.
        Needs = "needs",
        /// The request is accepted, but cache hits or thinking are lost without an
        /// error.
        ///
        /// For example, a marker on a prompt that is shorter than the model's cache
        /// minimum: the request succeeds and both cache counters are 0.
        Lossy = "lossy",
        /// The request has a type that the rules do not know.
        ///
        /// For example, a content block whose type was published after this
        /// version.
        Unknown = "unknown",
        /// The request is accepted, but uses a feature that will be removed.
        ///
        /// For example, the top-level key `output_format`.
        Deprecated = "deprecated",
        /// The request is accepted, and costs more than it needs to.
        Cost = "cost",
    }
}

aside_text::names! {
    /// An API version, as in the header `anthropic-version`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ApiVersion {
        /// `2023-06-01`
        #[default]
        V2023_06_01 = "2023-06-01",
        /// `2026-10-21`
        ///
        /// Refuses sampling parameters, assistant documents, and citations on user
        /// text.
        V2026_10_21 = "2026-10-21",
    }
}

impl Serialize for ApiVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Rule {
    /// Returns what the rule is on a wire; `None` if that wire does not have
    /// it.
    #[must_use]
    pub fn on_wire(&self, wire: Wire) -> Option<&OnWire> {
        self.wires().find(|it| it.wire == wire)
    }

    /// Iterates over the wires that have this rule.
    pub fn wires(&self) -> impl Iterator<Item = &OnWire> {
        self.wires.iter().flatten()
    }

    /// Returns true if this is the rule's id, or was in an earlier version.
    #[must_use]
    pub fn is_named(&self, id: &str) -> bool {
        self.id == id || self.aliases.contains(&id)
    }

    /// Starts a rule that no wire has yet.
    pub(crate) const fn new(id: &'static str) -> Self {
        Self {
            id,
            since: None,
            betas: &[],
            platforms: Platforms::ALL,
            fix: None,
            aliases: &[],
            wires: [None; Wire::ALL.len()],
        }
    }

    const fn with(mut self, index: usize, source: &'static str, expected: &'static str) -> Self {
        self.wires[index] = Some(OnWire {
            wire: Wire::ALL[index],
            level: RuleLevel::Refused,
            expected,
            source,
            model: None,
        });
        self
    }

    pub(crate) const fn messages(self, source: &'static str, expected: &'static str) -> Self {
        self.with(0, source, expected)
    }

    pub(crate) const fn chat(self, source: &'static str, expected: &'static str) -> Self {
        self.with(2, source, expected)
    }

    pub(crate) const fn responses(self, source: &'static str, expected: &'static str) -> Self {
        self.with(1, source, expected)
    }

    pub(crate) const fn gemini(self, source: &'static str, expected: &'static str) -> Self {
        self.with(3, source, expected)
    }

    pub(crate) const fn openai(self, source: &'static str, expected: &'static str) -> Self {
        self.chat(source, expected).responses(source, expected)
    }

    /// Adds the rule to all wires but the Messages API.
    pub(crate) const fn elsewhere(self, source: &'static str, expected: &'static str) -> Self {
        self.openai(source, expected).gemini(source, expected)
    }

    pub(crate) const fn everywhere(self, source: &'static str, expected: &'static str) -> Self {
        self.messages(source, expected).elsewhere(source, expected)
    }

    /// Changes the wires added so far, from `index` on.
    const fn map_from(
        mut self,
        mut index: usize,
        level: Option<RuleLevel>,
        model: Option<&'static str>,
    ) -> Self {
        while index < Wire::ALL.len() {
            if let Some(mut row) = self.wires[index] {
                if let Some(level) = level {
                    row.level = level;
                }
                if row.model.is_none() {
                    row.model = model;
                }
                self.wires[index] = Some(row);
            }
            index += 1;
        }
        self
    }

    /// Sets another level than `Refused` on all wires added so far.
    pub(crate) const fn level(self, level: RuleLevel) -> Self {
        self.map_from(0, Some(level), None)
    }

    /// Sets another level than `Refused` on all wires but Messages.
    pub(crate) const fn level_elsewhere(self, level: RuleLevel) -> Self {
        self.map_from(1, Some(level), None)
    }

    /// Makes the rule depend on a model fact, on the wires added so far that
    /// depend on no other.
    pub(crate) const fn by_model(self, fact: &'static str) -> Self {
        self.map_from(0, None, Some(fact))
    }

    pub(crate) const fn since(self, version: ApiVersion) -> Self {
        Self { since: Some(version), ..self }
    }

    /// These betas lift the rule.
    pub(crate) const fn without(self, betas: &'static [&'static str]) -> Self {
        Self { betas, ..self }
    }

    /// Only these platforms have the rule.
    pub(crate) const fn on(self, platforms: &[Platform]) -> Self {
        Self { platforms: Platforms::of(platforms), ..self }
    }

    pub(crate) const fn fix(self, fix: &'static str) -> Self {
        Self { fix: Some(fix), ..self }
    }

    /// Sets the ids from earlier versions.
    pub(crate) const fn was(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}

fn present<S: Serializer>(wires: &[Option<OnWire>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(wires.iter().flatten())
}
