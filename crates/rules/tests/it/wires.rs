//! The wires other than the Messages API.

use aside_body::wire::of_shape;
use aside_models::Platform;
use aside_rules::{ApiVersion, Checked, Context, SEEN_FROM_CLIENTS, Wire};

use crate::check::cases_of_other_wires;

fn check(body: &str, form: Wire) -> Checked {
    aside_rules::check(body.as_bytes(), form, &Context::default())
}

fn found(checked: &Checked) -> Vec<(&str, &str)> {
    let found = checked.findings.iter();
    found.map(|it| (it.rule, it.path.as_str())).collect()
}

fn topics(checked: &Checked) -> Vec<&str> {
    checked.not_checked.iter().map(|it| it.topic).collect()
}

#[test]
fn what_clients_send_is_accepted() {
    // A list of calls is not left out by null where the server needs one of two keys.
    let silent =
        r#"{"model":"gpt-4.1","messages":[{"role":"assistant","content":null,"tool_calls":null}]}"#;
    assert_ne!(found(&check(silent, Wire::ChatCompletions)), []);
    for seen in SEEN_FROM_CLIENTS {
        let form = match seen.wire {
            Wire::Responses => Wire::Responses,
            Wire::ChatCompletions => Wire::ChatCompletions,
            Wire::GenerateContent => Wire::GenerateContent,
            _ => continue,
        };
        assert_eq!(found(&check(seen.sample, form)), [], "{}", seen.sends);
    }
    // Unlike the content of reasoning, its summary is a list.
    let body = r#"{"model":"gpt-5.5","input":[
        {"type":"reasoning","summary":null,"content":null,"encrypted_content":"x"}]}"#;
    let expected = [("value-type", "input[0].summary")];
    assert_eq!(found(&check(body, Wire::Responses)), expected);
}

/// Each case's form is recognized without being named.
#[test]
fn the_form_is_recognized_by_the_shape() {
    let valid = cases_of_other_wires();
    for case in valid.iter().filter(|it| it.expected.is_empty()) {
        let shape = of_shape(case.body().as_bytes());
        assert_eq!(shape, Some(case.wire()), "{}", case.body());
    }
}

#[test]
fn the_rules_of_a_compatible_server_are_not_checked() {
    let fault = r#"{"model":"MODEL","messages":[{"role":"user","content":"a"}],
        "stop":["a","b","c","d","e"]}"#;
    let check = |model: &str, platform: Option<Platform>| {
        let context = Context { platform, ..Context::default() };
        let body = fault.replace("MODEL", model);
        let checked = aside_rules::check(body.as_bytes(), Wire::ChatCompletions, &context);
        (checked.findings.len(), topics(&checked).contains(&"server-rules"))
    };
    assert_eq!(check("gpt-4.1", None), (1, false));
    assert_eq!(check("gpt-9", None), (1, false));
    for other in ["llama-5", "grok-4.5", "claude-opus-5-5", "openai/gpt-4.1"] {
        assert_eq!(check(other, None), (0, true), "{other}");
    }
    assert_eq!(check("my-deployment", Some(Platform::Azure)), (1, false));
    assert_eq!(check("gpt-4.1", Some(Platform::Compatible)), (0, true));
    assert_eq!(check("grok-4.5", Some(Platform::Xai)), (0, true));
}

#[test]
fn a_model_of_another_vendor_has_the_rules_of_the_messages_api() {
    let body = r#"{"model":"MODEL","max_tokens":9,"maxTokens":9,"temperature":0.5,
        "system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}],
        "messages":[{"role":"user","content":"a"}]}"#;
    let context = Context { version: Some(ApiVersion::V2023_06_01), ..Context::default() };
    let check = |model: &str| {
        let body = body.replace("MODEL", model);
        aside_rules::check(body.as_bytes(), Wire::Messages, &context)
    };
    let checked = check("gpt-5");
    assert_eq!(found(&checked), [("unknown-key", "maxTokens")]);
    assert_eq!(topics(&checked), ["model-rules"]);
    let of_model = [("unknown-key", "maxTokens"), ("marker-minimum", "system[0].cache_control")];
    assert_eq!(found(&check("claude-opus-4-5")), of_model);
}

#[test]
fn the_form_of_a_wire_is_checked_on_every_server() {
    let check = |platform, wire, body: &str, expected: &[(&str, &str)]| {
        let context = Context { platform: Some(platform), ..Context::default() };
        let checked = aside_rules::check(body.as_bytes(), wire, &context);
        assert_eq!(found(&checked), expected, "{body}");
        assert_eq!(topics(&checked), ["server-rules"], "{body}");
    };
    let chat = Wire::ChatCompletions;
    let foreign = r#"{"model":"grok-4.5","contents":[{"role":"user","parts":[{"text":"a"}]}]}"#;
    let expected = [("foreign-key", "contents"), ("no-message", "messages")];
    check(Platform::Xai, chat, foreign, &expected);
    let types = r#"{"model":"grok-4.5","messages":[{"role":"user","content":7}],"max_tokens":"x"}"#;
    let expected = [("value-type", "messages[0].content"), ("value-type", "max_tokens")];
    check(Platform::Xai, chat, types, &expected);
    let system = r#"{"model":"gemini-4-argon","messages":[{"role":"user","content":"a"}],
        "system":"x","max_tokens":5}"#;
    check(Platform::Gemini, chat, system, &[("foreign-key", "system")]);
    let input = r#"{"model":"grok-4.5","input":7,"max_output_tokens":[]}"#;
    let expected = [("no-message", "input"), ("value-type", "max_output_tokens")];
    check(Platform::Xai, Wire::Responses, input, &expected);
    // Keys and values of their own.
    for own in [
        r#""thinking":{"type":"enabled"},"top_k":5,"chat_template_kwargs":{"a":1},"stop":null"#,
        r#""reasoning":{"effort":"high"},"tool_choice":"any","metadata":{"a":1},"provider":{}"#,
    ] {
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[
            {{"type":"image_url","image_url":"https://example.com/a.png"}}]}},
            {{"role":"assistant","content":null,"prefix":true}}],{own}}}"#
        );
        check(Platform::Compatible, chat, &body, &[]);
    }
}

#[test]
fn a_model_that_is_not_in_the_catalogue_refuses_nothing() {
    let body = r#"{"model":"gpt-9","messages":[{"role":"user","content":"a"}],
        "tools":[{"type":"function","function":{"name":"a"}}],
        "temperature":0,"max_tokens":9,"reasoning_effort":"high"}"#;
    let checked = check(body, Wire::ChatCompletions);
    assert_eq!(found(&checked), []);
    assert_eq!(topics(&checked), ["model-rules", "tool-schemas"]);
    let known = check(&body.replace("gpt-9", "gpt-6-astra"), Wire::ChatCompletions);
    assert_eq!(known.findings.len(), 3);
}

#[test]
fn what_one_body_does_not_decide_is_counted() {
    let call = |id: &str| {
        format!(r#"{{"type":"function_call","call_id":"c","id":"{id}","name":"a","arguments":""}}"#)
    };
    let (first, second) = (call("fc_1"), call("fc_2"));
    let body = format!(
        r#"{{"model":"gpt-6-sol","input":[
        {{"role":"user","content":[{{"type":"input_image","image_url":"data:image/png;base64,"}}]}},
        {{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}},
        {first},{{"type":"function_call_output","call_id":"c","output":""}},
        {second},{{"type":"function_call_output","call_id":"c","output":""}}]}}"#
    );
    let checked = check(&body, Wire::Responses);
    assert_eq!(found(&checked), []);
    let counts: Vec<_> = checked.not_checked.iter().map(|it| (it.topic, it.count)).collect();
    let expected = [("encrypted-content", 1), ("media", 1), ("reasoning-pairing", 1)];
    assert_eq!(counts, expected);

    let stored = r#"{"model":"gpt-6-sol","input":"a","previous_response_id":"resp_1"}"#;
    assert_eq!(topics(&check(stored, Wire::Responses)), ["stored-items"]);
    let bare = r#"{"contents":[{"parts":[{"text":"a"}]}]}"#;
    assert_eq!(topics(&check(bare, Wire::GenerateContent)), ["model-rules"]);
}

#[test]
fn odd_documents_are_reported_and_never_a_panic() {
    for form in [Wire::ChatCompletions, Wire::Responses, Wire::GenerateContent] {
        for text in ["", "{", "7", "\"a\"", "null", "{\"model\":}"] {
            assert_eq!(found(&check(text, form)), [("json", "")], "{text}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(found(&check(&deep, form)), [("json", "")]);
    }
    // Every value in a case, replaced by one with another type.
    for case in cases_of_other_wires() {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(case.body()) else {
            continue;
        };
        for wrong in [serde_json::json!(7), serde_json::json!([null, [], {}])] {
            for spoiled in spoiled(&value, &wrong) {
                check(&spoiled.to_string(), case.wire());
            }
        }
    }
}

/// Replaces one member or element at a time.
fn spoiled(value: &serde_json::Value, wrong: &serde_json::Value) -> Vec<serde_json::Value> {
    use serde_json::Value;
    let mut all = vec![wrong.clone()];
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                for inner in spoiled(inner, wrong) {
                    let mut copy = members.clone();
                    copy.insert(key.clone(), inner);
                    all.push(Value::Object(copy));
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                for inner in spoiled(inner, wrong) {
                    let mut copy = items.clone();
                    copy[index] = inner;
                    all.push(Value::Array(copy));
                }
            }
        }
        _ => {}
    }
    all
}
