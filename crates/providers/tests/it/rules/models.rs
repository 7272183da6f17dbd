//! Rules of single models.

use aside_providers::{ModelChoice, Options, Provider, ServerKind, convert};

use crate::rules::{HI, NOW, check, refused, request};

#[test]
fn features_that_the_model_lacks() {
    let thinks = r#","thinking":{"type":"adaptive"}"#;
    check(
        Provider::FirstParty,
        &request("claude-sonnet-4-5-20250929", thinks, HI),
        r#"thinking-mode: thinking.type: "adaptive", claude-sonnet-4-5 takes enabled, disabled"#,
    );
    check(Provider::FirstParty, &request("claude-opus-4-6", thinks, HI), "");
    check(Provider::FirstParty, &request("claude-of-tomorrow", thinks, HI), "");
    let forced = format!(r#"{thinks},"tool_choice":{{"type":"any"}}{NOW}"#);
    check(Provider::FirstParty, &request("claude-opus-4-6", &forced, HI), "");
    let warm = r#","temperature":1.0,"top_k":3"#;
    check(
        Provider::OpenAi,
        &request("o3", warm, HI),
        "sampling-model: temperature: 1.0; sampling-model: top_k: 3",
    );
    check(Provider::OpenAi, &request("gpt-4.1", warm, HI), "");
    let mut long = request("claude-haiku-4-5", "", HI);
    long.max_tokens = Some(64_001);
    check(Provider::FirstParty, &long, "max-tokens: max_tokens: 64001, at most 64000");
    check(Provider::Bedrock, &long, "max-tokens: max_tokens: 64001, at most 64000");
}

/// The rule applies to the provider's name of the model, not to that of the
/// request.
#[test]
fn the_model_has_a_name() {
    let named = |outright: Option<&str>| Options {
        models: ModelChoice { outright: outright.map(str::to_owned), ..ModelChoice::default() },
        ..Options::default()
    };
    for provider in Provider::ALL {
        let told = |model, outright| refused(&request(model, "", HI), provider, &named(outright));
        assert_eq!(told("", None), r#"model-name: model: """#);
        assert_eq!(told("m", Some(" ")), r#"model-name: model: " ""#);
        assert_eq!(told("", Some("m")), "");
    }
}

/// On Chat Completions some models take tools only without reasoning, and some
/// not at all.
#[test]
fn tools_on_chat_completions() {
    let compatible = Options { server: ServerKind::Compatible, ..Options::default() };
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
    assert!(body("gpt-5.5").unwrap().contains(r#""reasoning_effort":"none""#));
    for model in ["gpt-4.1", "llama"] {
        assert!(!body(model).unwrap().contains("reasoning_effort"), "{model}");
    }
}
