//! Deciding whether a violation counts.
//!
//! A rule calls [`Checker::add`] whenever its condition holds; the checker drops the violation if
//! the API version, a beta or the platform lifts the rule, and chooses its level. For a `clear_at`
//! in a body:
//!
//! | `Context::betas` | result |
//! |---|---|
//! | `None` | `clear-at-beta`, level `needs` |
//! | `Some([])` | `clear-at-beta`, level `refused` |
//! | `Some(["made-up-2027-01-01"])` | `clear-at-beta`, level `needs` |
//! | with `mid-conversation-system-clear-at-2026-08-21` | none |

mod shared;

use std::collections::{BTreeMap, HashSet};

use aside_models::{
    Found, Known, ModelFacts, Platform, Platforms, Support, Vendor, Wire, find, find_on,
};

use crate::context::{ApiEndpoint, Context};
use crate::finding::{Checked, Finding, NotChecked};
use crate::messages::known_betas;
use crate::messages::view::View;
use crate::rule::{ApiVersion, Rule, RuleLevel};
use crate::{of, other_server};
use aside_json::Value;

/// The topic of rules that a server may lack.
const SERVER_RULES: &str = "server-rules";
/// Further findings in one body are counted, not listed.
const MAX_FINDINGS: usize = 1_000;

pub(crate) struct Checker {
    pub(crate) endpoint: ApiEndpoint,
    /// `None` if neither the caller nor the body states it.
    pub(crate) version: Option<ApiVersion>,
    /// The model's facts, if it is the vendor's own and in the catalogue.
    pub(crate) facts: Option<&'static ModelFacts>,
    /// The platforms that may receive this request.
    pub(crate) platforms: Platforms,
    /// The model is in the address, a version in the body.
    pub(crate) is_cloud_body: bool,
    /// The id from the caller, or else from the body.
    model: Option<String>,
    /// The betas that are sent; `None` if unknown.
    betas: Option<Vec<String>>,
    /// Betas that are sent but that no list names, each once.
    pub(crate) unknown_betas: Vec<String>,
    pub(crate) wire: Wire,
    /// True if the server is not the vendor's own, so that only the form of the wire is known.
    pub(crate) is_other_server: bool,
    /// The paths of nulls that the wire's own shapes accept, whatever the SDK's types say.
    pub(crate) accepted_nulls: HashSet<String>,
    findings: Vec<Finding>,
    /// How many findings there were after the first `MAX_FINDINGS`.
    surplus: usize,
    /// By topic: how often, and the first time's reason.
    not_checked: BTreeMap<&'static str, (usize, String)>,
}

impl Checker {
    /// Creates a checker for a Messages API body. Platform, version and betas come from the caller,
    /// or else from what the body reveals:
    ///
    /// - `anthropic_version` that begins with `bedrock` or `vertex`: `InvokeModel` or Google Cloud,
    ///   whose betas are in `anthropic_beta`;
    /// - a model id with `anthropic.`: Bedrock's Messages endpoint;
    /// - neither: the Claude API, the AWS Platform or Foundry.
    pub(crate) fn for_messages(root: Value<'_>, context: &Context) -> Self {
        let body_version = root.text_of("anthropic_version");
        let by_body = body_version.as_deref().and_then(of::platform::of_version);
        let is_cloud_body = match context.platform {
            Some(platform) => {
                platform == Platform::BedrockInvoke || platform == Platform::GoogleCloud
            }
            None => by_body.is_some(),
        };
        let model = context.model.clone().or_else(|| root.text_of("model").map(Into::into));
        let known = context.platform.or(by_body);
        let platforms = of::platform::possible(known, model.as_deref());
        let platform = context.platform.or(by_body).unwrap_or(Platform::FirstParty);
        let found = model.as_deref().map(|model| find_on(platform, model));
        let is_own = |it: &Found| it.facts.vendor == Vendor::Anthropic;
        let facts = found.filter(|it| it.known == Known::Known && is_own(it));
        let in_body = root
            .get("anthropic_beta")
            .filter(|_| is_cloud_body)
            .map(|list| list.items().filter_map(Value::text))
            .map(|betas| betas.map(Into::into).collect());
        // `InvokeModel` has no header for betas.
        let is_invoke = context.platform.or(by_body) == Some(Platform::BedrockInvoke);
        let in_body = in_body.or_else(|| is_invoke.then(Vec::new));
        let betas: Option<Vec<String>> = context.betas.clone().or(in_body);
        Self {
            endpoint: context.endpoint,
            version: context.version.or_else(|| is_cloud_body.then_some(ApiVersion::V2023_06_01)),
            facts: facts.map(|found| found.facts),
            platforms,
            is_cloud_body,
            model,
            unknown_betas: known_betas::unknown(betas.iter().flatten()),
            betas,
            ..Self::empty(Wire::Messages)
        }
    }

    fn empty(wire: Wire) -> Self {
        Self {
            endpoint: ApiEndpoint::Messages,
            version: None,
            facts: None,
            platforms: Platforms::ALL,
            is_cloud_body: false,
            model: None,
            betas: None,
            unknown_betas: Vec::new(),
            wire,
            is_other_server: false,
            accepted_nulls: HashSet::new(),
            findings: Vec::new(),
            surplus: 0,
            not_checked: BTreeMap::new(),
        }
    }

    /// Creates a checker for a body on another wire. Its rules are the vendor's own server's, so
    /// they apply if
    ///
    /// - the platform is the vendor's own, or
    /// - no platform is named, and the model is the vendor's or none is named.
    ///
    /// Of another server only what [`other_server`] names is known. A prefix `models/`, as in Gemini's paths, is ignored.
    pub(crate) fn for_vendor(root: Value<'_>, wire: Wire, context: &Context) -> Self {
        let in_body = || root.text_of("model").filter(|it| !it.is_empty());
        let model = context.model.clone();
        let mut checker = Self {
            model: model.or_else(|| in_body().map(Into::into)),
            platforms: context.platform.map_or(Platforms::ALL, |it| Platforms::of(&[it])),
            ..Self::empty(wire)
        };
        let (vendor, is_own_platform) = match wire {
            Wire::GenerateContent => (Vendor::Google, context.platform == Some(Platform::Gemini)),
            _ => {
                let own = [Some(Platform::OpenAi), Some(Platform::Azure)];
                (Vendor::OpenAi, own.contains(&context.platform))
            }
        };
        let id = checker.model.as_deref().map(|it| it.trim_start_matches("models/"));
        let found = id.map(|id| match context.platform {
            Some(platform) => find_on(platform, id),
            None => find(id),
        });
        let is_own_model = found.is_none_or(|found| found.facts.vendor == vendor);
        if !is_own_platform && (context.platform.is_some() || !is_own_model) {
            let model = checker.model.as_ref().map(|model| format!(" of {model:?}"));
            let model = model.unwrap_or_default();
            let reason = format!("the server{model} may have other rules than {vendor}'s own");
            checker.skip(SERVER_RULES, 1, reason);
            checker.is_other_server = true;
            return checker;
        }
        checker.facts = found.filter(|found| found.known == Known::Known).map(|found| found.facts);
        checker.skip_model_rules();
        checker
    }

    /// Returns the only platform that may receive the request.
    ///
    /// `None` if there could be several.
    pub(crate) fn platform(&self) -> Option<Platform> {
        let mut all = self.platforms.iter();
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns true if one of the betas is known to be sent; `None` if the betas are unknown.
    ///
    /// One of `betas` is enough. White space around a sent name is ignored.
    pub(crate) fn has_beta(&self, betas: &[&str]) -> Option<bool> {
        let sent = self.betas.as_ref()?;
        Some(sent.iter().any(|beta| betas.contains(&beta.trim())))
    }

    /// Returns true if a platform that may receive the request supports this model feature, false
    /// if all refuse it or if the Claude API is among them and does; `None` if unknown.
    pub(crate) fn supports(&self, feature: impl Fn(&ModelFacts) -> Support) -> Option<bool> {
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

    /// Reports a violation if a feature is known to be missing, and counts it as not checked if
    /// nothing is known.
    ///
    /// For example, a system message in mid-conversation with `claude-opus-4-7` violates
    /// `system-model`, and with a model that no source describes it is counted under
    /// `undocumented-feature`. For a model that is not in the catalogue, `model-rules` is counted
    /// once instead.
    pub(crate) fn require(
        &mut self,
        rule: &'static Rule,
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

    /// Returns the model's id, for messages.
    pub(crate) fn model_name(&self) -> &str {
        match self.facts {
            Some(facts) => facts.id,
            None => self.model.as_deref().unwrap_or("the model"),
        }
    }

    /// Returns `found` with the model that does not take it.
    pub(crate) fn on_model(&self, found: &str) -> String {
        format!("{found} with {}", self.model_name())
    }

    /// Adds a violation, with what its rule expects.
    ///
    /// `path` is a JSON path such as `messages[3].content[0]`, `found` a short noun phrase or a
    /// value.
    pub(crate) fn add(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        found: impl Into<String>,
    ) {
        let expected = rule.on_wire(self.wire).map_or("", |it| it.expected);
        self.add_expecting(rule, path, found, expected);
    }

    /// Adds a violation, unless the API version, a beta or the platform lifts its rule.
    pub(crate) fn add_expecting(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.add_at_level(None, rule, path, found, expected);
    }

    /// Adds a violation with another level than the rule has for this request. `None` keeps the
    /// rule's.
    pub(crate) fn add_at_level(
        &mut self,
        level: Option<RuleLevel>,
        rule: &'static Rule,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let path = path.into();
        let Some(of_rule) = self.level(rule) else {
            return;
        };
        let level = level.unwrap_or(of_rule);
        if self.is_other_server && !other_server::has_rule(self.wire, rule, level, &path) {
            return;
        }
        if self.findings.len() >= MAX_FINDINGS {
            self.surplus += 1;
            return;
        }
        let mut expected: String = expected.into();
        if level == RuleLevel::Needs && !rule.betas.is_empty() {
            expected = format!("{expected} ({})", rule.betas.join(" or "));
        }
        self.findings.push(Finding {
            level,
            expected,
            ..Finding::new(rule, self.wire, path, found)
        });
    }

    /// Returns true if there is a violation at this path or at the value around it; false once no
    /// more are listed.
    pub(crate) fn has_finding_at(&self, path: &str) -> bool {
        let outer = path.rfind(['.', '[']).map(|end| &path[..end]);
        let is_here = |it: &Finding| it.path == path || Some(&*it.path) == outer;
        self.findings.len() < MAX_FINDINGS && self.findings.iter().any(is_here)
    }

    /// Adds a violation that the API may accept: its level is `Unknown`.
    pub(crate) fn add_unknown(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        found: impl Into<String>,
    ) {
        let expected = rule.on_wire(self.wire).map_or("", |it| it.expected);
        self.add_at_level(Some(RuleLevel::Unknown), rule, path, found, expected);
    }

    /// Returns true if the Claude API may receive the request and every sent beta is known, so that
    /// nothing exists beyond the SDK's types.
    pub(crate) fn is_closed_api(&self) -> bool {
        self.platforms.contains(Platform::FirstParty) && self.unknown_betas.is_empty()
    }

    /// Returns the rule's level for this request; `None` if the rule does not apply.
    ///
    /// In this order: a version before `since` lifts the rule, and an unknown one makes it `Needs`;
    /// a beta lifts it, and without it `Needs` becomes `Refused` if every sent beta is known; a
    /// possible platform without the rule lifts it.
    fn level(&self, rule: &'static Rule) -> Option<RuleLevel> {
        let mut level = rule.on_wire(self.wire)?.level;
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

    /// Counts a part that cannot be decided.
    ///
    /// Each topic keeps the first call's reason.
    pub(crate) fn skip(&mut self, topic: &'static str, count: usize, reason: impl Into<String>) {
        if count > 0 {
            let entry = self.not_checked.entry(topic);
            entry.or_insert_with(|| (0, reason.into())).0 += count;
        }
    }

    pub(crate) fn finish(mut self) -> Checked {
        if self.is_other_server {
            self.not_checked.retain(|topic, _| *topic == SERVER_RULES);
        }
        let surplus = std::mem::take(&mut self.surplus);
        self.skip("further-findings", surplus, "only the first are listed");
        let not_checked = self.not_checked.into_iter();
        Checked {
            findings: self.findings,
            not_checked: not_checked
                .map(|(topic, (count, reason))| NotChecked { topic, count, reason })
                .collect(),
        }
    }

    /// Counts the model rules as not checked when the model has no facts.
    fn skip_model_rules(&mut self) {
        match (&self.model, self.facts) {
            (_, Some(_)) => {}
            (None, None) => {
                let reason = "the body names no model, so the rules of models are not applied";
                self.skip("model-rules", 1, reason);
            }
            (Some(model), None) => {
                let is_known = find(model).known == Known::Known;
                let of = if is_known {
                    "one of another vendor"
                } else {
                    "not in the catalogue of models"
                };
                let reason = format!("{model:?} is {of}");
                self.skip("model-rules", 1, reason);
            }
        }
    }

    /// Counts parts that only the API can judge:
    ///
    /// - `model-rules`: no model, or one that is not in the catalogue;
    /// - `retention`: Fable and Mythos refuse organizations without 30-day retention (documented);
    /// - `signatures`: those of thinking, and the prefix that they are bound to;
    /// - `compaction-blocks`, `thread`, `server-state`: values that the API made.
    pub(crate) fn skip_the_undecidable(&mut self, view: &View<'_>) {
        self.skip_model_rules();
        let retains = |facts: &ModelFacts| matches!(facts.line, "fable" | "mythos");
        if self.facts.is_some_and(retains) {
            let reason = "the model refuses organizations without 30-day retention";
            self.skip("retention", 1, reason);
        }
        let bound = self.facts.and_then(|facts| facts.bound_to_prefix);
        let reason = match bound {
            Some(true) => {
                "whether each signature is valid, and made under this prefix (preserved thinking)"
            }
            _ => "whether each signature is valid",
        };
        self.skip("signatures", view.count("thinking"), reason);
        self.skip("signatures", view.count("redacted_thinking"), "whether the data are valid");
        self.skip(
            "compaction-blocks",
            view.count("compaction"),
            "whether the block is the one that the API sent",
        );
        if view.continues_thread() {
            self.skip("thread", 1, "whether the message can be continued");
        }
        let stateful = ["container", "fallback_credit_token"];
        for key in stateful {
            let is_there = view.root.given(key).is_some();
            self.skip("server-state", usize::from(is_there), "whether the API knows the id");
        }
    }
}
