//! Requests that are refused before sending, and the rule that refuses each.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeSet;

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, RULES, max_body_bytes};
use aside_models::Platform;
use aside_providers::{
    Family, GlobalScope, ModelChoice, Options, PROVIDER_RULES, Provider, ServerKind, convert,
};

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
    convert(request, provider, options)
        .err()
        .map(|refused| refused.to_string())
        .unwrap_or_default()
}

fn check(provider: Provider, request: &Request, expected: &str) {
    assert_eq!(refused(request, provider, &Options::default()), expected);
}

#[test]
fn media_that_the_provider_cannot_get() {
    let url = r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#;
    let file = r#"{"type":"document","source":{"type":"file","file_id":"file_1"}}"#;
    let pdf = r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":""}}"#;
    let (url, file, pdf) = (
        request("m", "", url),
        request("m", "", file),
        request("m", "", pdf),
    );
    let refused_url = r#"base64-only: messages[0].content[0].source: "https://example.com/a.png""#;
    let refused_file = r#"base64-only: messages[0].content[0].source: "file_1""#;
    for provider in [
        Provider::FirstParty,
        Provider::Foundry,
        Provider::OpenAi,
        Provider::Grok,
    ] {
        check(provider, &url, "");
    }
    for provider in [
        Provider::Bedrock,
        Provider::BedrockMessages,
        Provider::Vertex,
        Provider::Gemini,
    ] {
        check(provider, &url, refused_url);
        check(provider, &pdf, "");
    }
    for provider in [
        Provider::Bedrock,
        Provider::Vertex,
        Provider::Gemini,
        Provider::OpenAi,
    ] {
        check(provider, &file, refused_file);
    }
    check(
        Provider::Grok,
        &pdf,
        "document: messages[0].content[0]: a document that is not plain text",
    );
}

#[test]
fn features_that_the_model_lacks() {
    let thinks = r#","thinking":{"type":"adaptive"}"#;
    check(
        Provider::FirstParty,
        &request("claude-sonnet-4-5-20250929", thinks, HI),
        r#"thinking-kind: thinking.type: "adaptive", claude-sonnet-4-5 takes enabled, disabled"#,
    );
    check(
        Provider::FirstParty,
        &request("claude-opus-4-6", thinks, HI),
        "",
    );
    check(
        Provider::FirstParty,
        &request("claude-of-tomorrow", thinks, HI),
        "",
    );
    let forced = format!(r#"{thinks},"tool_choice":{{"type":"any"}}{NOW}"#);
    check(
        Provider::FirstParty,
        &request("claude-opus-4-6", &forced, HI),
        "",
    );
    let warm = r#","temperature":1.0,"top_k":3"#;
    check(
        Provider::OpenAi,
        &request("o3", warm, HI),
        "sampling-parameters: temperature: 1.0; sampling-parameters: top_k: 3",
    );
    check(Provider::OpenAi, &request("gpt-4.1", warm, HI), "");
    let mut long = request("claude-haiku-4-5", "", HI);
    long.max_tokens = 64_001;
    check(
        Provider::FirstParty,
        &long,
        "largest-answer: max_tokens: 64001, at most 64000",
    );
    check(
        Provider::Bedrock,
        &long,
        "largest-answer: max_tokens: 64001, at most 64000",
    );
}

#[test]
fn bodies_that_the_api_version_refuses() {
    let options = Options {
        api_version: ApiVersion::V2026_10_21,
        ..Options::default()
    };
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

/// The rule applies to the provider's name of the model, not to that of the
/// request.
#[test]
fn the_model_has_a_name() {
    let named = |outright: Option<&str>| Options {
        models: ModelChoice {
            outright: outright.map(str::to_owned),
            ..ModelChoice::default()
        },
        ..Options::default()
    };
    for provider in Provider::ALL {
        let message =
            |model, outright| refused(&request(model, "", HI), provider, &named(outright));
        // Rules of the Messages API have other names elsewhere.
        let rule = match provider.family() {
            Family::Anthropic => "model-name",
            _ => "model-id",
        };
        assert_eq!(message("", None), format!(r#"{rule}: model: """#));
        assert_eq!(message("m", Some(" ")), format!(r#"{rule}: model: " ""#));
        assert_eq!(message("", Some("m")), "");
    }
}

/// Others have other ranges, and other words for who speaks.
#[test]
fn bodies_that_only_the_messages_api_refuses() {
    let warm = request("m", r#","temperature":1.5,"system":null"#, HI);
    let message = "null-system: system: null, expected text or blocks, or no key; \
                sampling-range: temperature: 1.5, expected a number from 0 to 1";
    check(Provider::FirstParty, &warm, message);
    check(Provider::OpenAi, &warm, "");
    check(Provider::Gemini, &warm, "");
    let json = br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},{"role":"zzz","content":"b"},{"role":"user","content":"c"}]}"#;
    let strange = Request::parse(json).unwrap().value;
    for provider in Provider::ALL {
        let message = r#"unknown-role: messages[1].role: "zzz""#;
        check(provider, &strange, message);
    }
}

#[test]
fn markers_for_everybody() {
    let marked =
        r#"{"type":"text","text":"Hi","cache_control":{"type":"ephemeral","scope":"global"}}"#;
    let request = request("m", "", marked);
    let message =
        r#"global-scope: messages[0].content[0].cache_control.scope: "global", expected no scope"#;
    let enabled = Options {
        global_scope: GlobalScope::Enabled,
        ..Options::default()
    };
    check(Provider::FirstParty, &request, message);
    assert_eq!(refused(&request, Provider::FirstParty, &enabled), "");
    assert_eq!(refused(&request, Provider::Bedrock, &enabled), message);
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
        check(
            provider,
            &request,
            r#"system-message: messages[1].role: "system""#,
        );
    }
}

#[test]
fn tools_and_stops() {
    let missing = format!(r#","tool_choice":{{"type":"tool","name":"Never"}}{NOW}"#);
    check(
        Provider::OpenAi,
        &request("m", &missing, HI),
        r#"forced-tool: tool_choice.name: "Never""#,
    );
    let stops = request("m", r#","stop_sequences":["1","2","3","4","5"]"#, HI);
    let compatible = Options {
        server: ServerKind::Compatible,
        ..Options::default()
    };
    assert_eq!(
        refused(&stops, Provider::OpenAi, &compatible),
        "stop-limit: stop_sequences: 5, at most 4"
    );
    // On Responses there are none, which is a loss.
    check(Provider::OpenAi, &stops, "");
    check(Provider::Gemini, &stops, "");
    let schema = request("m", r#","tools":[{"name":"a","input_schema":[]}]"#, HI);
    check(
        Provider::Gemini,
        &schema,
        "schema: tools[0].input_schema: no JSON object",
    );
    check(Provider::OpenAi, &schema, "");
}

#[test]
fn a_conversation_without_meaning_is_refused_everywhere() {
    let orphan = request("m", "", r#"{"type":"tool_result","tool_use_id":"1"}"#);
    for provider in Provider::ALL {
        let message = refused(&orphan, provider, &Options::default());
        let rule = match provider.family() {
            Family::Anthropic => "orphaned-result",
            _ => "missing-call",
        };
        let place = format!(r#"{rule}: messages[0].content[0].tool_use_id: "1""#);
        assert!(message.starts_with(&place), "{message}");
    }
    // A long name is Anthropic's affair: others get a short one.
    let name = "a".repeat(65);
    let tools = format!(r#","tools":[{{"name":"{name}","input_schema":{{"type":"object"}}}}]"#);
    let long = request("m", &tools, HI);
    assert!(refused(&long, Provider::Vertex, &Options::default()).starts_with("tool-name: "));
    check(Provider::Gemini, &long, "");
}

/// On Chat Completions some models take tools only without reasoning, and some
/// not at all.
#[test]
fn tools_on_chat_completions() {
    let compatible = Options {
        server: ServerKind::Compatible,
        ..Options::default()
    };
    let body = |model| {
        let request = request(model, NOW, HI);
        let outgoing = convert(&request, Provider::OpenAi, &compatible);
        outgoing
            .map(|it| String::from_utf8(it.body()).unwrap())
            .map_err(|refused| refused.to_string())
    };
    assert_eq!(
        body("gpt-6.2-sol").unwrap_err(),
        "tools-on-chat: tools: gpt-6.2-sol takes tools on Responses only: use the provider's own \
         server, or gpt-5.2"
    );
    assert!(
        body("gpt-5.5")
            .unwrap()
            .contains(r#""reasoning_effort":"none""#)
    );
    for model in ["gpt-4.1", "llama"] {
        assert!(
            !body(model).unwrap().contains("reasoning_effort"),
            "{model}"
        );
    }
}

/// No rule of the Messages API is reported in another provider's name.
#[test]
fn rules_have_the_names_of_their_wire() {
    let elsewhere: BTreeSet<_> = PROVIDER_RULES.iter().map(|rule| rule.name).collect();
    let bad = [
        r#"{"model":"","max_tokens":1,"messages":[]}"#,
        r#"{"model":"m","max_tokens":1,"temperature":9,"messages":[{"role":"assistant","content":"a"}]}"#,
        r#"{"model":"m","max_tokens":1,"tools":[{"name":"a"},{"name":"a"}],"tool_choice":{"type":"x"},"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}},{"type":"tool_use","id":"1","name":"a","input":{}}]},{"role":"x","content":[]}]}"#,
        r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"tool_result","tool_use_id":"1"}]}]}"#,
    ];
    for json in bad {
        let request = Request::parse(json.as_bytes()).unwrap().value;
        for provider in [Provider::OpenAi, Provider::Grok, Provider::Gemini] {
            let Err(refused) = convert(&request, provider, &Options::default()) else {
                continue;
            };
            for violation in refused.violations() {
                assert!(
                    elsewhere.contains(violation.rule),
                    "{provider}: {violation}"
                );
            }
        }
    }
}

#[test]
fn names_of_rules_are_unique() {
    let names: BTreeSet<_> = PROVIDER_RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), PROVIDER_RULES.len());
    // A rule of the Messages API never has the name of another provider's.
    let of_messages = RULES.iter().map(|rule| rule.name);
    let shared: Vec<_> = of_messages.filter(|it| names.contains(it)).collect();
    assert_eq!(shared, Vec::<&str>::new());
}

#[test]
fn context_management_is_sent_with_its_beta() {
    let request = request("m", r#","context_management":{"edits":[]}"#, HI);
    let plain = convert(&request, Provider::FirstParty, &Options::default()).unwrap();
    assert!(
        String::from_utf8(plain.body())
            .unwrap()
            .contains("context_management")
    );
    let beta = ("anthropic-beta", "context-management-2025-06-27".to_owned());
    assert!(plain.headers.contains(&beta), "{:?}", plain.headers);
    assert_eq!(plain.losses, []);
}

/// Documents that are text are text everywhere.
#[test]
fn documents_of_text_become_text() {
    let document = r#"{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},"title":"t"},{"type":"document","source":{"type":"content","content":"b"}}"#;
    let request = request("m", "", document);
    for provider in [Provider::OpenAi, Provider::Grok, Provider::Gemini] {
        let body = convert(&request, provider, &Options::default())
            .unwrap()
            .body();
        let body = String::from_utf8(body).unwrap();
        assert!(
            body.contains(r#""text":"t\n\na\n\n[left out: no text]"}"#),
            "{body}"
        );
        assert!(body.contains(r#""text":"b"}"#), "{body}");
    }
}

/// Features that only some of Anthropic's clouds have.
#[test]
fn features_that_clouds_lack() {
    let clouds = [
        Provider::FirstParty,
        Provider::Bedrock,
        Provider::BedrockMessages,
        Provider::Vertex,
        Provider::Foundry,
    ];
    // The clouds that refuse, in their order.
    let refusing = |keys: &str, rule: &str| {
        let request = request("claude-sonnet-5-5", keys, HI);
        let refused = clouds.map(|provider| refused(&request, provider, &Options::default()));
        let refused = clouds
            .into_iter()
            .zip(refused)
            .filter(|(_, text)| text.contains(rule));
        let names = refused.map(|(provider, _)| provider.to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let bedrock = "bedrock bedrock-messages";
    for (keys, expected) in [
        (
            r#","diagnostics":{"previous_message_id":null}"#,
            "bedrock bedrock-messages vertex foundry",
        ),
        (
            r#","speed":"fast""#,
            "bedrock bedrock-messages vertex foundry",
        ),
        (
            r#","mcp_servers":[{"type":"url","url":"https://a.example","name":"a"}],"tools":[{"type":"mcp_toolset","name":"a","mcp_server_name":"a"}]"#,
            bedrock,
        ),
        (
            r#","container":"c","tools":[{"type":"code_execution_20260120","name":"code_execution"}]"#,
            bedrock,
        ),
        (r#","fallbacks":"default""#, bedrock),
        (
            r#","tools":[{"type":"web_search_20260318","name":"web_search"},{"name":"Now","input_schema":{"type":"object"}}]"#,
            bedrock,
        ),
        (r#","stream":true"#, ""),
    ] {
        assert_eq!(refusing(keys, "platform-key"), expected, "{keys}");
    }
}

#[test]
fn each_endpoint_of_bedrock_has_models_of_its_own() {
    check(
        Provider::BedrockMessages,
        &request("claude-opus-4-5", "", HI),
        "model-endpoint: model: \"claude-opus-4-5\", which is known on Bedrock's InvokeModel only \
         (provider bedrock)",
    );
    for model in ["claude-opus-5-5", "anthropic.claude-opus-4-5", "claude-x-9"] {
        check(Provider::BedrockMessages, &request(model, "", HI), "");
    }
    check(Provider::Bedrock, &request("claude-opus-4-5", "", HI), "");
}

#[test]
fn a_body_has_the_length_that_its_platform_takes() {
    const MIB: usize = 1024 * 1024;
    let of_length = |mib: usize| {
        let text = "a".repeat(mib * MIB);
        request("m", "", &format!(r#"{{"type":"text","text":"{text}"}}"#))
    };
    let limits = [
        (Platform::BedrockInvoke, 20),
        (Platform::BedrockMessages, 32),
        (Platform::GoogleCloud, 30),
        (Platform::FirstParty, 32),
        (Platform::Foundry, 32),
    ];
    for (platform, limit) in limits {
        assert_eq!(max_body_bytes(platform), limit * MIB, "{platform}");
    }
    let request = of_length(20);
    let refused = |provider| refused(&request, provider, &Options::default());
    let found = refused(Provider::Bedrock);
    assert!(found.starts_with("body-size: body: 209"), "{found}");
    assert_eq!(refused(Provider::BedrockMessages), "");
}
