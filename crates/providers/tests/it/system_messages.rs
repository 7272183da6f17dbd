//! System messages of the Messages API, on platforms that are not known to take them.

use aside_providers::{Options, Provider, convert_body};
use aside_rules::{Context, RuleLevel, Wire, check as check_body};

/// Converts a body to the Messages API of a provider. Checks that our own rules have nothing to say
/// about the result, not even that a source is missing, and returns it with the losses.
fn converted(provider: Provider, model: &str, rest: &str) -> (String, Vec<String>) {
    let body = format!(r#"{{"model":"{model}","max_tokens":9,{rest}}}"#);
    let options = Options::default();
    let converted = convert_body(body.as_bytes(), None, provider, options).unwrap();
    let outgoing = converted.outgoing.unwrap();
    let sent = String::from_utf8(outgoing.body()).unwrap();
    let context = Context {
        model: Some(outgoing.model.clone()),
        platform: Some(provider.spec().platform),
        ..Context::default()
    };
    let findings = check_body(sent.as_bytes(), Wire::Messages, &context).findings;
    let is_of_message = |path: &str| path.starts_with("messages") || path.starts_with("tools");
    let mut found =
        findings.iter().filter(|it| !matches!(it.level, RuleLevel::Cost | RuleLevel::Needs));
    assert!(!found.any(|it| is_of_message(&it.path)), "{findings:?} in {sent}");
    (sent, converted.losses.iter().map(ToString::to_string).collect())
}

fn losses(provider: Provider, rest: &str, sent: &str, expected: &[&str]) {
    let (body, losses) = converted(provider, "claude-opus-5-5", rest);
    assert!(body.contains(sent), "{provider}: {body}");
    // `betas` has the tests of headers.
    let others = ["model", "anthropic-beta"];
    let is_other = |loss: &&String| others.iter().any(|it| loss.starts_with(it));
    let losses: Vec<_> = losses.iter().filter(|it| !is_other(it)).collect();
    assert_eq!(losses, expected, "{provider}: {body}");
}

const UNKNOWN: [Provider; 2] = [Provider::Foundry, Provider::Bedrock];

#[test]
fn text_is_sent_as_a_reminder_where_no_source_states_more() {
    let keys = r#""messages":[{"role":"user","content":"x"},{"role":"system","content":"s","clear_at":"next_user_message"}]"#;
    for provider in UNKNOWN {
        let (body, losses) = converted(provider, "claude-opus-5-5", keys);
        assert!(!body.contains(r#""system""#) && body.contains("<system-reminder>"), "{body}");
        let lost = [
            "messages[1].clear_at: left out: the message stays, since the wire clears none",
            "messages[1].content[0]: sent as a reminder: the model takes no system message here",
        ];
        assert!(losses.ends_with(&lost.map(str::to_owned)), "{losses:?}");
    }
    for provider in [Provider::FirstParty, Provider::Vertex, Provider::BedrockMessages] {
        losses(provider, keys, r#""role":"system""#, &[]);
    }
}

#[test]
fn efforts_and_changes_of_tools_are_made_at_once() {
    let effort = r#""messages":[{"role":"user","content":"x"},{"role":"system","content":[],"output_config":{"effort":"low"}}]"#;
    let lost =
        "messages[1].output_config: left out: the model takes effort for a whole request only";
    for provider in UNKNOWN {
        losses(provider, effort, r#""content":[{"type":"text","text":"x"}]"#, &[lost]);
    }
    losses(Provider::FirstParty, effort, r#""effort":"low""#, &[]);
    let schema = r#""input_schema":{"type":"object"}"#;
    let change = |kind: &str, name: &str| {
        format!(r#"{{"type":"tool_{kind}","tool":{{"type":"tool_reference","name":"{name}"}}}}"#)
    };
    let changes = format!(
        r#""tools":[{{"name":"f",{schema}}},{{"name":"g",{schema},"defer_loading":true}},{{"name":"h",{schema}}}],
        "messages":[{{"role":"user","content":"x"}},{{"role":"system","content":[{},{}]}}]"#,
        change("addition", "g"),
        change("removal", "h"),
    );
    for provider in UNKNOWN {
        let (body, _) = converted(provider, "claude-opus-5-5", &changes);
        let has = |name: &str| body.contains(&format!(r#""name":"{name}""#));
        assert!(has("f") && has("g") && !has("h"), "{body}");
        assert!(!body.contains("defer_loading") && !body.contains("tool_reference"), "{body}");
    }
    losses(Provider::FirstParty, &changes, "tool_removal", &[]);
}
