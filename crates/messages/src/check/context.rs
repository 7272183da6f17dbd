//! The inputs of the rules, and the decision whether a violation counts.
//!
//! A rule calls [`Context::add`] whenever its condition holds; the context
//! drops the violation if the version of the API, a beta or the platform lifts
//! the rule, and chooses its level. For a `clear_at` in a body:
//!
//! | `Rules::betas` | result |
//! |---|---|
//! | `None` | `clear-at-beta`, level `needs` |
//! | `Some([])` | `clear-at-beta`, level `refused` |
//! | `Some(["made-up-2027-01-01"])` | `clear-at-beta`, level `needs` |
//! | with `mid-conversation-system-clear-at-2026-08-21` | none |

use std::collections::BTreeMap;

use aside_models::{Known, ModelFacts, Platform, Platforms, Support, find_on};

use super::known_betas;
use super::rule::{ApiVersion, Rule, RuleLevel, RuleScope};
use super::view::View;
use super::{ApiEndpoint, Checked, NotChecked, Rules, Violation};
use aside_json::Value;

/// More violations of one body are counted, not listed.
const MAX_VIOLATIONS: usize = 1_000;

/// The inputs of the rules, and their findings.
pub(super) struct Context {
    pub(super) endpoint: ApiEndpoint,
    /// `None` if neither the caller nor the body states it.
    pub(super) version: Option<ApiVersion>,
    /// The facts of the model, if it is in the catalogue.
    pub(super) facts: Option<&'static ModelFacts>,
    /// The platforms that may receive the request.
    pub(super) platforms: Platforms,
    /// The model is in the address, a version in the body.
    pub(super) is_cloud_body: bool,
    /// The id in the caller's rules, or else in the body.
    model: Option<String>,
    /// The betas that are sent; `None` if they are not known.
    betas: Option<Vec<String>>,
    /// The betas that are sent and that no list names, each once.
    pub(super) unknown_betas: Vec<String>,
    part: RuleScope,
    violations: Vec<Violation>,
    /// The number of violations after the first `MAX_VIOLATIONS`.
    surplus: usize,
    /// By topic: how often, and the reason of the first time.
    not_checked: BTreeMap<&'static str, (usize, String)>,
}

impl Context {
    /// Creates the context of a body. The platform, the version and the betas are
    /// those of the caller, or else those that the body reveals:
    ///
    /// - `anthropic_version` that begins with `bedrock` or `vertex`:
    ///   `InvokeModel` or Google Cloud, whose betas are in `anthropic_beta`;
    /// - a model id with `anthropic.`: Bedrock's Messages endpoint;
    /// - neither: the Claude API, the AWS Platform or Foundry.
    pub(super) fn new(root: Value<'_>, rules: &Rules, part: RuleScope) -> Self {
        let body_version = root.text_of("anthropic_version");
        let by_body = match body_version.as_deref() {
            Some(version) if version.starts_with("bedrock") => Some(Platform::BedrockInvoke),
            Some(version) if version.starts_with("vertex") => Some(Platform::GoogleCloud),
            _ => None,
        };
        let is_cloud_body = match rules.platform {
            Some(platform) => {
                platform == Platform::BedrockInvoke || platform == Platform::GoogleCloud
            }
            None => by_body.is_some(),
        };
        let model = rules
            .model
            .clone()
            .or_else(|| root.text_of("model").map(Into::into));
        let platforms = match rules.platform.or(by_body) {
            Some(platform) => Platforms::of(&[platform]),
            None if model.as_deref().is_some_and(|id| id.contains("anthropic.")) => {
                Platforms::of(&[Platform::BedrockMessages])
            }
            None => Platforms::of(&[
                Platform::FirstParty,
                Platform::AwsPlatform,
                Platform::Foundry,
            ]),
        };
        let platform = rules.platform.or(by_body).unwrap_or(Platform::FirstParty);
        let found = model.as_deref().map(|model| find_on(platform, model));
        let facts = found.filter(|found| found.known == Known::Known);
        let in_body = root
            .get("anthropic_beta")
            .filter(|_| is_cloud_body)
            .map(|list| list.items().filter_map(Value::text))
            .map(|betas| betas.map(Into::into).collect());
        // `InvokeModel` has no header for betas.
        let is_invoke = rules.platform.or(by_body) == Some(Platform::BedrockInvoke);
        let in_body = in_body.or_else(|| is_invoke.then(Vec::new));
        let betas: Option<Vec<String>> = rules.betas.clone().or(in_body);
        Self {
            endpoint: rules.endpoint,
            version: rules
                .version
                .or_else(|| is_cloud_body.then_some(ApiVersion::V2023_06_01)),
            facts: facts.map(|found| found.facts),
            platforms,
            is_cloud_body,
            model,
            unknown_betas: known_betas::unknown(betas.iter().flatten()),
            betas,
            part,
            violations: Vec::new(),
            surplus: 0,
            not_checked: BTreeMap::new(),
        }
    }

    /// Returns the only platform that may receive the request.
    ///
    /// Returns `None` if several platforms are possible.
    pub(super) fn platform(&self) -> Option<Platform> {
        let mut all = self.platforms.iter();
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns true if one of the betas is known to be sent; `None` if the
    /// betas are not known.
    ///
    /// One of `betas` is enough. White space around a sent name is ignored.
    pub(super) fn has_beta(&self, betas: &[&str]) -> Option<bool> {
        let sent = self.betas.as_ref()?;
        Some(sent.iter().any(|beta| betas.contains(&beta.trim())))
    }

    /// Returns true if a platform that may receive the request supports a
    /// feature of the model, false if all of them refuse it or if the Claude
    /// API, being one of them, does; `None` if that is not known.
    pub(super) fn supports(&self, feature: impl Fn(&ModelFacts) -> Support) -> Option<bool> {
        let support = feature(self.facts?);
        let known = |it| support.known_on(it);
        if self.platforms.iter().any(|it| known(it) == Some(true)) {
            return Some(true);
        }
        let refuses = |it| known(it) == Some(false);
        // A body that names no platform is probably for the vendor's own.
        let is_refused = self.platforms.iter().all(refuses)
            || (self.platforms.contains(Platform::FirstParty) && refuses(Platform::FirstParty));
        is_refused.then_some(false)
    }

    /// Reports a violation if a feature is known to be missing, and counts it
    /// as not checked if nothing is known.
    ///
    /// For example, a system message in mid-conversation with `claude-opus-4-7`
    /// is a violation of `system-model`, and with a model that no source
    /// describes it is counted under `undocumented-feature`. For a model that
    /// is not in the catalogue, `model-rules` is counted once instead.
    pub(super) fn require(
        &mut self,
        rule: &Rule,
        feature: impl Fn(&ModelFacts) -> Support,
        path: impl Into<String>,
        found: &str,
    ) {
        match self.supports(feature) {
            Some(true) => {}
            Some(false) => self.add(rule, path, self.on_model(found)),
            None if self.facts.is_some() => {
                let reason = format!(
                    "no source states whether {} accepts it on this platform",
                    self.model_name()
                );
                self.skip("undocumented-feature", 1, reason);
            }
            None => {}
        }
    }

    /// Returns the id of the model, for messages.
    pub(super) fn model_name(&self) -> &str {
        match self.facts {
            Some(facts) => facts.id,
            None => self.model.as_deref().unwrap_or("the model"),
        }
    }

    /// Returns `found` with the model that does not take it.
    pub(super) fn on_model(&self, found: &str) -> String {
        format!("{found} with {}", self.model_name())
    }

    /// Adds a violation with the expectation of its rule.
    ///
    /// `path` is a JSON path such as `messages[3].content[0]`, `found` a short
    /// noun phrase or a value.
    pub(super) fn add(&mut self, rule: &Rule, path: impl Into<String>, found: impl Into<String>) {
        self.add_expecting(rule, path, found, rule.expected);
    }

    /// Adds a violation, unless the version of the API, a beta or the platform
    /// lifts its rule.
    pub(super) fn add_expecting(
        &mut self,
        rule: &Rule,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let path = path.into();
        if !self.is_in_part(rule.part, &path) {
            return;
        }
        let Some(level) = self.level(rule) else {
            return;
        };
        if self.violations.len() >= MAX_VIOLATIONS {
            self.surplus += 1;
            return;
        }
        let mut expected: String = expected.into();
        if level == RuleLevel::Needs && !rule.betas.is_empty() {
            expected = format!("{expected} ({})", rule.betas.join(" or "));
        }
        self.violations.push(Violation {
            rule: rule.name,
            level,
            path,
            found: found.into(),
            expected,
        });
    }

    /// Returns the level of a violation of the rule for this request; `None` if
    /// the rule does not apply.
    ///
    /// In this order: a version before `since` lifts the rule and an unknown
    /// one makes it `Needs`; a beta lifts it, and without it `Needs` becomes
    /// `Refused` if every beta that is sent is known; a possible platform that lacks the rule lifts it.
    fn level(&self, rule: &Rule) -> Option<RuleLevel> {
        let mut level = rule.level;
        match (rule.since, self.version) {
            (Some(since), Some(version)) if version < since => return None,
            (Some(_), None) => level = RuleLevel::Needs,
            _ => {}
        }
        if !rule.betas.is_empty() {
            match self.has_beta(rule.betas) {
                Some(true) => return None,
                // An unknown beta may lift the rule as well.
                Some(false) if level == RuleLevel::Needs && self.unknown_betas.is_empty() => {
                    level = RuleLevel::Refused;
                }
                _ => {}
            }
        }
        let has_rule = self.platforms.iter().all(|it| rule.platforms.contains(it));
        has_rule.then_some(level)
    }

    /// Returns true if a rule is decidable in the part that is checked. Rules
    /// about single objects belong to the part that their path is in.
    fn is_in_part(&self, of_rule: RuleScope, path: &str) -> bool {
        match (self.part, of_rule) {
            (RuleScope::Whole, _) => true,
            (RuleScope::Messages, RuleScope::Object) => path.starts_with("messages["),
            (RuleScope::Prefix, RuleScope::Object) => !path.starts_with("messages"),
            (part, of_rule) => part == of_rule,
        }
    }

    /// Counts a part that cannot be decided.
    ///
    /// The reason of the first call is kept for each topic.
    pub(super) fn skip(&mut self, topic: &'static str, count: usize, reason: impl Into<String>) {
        if count > 0 {
            let entry = self.not_checked.entry(topic);
            entry.or_insert_with(|| (0, reason.into())).0 += count;
        }
    }

    /// Returns the violations alone.
    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }

    /// Adds the values that only the API can judge (signatures, ids of the
    /// server) to the parts that were not checked.
    pub(super) fn finish(mut self, view: &View<'_>) -> Checked {
        self.skip_the_undecidable(view);
        let surplus = std::mem::take(&mut self.surplus);
        self.skip("further-violations", surplus, "only the first are listed");
        let not_checked = self.not_checked.into_iter();
        Checked {
            violations: self.violations,
            not_checked: not_checked
                .map(|(topic, (count, reason))| NotChecked {
                    topic,
                    count,
                    reason,
                })
                .collect(),
        }
    }

    /// Counts the parts whose validity only the API knows:
    ///
    /// - `model-rules`: no model, or one that is not in the catalogue;
    /// - `retention`: Fable and Mythos refuse organizations without 30-day
    ///   retention (documented);
    /// - `signatures`: of thinking, and the prefix that they are bound to;
    /// - `compaction-blocks`, `thread`, `server-state`: values that the API
    ///   made.
    fn skip_the_undecidable(&mut self, view: &View<'_>) {
        match (&self.model, self.facts) {
            (None, _) => self.skip(
                "model-rules",
                1,
                "the body names no model, so the rules of models are not applied",
            ),
            (Some(model), None) => {
                let reason = format!("{model:?} is not in the catalogue of models");
                self.skip("model-rules", 1, reason);
            }
            (Some(_), Some(facts)) => {
                if matches!(facts.line, "fable" | "mythos") {
                    self.skip(
                        "retention",
                        1,
                        "the model refuses organizations without 30-day retention",
                    );
                }
            }
        }
        let bound = self.facts.and_then(|facts| facts.bound_to_prefix);
        let reason = match bound {
            Some(true) => {
                "whether each signature is valid, and made under this prefix (preserved thinking)"
            }
            _ => "whether each signature is valid",
        };
        self.skip("signatures", view.count("thinking"), reason);
        self.skip(
            "signatures",
            view.count("redacted_thinking"),
            "whether the data are valid",
        );
        self.skip(
            "compaction-blocks",
            view.count("compaction"),
            "whether the block is the one that the API sent",
        );
        if let Some(thread) = view.root.given("thread")
            && thread.tag() == "continue"
        {
            self.skip("thread", 1, "whether the message can be continued");
        }
        let stateful = ["container", "fallback_credit_token"];
        for key in stateful {
            let is_there = view.root.given(key).is_some();
            self.skip(
                "server-state",
                usize::from(is_there),
                "whether the API knows the id",
            );
        }
    }
}
