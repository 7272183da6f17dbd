//! Betas that a converted body needs, and that are not in it.

use aside_providers::{Options, Provider, convert_body};

#[test]
fn a_beta_that_the_converted_body_needs() {
    let losses = |json: &str, to: Provider, betas: &[&str]| {
        let betas = betas.iter().map(|it| (*it).to_owned()).collect();
        let options = Options { betas, ..Options::for_model("claude-opus-5") };
        let converted = convert_body(json.as_bytes(), None, to, options).unwrap();
        let outgoing = converted.outgoing.unwrap();
        let of_header = converted.losses.iter().filter(|it| it.path == "anthropic-beta");
        let losses: Vec<_> = of_header.map(ToString::to_string).collect();
        (losses, outgoing)
    };
    let tools = r#""tools":[{"type":"function","name":"f"},{"type":"function","name":"g"}]"#;
    let choice = |name: &str| {
        format!(
            r#"{{"model":"gpt-6.1-sol",{tools},"tool_choice":{{"type":"allowed_tools","mode":"auto","tools":[{name}]}},"input":[{{"role":"user","content":"hi"}}]}}"#
        )
    };
    let (one, both) = (r#"{"type":"function","name":"f"}"#, r#"{"type":"function","name":"g"}"#);
    let (restricted, all) = (choice(one), choice(&format!("{one},{both}")));
    let effort = r#"{"model":"gpt-6.1-sol","input":[{"role":"user","content":"a"},
        {"type":"configuration_update","reasoning":{"effort":"low"}},{"role":"user","content":"b"}]}"#;
    let gemini = r#"{"tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"},{"name":"h"}]}],
        "toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f","g"]}},
        "contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#;
    let changes = "mid-conversation-tool-changes-2026-07-01";
    let config = "mid-conversation-output-config-2026-07-01";
    for (json, beta, instead) in [
        (&*restricted, changes, changes),
        (gemini, changes, changes),
        (effort, config, "per-turn-control-2026-07-01"),
    ] {
        let needed = format!("anthropic-beta: the body needs this header: {beta}");
        for to in [Provider::FirstParty, Provider::Vertex] {
            assert_eq!(losses(json, to, &[]).0, [&*needed], "{to}");
            assert_eq!(losses(json, to, &["other-2026-01-01"]).0, [&*needed], "{to}");
            assert!(losses(json, to, &[instead]).0.is_empty(), "{to}");
        }
    }
    assert!(losses(&all, Provider::FirstParty, &[]).0.is_empty());
    // Its body has the betas.
    let (found, outgoing) = losses(effort, Provider::Bedrock, &[]);
    assert!(found.is_empty());
    assert!(outgoing.headers.iter().all(|(name, _)| *name != "anthropic-beta"));
    // So does a body of the Messages API, whose own header is not in it.
    let own = String::from_utf8(losses(effort, Provider::FirstParty, &[]).1.body()).unwrap();
    assert!(own.contains("output_config"), "{own}");
    let needed = format!("anthropic-beta: the body needs this header: {config}");
    assert_eq!(losses(&own, Provider::FirstParty, &[]).0, [&*needed]);
    assert_eq!(losses(&own, Provider::Vertex, &["other-2026-01-01"]).0, [&*needed]);
    assert!(losses(&own, Provider::FirstParty, &[config]).0.is_empty());
    let listed = own.replacen('{', &format!(r#"{{"betas":["{config}"],"#), 1);
    assert!(losses(&listed, Provider::FirstParty, &[]).0.is_empty());
}

/// Only the Claude API takes it, and only with its beta. Elsewhere the marker stays without it.
#[test]
fn a_marker_with_the_global_scope() {
    let beta = "prompt-caching-scope-2026-01-05";
    let body = |scope: &str, betas: &str| {
        let marker = format!(r#""cache_control":{{"type":"ephemeral","ttl":"1h"{scope}}}"#);
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":9,"system":[{{"type":"text","text":"a",{marker}}}],"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","content":[{{"type":"text","text":"b",{marker}}}]}}]}}],"tools":[{{"name":"f","input_schema":{{"type":"object"}},{marker}}}]{betas}}}"#
        )
        .replace(
            r#""messages":["#,
            r#""messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},"#,
        )
    };
    let scope = r#","scope":"global""#;
    let converted = |json: &str, to: Provider, betas: &[&str]| {
        let betas = betas.iter().map(|it| (*it).to_owned()).collect();
        let converted =
            convert_body(json.as_bytes(), None, to, Options { betas, ..Options::default() });
        let converted = converted.unwrap();
        let losses: Vec<_> = converted.losses.iter().map(ToString::to_string).collect();
        (String::from_utf8(converted.outgoing.unwrap().body()).unwrap(), losses)
    };
    let listed = format!(r#","betas":["{beta}"]"#);
    for (json, betas) in [(body(scope, ""), &[beta][..]), (body(scope, &listed), &[])] {
        let (sent, _) = converted(&json, Provider::FirstParty, betas);
        assert_eq!(sent.matches(scope).count(), 3, "{sent}");
        for to in [Provider::Bedrock, Provider::BedrockMessages, Provider::Vertex] {
            assert_eq!(converted(&json, to, betas).0, converted(&body("", ""), to, &[beta]).0);
        }
    }
    let (sent, losses) = converted(&body(scope, ""), Provider::FirstParty, &[]);
    assert_eq!(sent, converted(&body("", ""), Provider::FirstParty, &[]).0);
    let places = ["tools[0]", "system[0]", "messages[2].content[0].content[0]"];
    let what = "cache_control.scope: left out: only the Claude API takes it, with prompt-caching-scope-2026-01-05";
    assert_eq!(losses, places.map(|at| format!("{at}.{what}")));
}
