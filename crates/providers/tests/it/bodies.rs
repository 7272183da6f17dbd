//! Converts whole bodies, as `aside convert` does: what the target has is sent, and the rest is
//! reported.

use aside_providers::{Options, Provider, convert_body};

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
