//! Compares what is checked before a request is sent with a check of its bytes.

mod broken;
mod generated;
mod session;

use aside_messages::wire::Request;
use aside_models::Wire;
use aside_providers::{GlobalScope, Options, Provider, RefusedError, checked_rules, convert};
use aside_rules::{ApiVersion, Context, check};

use broken::broken;

#[derive(Clone, Copy, Debug)]
struct Target {
    provider: Provider,
    model: &'static str,
    version: ApiVersion,
    global_scope: GlobalScope,
}

const FIRST_PARTY: Target = Target {
    provider: Provider::FirstParty,
    model: "claude-opus-5-5",
    version: ApiVersion::V2023_06_01,
    global_scope: GlobalScope::Disabled,
};

const BEDROCK: Target =
    Target { provider: Provider::Bedrock, model: "anthropic.claude-opus-5-5", ..FIRST_PARTY };

impl Target {
    fn options(self) -> Options {
        Options {
            api_version: self.version,
            global_scope: self.global_scope,
            ..Options::for_model(self.model)
        }
    }

    fn wire(self) -> Wire {
        self.provider.spec().wire(self.model).wire.wire()
    }

    /// Returns true if a send looks for this finding. A tool choice by name is a provider rule, and
    /// `InvokeModel` has some keys in its URL.
    fn counts(self, rule: &str, path: &str) -> bool {
        let is_listed = checked_rules(self.wire()).iter().any(|it| it.id == rule);
        let takes_scope = self.provider.capabilities(self.global_scope).global_scope;
        is_listed
            && path != "tool_choice.name"
            && !(rule == "platform-key" && matches!(path, "model" | "stream"))
            && !(rule == "global-scope" && takes_scope)
    }

    fn of_bytes(self, request: &Request) -> Vec<(String, String)> {
        let platform = self.provider.spec().platform;
        let context = Context {
            version: Some(self.version),
            model: Some(self.model.to_owned()),
            platform: platform.is_anthropic().then_some(platform),
            ..Context::default()
        };
        let body = serde_json::to_vec(request).unwrap();
        let checked = check(&body, Wire::Messages, &context);
        self.sorted(checked.refused().map(|it| (it.rule, &*it.path)))
    }

    fn of_values(self, request: &Request) -> Vec<(String, String)> {
        let refused = convert(request, self.provider, &self.options()).err();
        let findings = refused.iter().flat_map(RefusedError::findings);
        self.sorted(findings.map(|it| (it.rule, &*it.path)))
    }

    fn sorted<'f>(self, found: impl Iterator<Item = (&'f str, &'f str)>) -> Vec<(String, String)> {
        let counted = found.filter(|(rule, path)| self.counts(rule, path));
        let mut all: Vec<_> =
            counted.map(|(rule, path)| (rule.to_owned(), path.to_owned())).collect();
        all.sort();
        all
    }
}

/// The law: typed values have the same findings as the bytes. `sent` and `written` are one request.
fn same_findings(sent: &Request, written: &Request, target: Target) -> Result<(), String> {
    let (values, bytes) = (target.of_values(sent), target.of_bytes(written));
    if values == bytes {
        return Ok(());
    }
    Err(format!("{target:?}: {values:?}, in the bytes {bytes:?}"))
}

fn parse(json: &str) -> Request {
    Request::parse(json.as_bytes()).unwrap().value
}

/// Each rule is found, and the law notices when one is not.
#[test]
fn every_rule_is_found_and_missed_if_it_is_not() {
    let valid = r#"{"model":"m","max_tokens":2000,"messages":[{"role":"user","content":"Hi"}]}"#;
    let valid = parse(valid);
    let cases = broken();
    for (rule, target, json) in &cases {
        let request = parse(json);
        same_findings(&request, &request, *target).unwrap();
        let found = target.of_values(&request);
        assert!(found.iter().any(|(id, _)| id == rule), "{rule}: {found:?}");
        same_findings(&valid, &request, *target).unwrap_err();
        same_findings(&request, &valid, *target).unwrap_err();
    }
    let rules: Vec<_> = checked_rules(Wire::Messages).iter().map(|it| it.id).collect();
    let covered: Vec<_> = cases.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(covered, rules);
}

/// A marker on a thinking block does not count, so the automatic one does.
#[test]
fn a_marker_on_thinking_settles_nothing() {
    let marker = r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#;
    let request = parse(&format!(
        r#"{{"model":"m","max_tokens":9,{marker},"messages":[{{"role":"user","content":[
            {{"type":"text","text":"a","cache_control":{{"type":"ephemeral"}}}},
            {{"type":"thinking","thinking":"t","signature":"s",{marker}}}]}}]}}"#
    ));
    same_findings(&request, &request, FIRST_PARTY).unwrap();
    let found = FIRST_PARTY.of_values(&request);
    let late = ("marker-ttl".to_owned(), "cache_control".to_owned());
    assert!(found.contains(&late), "{found:?}");
}
