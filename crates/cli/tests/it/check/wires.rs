//! A body's wire is decided before checking, so that another wire's key is a
//! violation.

use std::fs;
use std::process::{Command, Output};

use aside_models::{Platform, Wire};
use serde_json::{Value, json};

/// Runs `aside check` on a file with this text.
fn run(text: &str, arguments: &[&str]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command.arg("check").arg(&file).args(arguments);
    command.output().unwrap()
}

/// Returns the exit code, paths to the refused values, and the wire with the
/// reason.
fn check(body: &Value, arguments: &[&str]) -> (i32, Vec<String>, String) {
    let output = run(&body.to_string(), &[&["--json"], arguments].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let violations = report["violations"].as_array().unwrap().iter();
    let refused = violations.filter(|violation| violation["level"] == "refused");
    let paths = refused.map(|violation| violation["path"].as_str().unwrap().to_owned());
    let wire = &report["wires"][0];
    let wire =
        format!("{} by {}", wire["wire"].as_str().unwrap(), wire["reason"].as_str().unwrap());
    (output.status.code().unwrap(), paths.collect(), wire)
}

/// Returns a valid Messages API body with another message list.
fn messages(messages: &Value) -> Value {
    json!({"model": "claude-opus-5", "max_tokens": 8, "messages": messages})
}

#[test]
fn keys_of_another_wire_are_violations_of_the_messages_api() {
    let with = |key: &str, value: Value| {
        let mut body = messages(&json!([{"role": "user", "content": "Hi"}]));
        body[key] = value;
        body
    };
    let user = |block: Value| messages(&json!([{"role": "user", "content": [block]}]));
    let call =
        json!([{"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]);
    for (body, path) in [
        (with("response_format", json!({"type": "json_object"})), "response_format"),
        (with("n", json!(1)), "n"),
        (with("stop", json!(["END"])), "stop"),
        (with("input", json!("Hi")), "input"),
        (
            messages(&json!([
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Yes"},
                {"role": "tool", "content": "a.txt"},
            ])),
            "messages[2].role",
        ),
        (
            messages(&json!([
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Yes", "tool_calls": call},
                {"role": "user", "content": "Go on"},
            ])),
            "messages[1].tool_calls",
        ),
        (
            user(json!({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}})),
            "messages[0].content[0].type",
        ),
        (user(json!({"type": "input_text", "text": "Hi"})), "messages[0].content[0].type"),
        (
            messages(&json!([{"type": "message", "role": "user", "content": "Hi"}])),
            "messages[0].type",
        ),
    ] {
        let expected = (1, vec![path.to_owned()], "messages by model".to_owned());
        assert_eq!(check(&body, &[]), expected, "{body}");
    }
}

#[test]
fn the_same_keys_are_valid_on_their_own_wire() {
    let chat = json!({
        "model": "gpt-4.1", "n": 1, "stop": ["END"], "response_format": {"type": "json_object"},
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "Reply in JSON."},
                {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
            ]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "c", "content": "a.txt"},
        ],
        "tools": [{"type": "function", "function": {
            "name": "ls", "parameters": {"type": "object", "properties": {}},
        }}],
    });
    let responses = json!({"model": "gpt-6-sol", "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
    ]});
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let mut gemini_chat = chat.clone();
    gemini_chat["model"] = json!("gemini-3-pro-preview");
    for (body, wire) in [
        (&chat, "chat-completions by model"),
        (&responses, "responses by model"),
        (&gemini, "generate-content by shape"),
        (&gemini_chat, "chat-completions by model"),
    ] {
        assert_eq!(check(body, &[]), (0, vec![], wire.to_owned()), "{body}");
    }
    let with_model = |model: &str| {
        let mut body = chat.clone();
        body["model"] = json!(model);
        body
    };
    // A gateway serves any model on any wire.
    for model in ["anthropic/claude-opus-5", "openrouter/anthropic/claude-opus-5", "llama-5"] {
        let expected = (0, vec![], "chat-completions by shape".to_owned());
        assert_eq!(check(&with_model(model), &[]), expected, "{model}");
    }
    let claude = with_model("claude-opus-5");
    for (arguments, reason) in [
        (["--wire", "chat-completions"], "wire"),
        (["--platform", "openai"], "platform"),
        (["--platform", "compatible"], "shape"),
    ] {
        let expected = (0, vec![], format!("chat-completions by {reason}"));
        assert_eq!(check(&claude, &arguments), expected, "{arguments:?}");
    }
}

#[test]
fn a_platform_has_the_wire() {
    let valid = messages(&json!([{"role": "user", "content": "Hi"}]));
    let output = |wire: &str, platform: &str| {
        run(&valid.to_string(), &["--wire", wire, "--platform", platform])
    };
    let refused = |wire: &str, platform: &str, expected: &str| {
        let output = output(wire, platform);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]), "{stderr}");
        let told = format!("--wire {wire} and --platform {platform}: this platform has {expected}");
        assert!(stderr.contains(&told), "{stderr}");
    };
    refused("messages", "openai", "responses and chat-completions");
    refused("generate-content", "azure", "responses and chat-completions");
    refused("responses", "gemini", "generate-content and chat-completions");
    refused("chat-completions", "bedrock-invoke", "messages");
    for platform in Platform::ALL {
        for wire in platform.wires() {
            let code = output(wire.as_str(), platform.as_str()).status.code();
            assert_ne!(code, Some(2), "{wire} on {platform:?}");
        }
        let (.., decided) = check(&valid, &["--platform", platform.as_str()]);
        let has_it = |wire: &Wire| decided.starts_with(&format!("{} ", wire.as_str()));
        assert!(platform.wires().iter().any(has_it), "{decided} on {platform:?}");
    }
}

#[test]
fn the_address_decides_before_the_model() {
    let body = r#"{"model":"claude-opus-5","stop":["x"],"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}]}"#;
    let recorded = |url: &str| {
        let entry = json!({"request": {"url": url, "headers": [], "postData": {"text": body}}});
        json!({"log": {"entries": [entry]}})
    };
    let chat = recorded("https://models.example/v1/chat/completions");
    let by_address = (0, vec![], "chat-completions by address".to_owned());
    assert_eq!(check(&chat, &[]), by_address);
    let (code, paths, wire) = check(&recorded("https://models.example/v1/messages"), &[]);
    assert_eq!((code, wire.as_str()), (1, "messages by address"));
    assert!(paths.contains(&"stop".to_owned()), "{paths:?}");
    let (code, paths, wire) = check(&chat, &["--wire", "messages"]);
    assert_eq!((code, wire.as_str()), (1, "messages by wire"));
    assert!(paths.contains(&"stop".to_owned()), "{paths:?}");
}

#[test]
fn the_reason_is_reported() {
    let stderr = |body: &Value, arguments: &[&str]| {
        String::from_utf8(run(&body.to_string(), arguments).stderr).unwrap()
    };
    let valid = messages(&json!([{"role": "user", "content": "Hi"}]));
    assert_eq!(stderr(&valid, &[]), "");
    let verbose = stderr(&valid, &["-v"]);
    assert!(verbose.contains("read as Messages API because of its model"), "{verbose}");
    let mut leftover = valid.clone();
    leftover["stop"] = json!(["x"]);
    let hint = stderr(&leftover, &[]);
    assert!(hint.contains("there is --wire chat-completions"), "{hint}");
    // Of each wire once, however many bodies there are.
    let line = json!({"model": "gpt-6-sol", "input": "Hi"}).to_string() + "\n";
    let errors = String::from_utf8(run(&line.repeat(3), &[]).stderr).unwrap();
    assert_eq!(errors.matches("read as Responses because of its model").count(), 1, "{errors}");
}
