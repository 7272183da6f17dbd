//! Requests that are refused before sending, and the rule that refuses each.

mod clouds;
mod media;
mod models;

use aside_messages::wire::Request;
use aside_models::Wire;
use aside_providers::{GlobalScope, Options, Provider, RefusedErrorKind, ServerKind, convert};
use aside_rules::{ApiVersion, find};

/// A request with these keys, and these blocks in its only message.
fn request(model: &str, keys: &str, blocks: &str) -> Request {
    let json = format!(
        r#"{{"model":"{model}","max_tokens":64{keys},"messages":[{{"role":"user","content":[{blocks}]}}]}}"#
    );
    Request::parse(json.as_bytes()).unwrap().value
}

const HI: &str = r#"{"type":"text","text":"Hi"}"#;
const NOW: &str = r#","tools":[{"name":"Now","input_schema":{"type":"object"}}]"#;

fn refused(request: &Request, provider: Provider, options: &Options) -> String {
    convert(request, provider, options).err().map(|refused| refused.to_string()).unwrap_or_default()
}

fn check(provider: Provider, request: &Request, expected: &str) {
    assert_eq!(refused(request, provider, &Options::default()), expected);
}

#[test]
fn bodies_that_the_api_version_refuses() {
    let options = Options { api_version: ApiVersion::V2026_10_21, ..Options::default() };
    let warm = request("claude-sonnet-5-5", r#","temperature":1.0"#, HI);
    assert_eq!(
        refused(&warm, Provider::FirstParty, &options),
        "sampling: temperature: 1.0, expected no sampling parameters under API version 2026-10-21"
    );
    check(Provider::FirstParty, &warm, "");
    // Other providers do not have Anthropic's versions.
    let warm = request("gpt-4.1", r#","temperature":1.0"#, HI);
    assert_eq!(refused(&warm, Provider::OpenAi, &options), "");
}

/// Others have other ranges, and other words for who speaks.
#[test]
fn bodies_that_only_the_messages_api_refuses() {
    let warm = request("m", r#","temperature":1.5,"system":null"#, HI);
    let told = "null-system: system: null, expected text or blocks, or no key; \
                sampling-range: temperature: 1.5, expected a number from 0 to 1";
    check(Provider::FirstParty, &warm, told);
    check(Provider::OpenAi, &warm, "");
    check(Provider::Gemini, &warm, "");
    let json = br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},{"role":"zzz","content":"b"},{"role":"user","content":"c"}]}"#;
    let strange = Request::parse(json).unwrap().value;
    for provider in Provider::ALL {
        let told = r#"value: messages[1].role: "zzz""#;
        check(provider, &strange, told);
    }
}

#[test]
fn markers_for_everybody() {
    let marked =
        r#"{"type":"text","text":"Hi","cache_control":{"type":"ephemeral","scope":"global"}}"#;
    let request = request("m", "", marked);
    let told =
        r#"global-scope: messages[0].content[0].cache_control.scope: "global", expected no scope"#;
    let enabled = Options { global_scope: GlobalScope::Enabled, ..Options::default() };
    check(Provider::FirstParty, &request, told);
    assert_eq!(refused(&request, Provider::FirstParty, &enabled), "");
    assert_eq!(refused(&request, Provider::Bedrock, &enabled), told);
    // There it is left out with all the others.
    check(Provider::OpenAi, &request, "");
}

#[test]
fn system_messages_in_the_conversation() {
    let json = br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},{"role":"system","content":"b"},{"role":"user","content":"c"}]}"#;
    let request = Request::parse(json).unwrap().value;
    for provider in [
        Provider::FirstParty,
        Provider::BedrockMessages,
        Provider::Vertex,
        Provider::OpenAi,
        Provider::Grok,
    ] {
        check(provider, &request, "");
    }
    for provider in [Provider::Bedrock, Provider::Foundry, Provider::Gemini] {
        check(provider, &request, r#"system-model: messages[1].role: "system""#);
    }
}

#[test]
fn tools_and_stops() {
    let missing = format!(r#","tool_choice":{{"type":"tool","name":"Never"}}{NOW}"#);
    check(
        Provider::OpenAi,
        &request("m", &missing, HI),
        r#"tool-choice: tool_choice.name: "Never""#,
    );
    let stops = request("m", r#","stop_sequences":["1","2","3","4","5"]"#, HI);
    let compatible = Options { server: ServerKind::Compatible, ..Options::default() };
    assert_eq!(
        refused(&stops, Provider::OpenAi, &compatible),
        "stop-limit: stop_sequences: 5, at most 4"
    );
    // On Responses there are none, which is a loss.
    check(Provider::OpenAi, &stops, "");
    check(Provider::Gemini, &stops, "");
    let schema = request("m", r#","tools":[{"name":"a","input_schema":[]}]"#, HI);
    check(Provider::Gemini, &schema, "schema: tools[0].input_schema: no JSON object");
    let found = "[], the server accepts a JSON Schema of the type object";
    let refused = format!("tool-schema: tools[0].input_schema: {found}");
    check(Provider::OpenAi, &schema, &refused);
    let none = request("m", r#","tools":[{"name":"a"}]"#, HI);
    check(Provider::OpenAi, &none, "");
}

#[test]
fn a_conversation_without_meaning_is_refused_everywhere() {
    let orphan = request("m", "", r#"{"type":"tool_result","tool_use_id":"1"}"#);
    for provider in Provider::ALL {
        let told = refused(&orphan, provider, &Options::default());
        let place = r#"orphaned-result: messages[0].content[0].tool_use_id: "1""#;
        assert!(told.starts_with(place), "{told}");
    }
    // A long name is Anthropic's affair: others get a short one.
    let name = "a".repeat(65);
    let tools = format!(r#","tools":[{{"name":"{name}","input_schema":{{"type":"object"}}}}]"#);
    let long = request("m", &tools, HI);
    assert!(refused(&long, Provider::Vertex, &Options::default()).starts_with("tool-name: "));
    check(Provider::Gemini, &long, "");
}

/// Every rule that refuses a conversion is one of the target's wire, by its only id.
#[test]
fn rules_are_those_of_the_wire() {
    let bad = [
        r#"{"model":"","max_tokens":1,"messages":[]}"#,
        r#"{"model":"m","max_tokens":1,"temperature":9,"messages":[{"role":"assistant","content":"a"}]}"#,
        r#"{"model":"m","max_tokens":1,"tools":[{"name":"a"},{"name":"a"}],"tool_choice":{"type":"x"},"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}},{"type":"tool_use","id":"1","name":"a","input":{}}]},{"role":"x","content":[]}]}"#,
        r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"tool_result","tool_use_id":"1"}]}]}"#,
    ];
    let targets = [
        (Provider::OpenAi, Wire::Responses),
        (Provider::Grok, Wire::Responses),
        (Provider::Gemini, Wire::GenerateContent),
    ];
    for json in bad {
        let request = Request::parse(json.as_bytes()).unwrap().value;
        for (provider, wire) in targets {
            let Err(refused) = convert(&request, provider, &Options::default()) else {
                continue;
            };
            for finding in refused.findings() {
                let rule = find(finding.rule).unwrap();
                assert_eq!(rule.id, finding.rule);
                assert!(rule.on_wire(wire).is_some(), "{provider}: {finding}");
            }
        }
    }
}

#[test]
fn context_management_is_sent_with_its_beta() {
    let request = request("m", r#","context_management":{"edits":[]}"#, HI);
    let plain = convert(&request, Provider::FirstParty, &Options::default()).unwrap();
    assert!(String::from_utf8(plain.body()).unwrap().contains("context_management"));
    let beta = ("anthropic-beta", "context-management-2025-06-27".to_owned());
    assert!(plain.headers.contains(&beta), "{:?}", plain.headers);
    assert_eq!(plain.losses, []);
}

#[test]
fn a_refusal_has_a_kind() {
    let kind = |request: &Request, provider| {
        let error = convert(request, provider, &Options::default()).unwrap_err();
        error.kind()
    };
    let nameless = request("", "", HI);
    assert_eq!(kind(&nameless, Provider::Gemini), RefusedErrorKind::Model);
    assert_eq!(kind(&nameless, Provider::Vertex), RefusedErrorKind::Model);
    let elsewhere = request("claude-opus-4-5", "", HI);
    let found = kind(&elsewhere, Provider::BedrockMessages);
    assert_eq!(found, RefusedErrorKind::Model);
    let forced = format!(r#","tool_choice":{{"type":"tool","name":"Never"}}{NOW}"#);
    let forced = request("m", &forced, HI);
    assert_eq!(kind(&forced, Provider::OpenAi), RefusedErrorKind::Rule);
}

#[test]
fn the_marker_over_the_limit_is_named() {
    let marked = r#"{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}"#;
    let marks = |count: usize, keys: &str| request("m", keys, &vec![marked; count].join(","));
    let at = |index: usize| format!("messages[0].content[{index}].cache_control");
    let first: Vec<_> = (0..4).map(at).collect();
    let over = |last: &str| {
        format!(
            "marker-limit: {last}: 5, at {}, {last}, expected at most four markers, the automatic one included",
            first.join(", ")
        )
    };
    check(Provider::FirstParty, &marks(5, ""), &over(&at(4)));
    let automatic = r#","cache_control":{"type":"ephemeral"}"#;
    check(Provider::FirstParty, &marks(4, automatic), &over("cache_control"));
    check(Provider::FirstParty, &marks(4, ""), "");
}
