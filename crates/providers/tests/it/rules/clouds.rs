//! Rules of the clouds that serve Anthropic's models.

use aside_models::Platform;
use aside_providers::{Options, Provider, RefusedErrorKind, convert};
use aside_rules::max_body_bytes;

use crate::rules::{HI, check, refused, request};

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
        let refused = clouds.into_iter().zip(refused).filter(|(_, text)| text.contains(rule));
        let names = refused.map(|(provider, _)| provider.to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let bedrock = "bedrock bedrock-messages";
    for (keys, expected) in [
        (
            r#","diagnostics":{"previous_message_id":null}"#,
            "bedrock bedrock-messages vertex foundry",
        ),
        (r#","speed":"fast""#, "bedrock bedrock-messages vertex foundry"),
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
        (
            r#","output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{},"additionalProperties":false}}}"#,
            "bedrock-messages",
        ),
        (r#","output_config":{"effort":"low"}"#, ""),
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
    let error = convert(&request, Provider::Bedrock, &Options::default());
    assert_eq!(error.unwrap_err().kind(), RefusedErrorKind::BodySize);
}
