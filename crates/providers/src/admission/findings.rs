use aside_messages::wire::{Extra, RawJson, Request};
use aside_models::{Known, ModelFacts, Platform, Platforms, Wire, find_on};
use aside_rules::of::platform;
use aside_rules::{Context, Finding, Rule, RuleLevel, table};

use super::checked_rules;
use super::target::Target;
use crate::capabilities::Capabilities;

/// More findings in one request are not listed.
const MAX_FINDINGS: usize = 1_000;

/// Collects one request's findings.
pub(super) struct Findings<'a> {
    pub(super) target: Target<'a>,
    pub(super) capabilities: Capabilities,
    /// Which platform of the Messages API receives the request, if there is only one.
    pub(super) platform: Option<Platform>,
    platforms: Platforms,
    wire: Wire,
    /// Violations of Messages API rules, which are listed first.
    of_request: Vec<Finding>,
    of_provider: Vec<Finding>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(target: Target<'a>, parameters: &Request) -> Self {
        let platform = target.spec.platform;
        let by_body = || {
            let version = text_of(&parameters.extra, "anthropic_version")?;
            platform::of_version(&version)
        };
        let known = if platform.is_anthropic() { Some(platform) } else { by_body() };
        let platforms = platform::possible(known, Some(target.model));
        let mut all = platforms.iter();
        let only = all.next().filter(|_| all.next().is_none());
        Self {
            target,
            capabilities: target.capabilities(),
            platform: only,
            platforms,
            wire: target.wire().wire.wire(),
            of_request: Vec::new(),
            of_provider: Vec::new(),
        }
    }

    pub(super) fn wire(&self) -> Wire {
        self.wire
    }

    /// Returns what Messages API rules depend on besides the body: the API version, the model to
    /// send, and the platform if it is one of Anthropic's.
    pub(super) fn context(&self) -> Context {
        let Target { spec, options, .. } = self.target;
        Context {
            version: Some(options.api_version),
            model: Some(self.target.model.to_owned()),
            platform: spec.platform.is_anthropic().then_some(spec.platform),
            ..Context::default()
        }
    }

    /// Returns what the catalogue knows about the model, if anything.
    pub(super) fn facts(&self) -> Option<&'static ModelFacts> {
        let found = find_on(self.target.spec.platform, self.target.model);
        (found.known == Known::Known).then_some(found.facts)
    }

    /// Adds a violation of a Messages API rule, unless the wire, the platform or the version does
    /// not have it.
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        found: impl Into<String>,
    ) {
        let finding = self.finding(rule, path.into(), found.into());
        self.push(rule, finding);
    }

    /// Adds what a byte check found, like [`Findings::add`].
    pub(super) fn push(&mut self, rule: &'static Rule, finding: Finding) {
        let is_global_scope = rule.id == table::GLOBAL_SCOPE.id;
        let counts = checked_rules(self.wire).iter().any(|it| it.id == rule.id)
            && finding.level == RuleLevel::Refused
            && !(is_global_scope && self.capabilities.global_scope)
            && (rule.since).is_none_or(|since| self.target.options.api_version >= since)
            && self.platforms.iter().all(|it| rule.platforms.contains(it));
        if counts && self.of_request.len() < MAX_FINDINGS {
            self.of_request.push(finding);
        }
    }

    /// Adds a violation of a provider or model rule. `path` is the position in the request, and
    /// `found` the value there.
    pub(super) fn add_of_provider(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        found: impl Into<String>,
    ) {
        if self.of_provider.len() < MAX_FINDINGS {
            let mut finding = self.finding(rule, path.into(), found.into());
            // The value already says what the target takes.
            finding.expected.clear();
            self.of_provider.push(finding);
        }
    }

    /// Creates a finding. This says what is expected in the Messages API's words, because it checks
    /// that form.
    fn finding(&self, rule: &'static Rule, path: String, found: String) -> Finding {
        let wire = rule.on_wire(Wire::Messages).map_or(self.wire, |on| on.wire);
        Finding::new(rule, wire, path, found)
    }

    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.of_request.append(&mut self.of_provider);
        self.of_request
    }
}

/// Returns a further member, unless it is null. When keys are equal, the last one is sent.
pub(super) fn given<'e>(extra: &'e Extra, key: &str) -> Option<&'e RawJson> {
    let (_, value) = extra.0.iter().rfind(|(name, _)| name == key)?;
    (value.get() != "null").then_some(value)
}

/// Returns a further member that is a string.
pub(super) fn text_of(extra: &Extra, key: &str) -> Option<String> {
    serde_json::from_str(given(extra, key)?.get()).ok()
}
