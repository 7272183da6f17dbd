//! Converts whole bodies, as `aside convert` does: what the target has is sent, and the rest is
//! reported.

use aside_providers::{Options, Provider, ServerKind, convert_body};

/// Converts a body. Returns the new body or the error, and the losses, except for the exchange of
/// the model.
fn converted(body: &str, to: Provider, options: Options) -> (Result<String, String>, String) {
    let converted = convert_body(body.as_bytes(), None, to, options).unwrap();
    let mut losses = converted.losses;
    let outgoing = converted.outgoing.map_err(|error| error.to_string());
    losses.extend(outgoing.iter().flat_map(|it| it.losses.clone()));
    let sent = outgoing.map(|it| String::from_utf8(it.body()).unwrap());
    losses.retain(|it| it.path != "model");
    let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
    (sent, losses.join("; "))
}

/// Checks a part of the new body, and all losses.
#[track_caller]
fn check(body: &str, to: Provider, model: &str, sent: &str, lost: &str) {
    let (found, losses) = converted(body, to, Options::for_model(model));
    let found = found.unwrap();
    assert!(found.contains(sent), "{model}: {found}");
    assert_eq!(losses, lost, "{model}: {body}");
}

const OWN: Provider = Provider::FirstParty;
const OPENAI: Provider = Provider::OpenAi;

#[test]
fn parallel_calls_where_none_is_allowed() {
    let chat = |choice: &str| {
        format!(
            r#"{{"model":"gpt-4.1","max_completion_tokens":64,"messages":[{{"role":"user","content":"Hi"}}],"tools":[{{"type":"function","function":{{"name":"f","parameters":{{"type":"object","properties":{{}}}}}}}}],"tool_choice":"{choice}","parallel_tool_calls":false}}"#
        )
    };
    let model = "claude-opus-5";
    for to in [OWN, Provider::Bedrock, Provider::Vertex] {
        check(&chat("none"), to, model, r#""tool_choice":{"type":"none"}"#, "");
        let single = r#""tool_choice":{"type":"auto","disable_parallel_tool_use":true}"#;
        check(&chat("auto"), to, model, single, "");
    }
    let both = r#""tool_choice":"none","parallel_tool_calls":false"#;
    check(&chat("none"), OPENAI, "gpt-4.1", both, "");
}

#[test]
fn a_limit_of_zero_is_none_on_other_wires() {
    let body = r#"{"model":"gpt-5.5","max_tokens":0,"messages":[{"role":"user","content":"Hi"}]}"#;
    let lost = "max_tokens: set to 8192: the Messages API needs a limit";
    check(body, OWN, "claude-opus-5", r#""max_tokens":8192"#, lost);
}

/// A cloud's name for a model becomes the target's. The catalogue has to know the model, and a model
/// that you name stays.
#[test]
fn the_id_of_another_platform() {
    let (own, invoke, messages) = (OWN, Provider::Bedrock, Provider::BedrockMessages);
    let (vertex, foundry) = (Provider::Vertex, Provider::Foundry);
    let check = |named: &str, to: Provider, sent: &str, lost: &str| {
        let body = format!(
            r#"{{"model":"{named}","max_tokens":64,"messages":[{{"role":"user","content":"Hi"}}]}}"#
        );
        let converted = convert_body(body.as_bytes(), None, to, Options::default()).unwrap();
        let outgoing = converted.outgoing.unwrap();
        let losses = converted.losses.iter().chain(&outgoing.losses);
        let losses: Vec<_> = losses.map(ToString::to_string).collect();
        assert_eq!((outgoing.model.as_str(), losses.join("; ").as_str()), (sent, lost), "{to}");
    };
    let replaced = |named: &str, to: Provider, sent: &str| {
        check(named, to, sent, &format!("model: {named} is replaced by {sent}"));
    };
    let profile = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
    let google = "claude-haiku-4-5@20251001";
    let window = "claude-opus-4-6[1m]";
    replaced(profile, own, "claude-haiku-4-5");
    replaced(profile, vertex, google);
    replaced(google, own, "claude-haiku-4-5");
    replaced(google, invoke, "global.anthropic.claude-haiku-4-5-20251001-v1:0");
    replaced(google, messages, "anthropic.claude-haiku-4-5");
    replaced("anthropic.claude-opus-5", own, "claude-opus-5");
    replaced(window, own, "claude-opus-4-6");
    replaced(window, vertex, "claude-opus-4-6");
    for (named, to) in [
        (profile, invoke),
        ("us.anthropic.claude-opus-5", messages),
        (google, vertex),
        (google, foundry),
        ("claude-haiku-4-5-20251001", own),
        ("us.anthropic.claude-opus-99", own),
    ] {
        check(named, to, named, "");
    }
    // In a session and by name, it is yours.
    let body =
        r#"{"model":"claude-opus-5","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]}"#;
    let options = Options::for_model(google);
    let outgoing = convert_body(body.as_bytes(), None, own, options).unwrap().outgoing.unwrap();
    let kept = "model: claude-haiku-4-5@20251001 is kept, which this platform does not have: name another one";
    assert_eq!(outgoing.losses[0].to_string(), kept);
}

/// Every tool has another name: comparing each with all would take a minute.
#[test]
fn many_renamed_tools() {
    let count = 20_000;
    let tool = |index| {
        format!(r#"{{"name":"a.{index}","input_schema":{{"type":"object","properties":{{}}}}}}"#)
    };
    let tools: Vec<_> = (0..count).map(tool).collect();
    let call =
        |index| format!(r#"{{"type":"tool_use","id":"c{index}","name":"a.{index}","input":{{}}}}"#);
    let calls: Vec<_> = (0..count).map(call).collect();
    let result = |index| format!(r#"{{"type":"tool_result","tool_use_id":"c{index}"}}"#);
    let results: Vec<_> = (0..count).map(result).collect();
    let [tools, calls, results] = [tools, calls, results].map(|it| it.join(","));
    let body = format!(
        r#"{{"model":"local","max_tokens":64,"messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}}],"tools":[{tools}]}}"#
    );
    let options = Options { server: ServerKind::Compatible, ..Options::for_model("local") };
    let (sent, losses) = converted(&body, OPENAI, options);
    assert!(sent.unwrap().contains(r#""name":"a_x"#));
    assert_eq!(losses.matches("is sent as").count(), count);
}

/// Checks that a body is refused, and why.
#[track_caller]
fn refused(body: &str, to: Provider, options: Options, error: &str) {
    assert_eq!(converted(body, to, options).0, Err(error.to_owned()), "{body}");
}

/// A request without a limit is another one than a request that only warms the cache.
#[test]
fn a_request_that_only_warms_the_cache() {
    let own = |limit: u64| {
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":{limit},"messages":[{{"role":"user","content":"Hi"}}]}}"#
        )
    };
    check(&own(0), OWN, "claude-opus-5", r#""max_tokens":0,"#, "");
    let targets = [
        (OPENAI, "gpt-5.5", ServerKind::Own),
        (OPENAI, "local", ServerKind::Compatible),
        (Provider::Gemini, "gemini-4-argon", ServerKind::Own),
        (Provider::Grok, "grok-4.5", ServerKind::Own),
    ];
    let unlimited = r#"{"model":"gpt-5.5","input":"Hi"}"#;
    let warming = "max-tokens: max_tokens: 0, which only warms the cache of the Messages API";
    for (to, model, server) in targets {
        let options = Options { server, ..Options::for_model(model) };
        refused(&own(0), to, options.clone(), warming);
        let (sent, losses) = converted(&own(64), to, options.clone());
        assert!(sent.unwrap().contains(":64"), "{model}");
        assert_eq!(losses, "", "{model}");
        let (sent, losses) = converted(unlimited, to, options);
        let sent = sent.unwrap().to_lowercase();
        assert!(!sent.contains("tokens"), "{sent}");
        assert_eq!(losses, "", "{model}");
    }
}

/// The wires of other vendors have no tools of Anthropic's.
#[test]
fn a_choice_of_a_tool_that_is_left_out() {
    let bash = r#"{"type":"bash_20250124","name":"bash"}"#;
    let both =
        format!(r#"{bash},{{"name":"f","input_schema":{{"type":"object","properties":{{}}}}}}"#);
    let body = |tools: &str, choice: &str| {
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":64,"messages":[{{"role":"user","content":"Hi"}}],"tools":[{tools}],"tool_choice":{choice}}}"#
        )
    };
    let [auto, any, none] = ["auto", "any", "none"].map(|it| format!(r#"{{"type":"{it}"}}"#));
    let named = |name: &str| format!(r#"{{"type":"tool","name":"{name}"}}"#);
    let left_out = "tools[0]: left out: only Claude knows what this tool takes";
    let no_choice = "tool_choice: left out: no tool is left to choose";
    for (to, model, server, forced) in [
        (OPENAI, "gpt-5.5", ServerKind::Own, r#""tool_choice":"required""#),
        (OPENAI, "local", ServerKind::Compatible, r#""tool_choice":"required""#),
        (Provider::Gemini, "gemini-4-argon", ServerKind::Own, r#""mode":"ANY""#),
    ] {
        let options = Options { server, ..Options::for_model(model) };
        let gone = "tool-choice: tool_choice.name: \"bash\", which is left out of the tools";
        refused(&body(&both, &named("bash")), to, options.clone(), gone);
        let check = |tools: &str, choice: &str, lost: &[&str]| {
            let (sent, losses) = converted(&body(tools, choice), to, options.clone());
            assert_eq!(losses, lost.join("; "), "{model} {choice}");
            sent.unwrap()
        };
        for choice in [&any, &named("f")] {
            let sent = check(&both, choice, &[left_out]);
            assert!(sent.contains(forced) || sent.contains(r#""name":"f"}"#), "{sent}");
        }
        for choice in [&any, &named("bash")] {
            let sent = check(bash, choice, &[left_out, no_choice]);
            assert!(!sent.contains("tool"), "{sent}");
        }
        for choice in [&auto, &none] {
            check(bash, choice, &[left_out]);
        }
    }
}
