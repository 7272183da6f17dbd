//! `aside check` the way you would use it.

#[cfg(unix)]
use crate::support::fifo;
mod inputs;
mod recordings;
mod wires;

use std::fs;
use std::process::Command;

/// Checks a file with this text. Returns the exit code, and stdout with the
/// file name as FILE.
fn check(text: &str, arguments: &[&str], code: i32, expected: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .arg("check")
        .arg(&file)
        .args(arguments)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap().replace(file.to_str().unwrap(), "FILE");
    assert!(!printed.is_empty(), "an output is never empty");
    let is_clean = printed.starts_with("no violations in ") || printed == "no body to check\n";
    let found = if is_clean { String::new() } else { printed };
    assert_eq!((output.status.code(), found.as_str()), (Some(code), expected));
}

const GOOD: &str =
    r#"{"model":"claude-opus-4-8","max_tokens":1,"messages":[{"role":"user","content":"a"}]}"#;
const BLANK: &str =
    r#"{"model":"claude-opus-4-8","max_tokens":1,"messages":[{"role":"user","content":" "}]}"#;

#[test]
fn one_body() {
    check(GOOD, &[], 0, "");
    check(&GOOD.replace(',', ",\n"), &[], 0, "");
    check(
        BLANK,
        &[],
        1,
        "FILE: blank-text: messages[0].content: blank text, expected text with a character other than white space (platform docs, errors)\n",
    );
    check(
        "{\"model\":7}\n",
        &[],
        1,
        "FILE: value-type: model: 7, expected a string (anthropic (Python) 2.12.0, types)\n\
         FILE: missing-key: max_tokens: no key, expected a whole number (anthropic (Python) 2.12.0, types)\n\
         FILE: missing-key: messages: no key, expected a list (anthropic (Python) 2.12.0, types)\n\
         not checked: model-rules (1): the body names no model, so the rules of models are not applied\n",
    );
    let sampled = GOOD.replace("\"messages\"", "\"temperature\":1,\"messages\"");
    let sampling = "FILE: sampling: temperature: 1, expected no sampling parameters under \
                    API version 2026-10-21";
    let source = "anthropic (Python) 2.12.0, types)\n";
    let needs = format!("{sampling} (needs; {source}");
    check(&sampled, &[], 0, &needs);
    check(&sampled, &["--deny", "needs"], 1, &needs);
    check(&sampled, &["--api-version", "2023-06-01"], 0, "");
    let version = ["--api-version", "2026-10-21"];
    check(&sampled, &version, 1, &format!("{sampling} ({source}"));
}

#[test]
fn json_lines_have_one_body_per_line() {
    check(
        &format!("{GOOD}\n{BLANK}\n\nnonsense\u{1b}\n"),
        &[],
        1,
        "FILE:2: blank-text: messages[0].content: blank text, expected text with a character other than white space (platform docs, errors)\n\
         FILE:4: json: expected a value at line 1 column 1, expected one JSON object (anthropic (Python) 2.12.0, types)\n",
    );
}

#[test]
fn for_machines() {
    check(
        GOOD,
        &["--json"],
        0,
        r#"{
  "violations": [],
  "not_checked": [],
  "wires": [
    {
      "wire": "messages",
      "reason": "model",
      "bodies": 1
    }
  ],
  "bodies": 1,
  "levels": {}
}
"#,
    );
    check(
        BLANK,
        &["--json", "--model", "mystery-1"],
        1,
        r#"{
  "violations": [
    {
      "file": "FILE",
      "line": null,
      "rule": "blank-text",
      "level": "refused",
      "path": "messages[0].content",
      "found": "blank text",
      "expected": "text with a character other than white space",
      "source": "platform docs, errors"
    }
  ],
  "not_checked": [
    {
      "topic": "model-rules",
      "count": 1,
      "reason": "\"mystery-1\" is not in the catalogue of models"
    }
  ],
  "wires": [
    {
      "wire": "messages",
      "reason": "shape",
      "bodies": 1
    }
  ],
  "bodies": 1,
  "levels": {
    "refused": 1
  }
}
"#,
    );
}

/// The lines of a coding agent's session are no bodies, even if only the first
/// one shows what the file is.
#[test]
fn lines_of_a_session_are_no_bodies() {
    let skipped = |lines: usize| format!("not checked: log ({lines}): it has no whole body\n");
    let claude = r#"{"type":"file-history-snapshot","messageId":"a","isSnapshotUpdate":false}"#;
    let codex = r#"{"timestamp":"2026-11-20T10:00:00Z","type":"session_meta","payload":{}}"#;
    let gemini = r#"{"sessionId":"s","projectHash":"shop","kind":"main"}
{"id":"1","type":"user","content":[{"text":"a"}]}
{"id":"2","type":"gemini","content":"b","tokens":{"input":9,"output":2},"model":"gemini-2.5-pro"}
{"$set":{"lastUpdated":"2026-11-20T12:00:30.000Z"}}"#;
    let export = r#"{
  "info": {"id": "ses_7", "directory": "/srv"},
  "messages": [{"info": {"id": "m", "role": "user", "sessionID": "ses_7"}, "parts": []}]
}"#;
    for (log, lines) in [(claude, 1), (codex, 1), (gemini, 4), (export, 1)] {
        check(&format!("{log}\n"), &[], 0, &skipped(lines));
    }
    // A body with a key of the export's is still a body.
    let fault = "FILE: unknown-key: info: {}, expected no other key (anthropic (Python) 2.12.0, \
                 types)\n";
    check(&GOOD.replacen('{', r#"{"info":{},"#, 1), &[], 1, fault);
}

/// Bodies in a form without rules are counted, and no Messages API rule is
/// reported for them.
#[test]
fn bodies_in_forms_without_rules() {
    let converse = r#"{"messages":[{"role":"user","content":[{"text":"a"}]}],"system":[{"text":"b"}],"inferenceConfig":{}}"#;
    let skipped = |count: usize, form: &str| {
        format!("not checked: request-form ({count}): no rule is known for {form}\n")
    };
    let form = "the form of Bedrock's Converse";
    check(converse, &[], 0, &skipped(1, form));
    check(&format!("{converse}\n{converse}\n"), &[], 0, &skipped(2, form));
    let recorded = |path: &str, body: &str| {
        format!(
            "interactions:\n- request:\n    uri: https://bedrock-runtime.us-east-1.amazonaws.com\
             /model/{path}\n    headers: {{}}\n    body: '{body}'\n"
        )
    };
    let claude = "us.anthropic.claude-sonnet-5";
    check(&recorded(&format!("{claude}/converse"), converse), &[], 0, &skipped(1, form));
    let nova = recorded("us.amazon.nova-lite-v1%3A0/invoke", converse);
    let form = "the form of another vendor's model on Bedrock";
    check(&nova, &[], 0, &skipped(1, form));
    // A Messages API body is checked there too.
    let body = BLANK
        .replace("\"model\":\"claude-opus-4-8\"", "\"anthropic_version\":\"bedrock-2023-05-31\"");
    let fault = "FILE:1: blank-text: messages[0].content: blank text, expected text with a \
                 character other than white space (platform docs, errors)\n";
    check(&recorded(&format!("{claude}/invoke"), &body), &[], 1, fault);
}

#[test]
fn the_rules_are_a_table() {
    let print = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_aside"))
            .arg("rules")
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = print(&[]);
    let rules = aside_rules::RULES.iter();
    let count: usize = rules.map(|it| it.wires().count() + usize::from(it.fix.is_some())).sum();
    assert_eq!(table.lines().count(), count);
    let line = "prefill (refused): a last message from the user [Messages API; model: prefill] \
                (platform docs, errors)\n";
    assert!(table.contains(line), "{table}");
    let json: serde_json::Value = serde_json::from_str(&print(&["--json"])).unwrap();
    assert_eq!(json["version"], 2);
    let rules = json["rules"].as_array().unwrap();
    assert_eq!(rules.len(), aside_rules::RULES.len());
    assert_eq!(rules[0]["id"], "json");
    let line = "call-signature (refused): the thought signature on the first call of each step of \
                the current turn [Gemini generateContent; model: signed_calls] (Gemini docs, \
                thought signatures)\n";
    assert_eq!(print(&["gemini-signature"]), line);
}

/// Other wires' bodies are checked by their own rules, and no Messages API rule
/// is reported for them.
#[test]
fn bodies_of_other_wires() {
    // No `max_tokens`, a system message first, a blank text, the same role
    // twice.
    let chat = r#"{"model":"gpt-4.1","messages":[{"role":"system","content":"a"},
        {"role":"user","content":" "},{"role":"user","content":"b"}]}"#;
    check(&chat.replace('\n', ""), &[], 0, "");
    let call = r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"a"},
        {"role":"assistant","tool_calls":[{"id":"c","type":"function",
        "function":{"name":"ls","arguments":"{}"}}]},{"role":"user","content":"b"}]}"#;
    let call = call.replace('\n', "");
    let found = "FILE: unanswered-call: messages[1].tool_calls: no output for \"c\", expected a \
                 tool message for each call, directly after the calls (OpenAI docs, chat \
                 completions)\n";
    check(&call, &[], 1, found);
    let other = "not checked: server-rules (1): the server of \"llama-5\" may have other rules \
                 than OpenAI's own\n";
    check(&call.replace("gpt-4.1", "llama-5"), &[], 0, other);

    let entry = |url: &str, body: &str| {
        let body = serde_json::to_string(body).unwrap();
        format!(
            "{{\"request\":{{\"url\":\"{url}\",\"headers\":[],\"postData\":{{\"text\":{body}}}}}}}"
        )
    };
    let har = |url: &str| {
        let entry = entry(url, &call);
        format!("{{\"log\":{{\"entries\":[{entry}]}}}}")
    };
    let official = har("https://api.openai.com/v1/chat/completions");
    check(&official, &[], 1, &found.replace("FILE:", "FILE:1:"));
    let compatible = har("https://models.example/v1/chat/completions");
    check(&compatible, &[], 0, &other.replace("llama-5", "gpt-4.1"));
    check(&har("https://api.openai.com/v1/embeddings"), &[], 0, "");
}

#[test]
fn a_missing_file_is_a_usage_error() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_aside")).args(["check", "nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("failed to read nowhere"));
}

#[test]
fn lines_after_a_broken_first_line_are_checked() {
    check(
        &format!("{{bad\n{BLANK}\n"),
        &[],
        1,
        "FILE:1: json: expected a key at line 1 column 2, expected one JSON object (anthropic (Python) 2.12.0, types)\n\
         FILE:2: blank-text: messages[0].content: blank text, expected text with a character other than white space (platform docs, errors)\n",
    );
    // A body on several lines is one body, even when a line is broken.
    let lines = "{\n  \"model\": \"claude-opus-4-8\",\n  \"max_tokens\": 1,\n  \"messages\": [\n    \
                 {\"role\":\"user\",\"content\":\" \"}\n  ]\n}\n";
    let printed = "FILE: blank-text: messages[0].content: blank text, expected text with a character other than white space (platform docs, errors)\n";
    check(lines, &[], 1, printed);
    check(&format!("\n\n{lines}"), &[], 1, printed);
    check(
        &format!("\n{}", lines.replace("\"claude-opus-4-8\",", "m,")),
        &[],
        1,
        "FILE: json: expected a value at line 3 column 12, expected one JSON object (anthropic (Python) 2.12.0, types)\n",
    );
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    check(&format!("\u{feff}{GOOD}"), &[], 0, "");
    check(&format!("\u{feff}{GOOD}\r\n{GOOD}\r\n"), &[], 0, "");
}

fn stderr_of(arguments: &[&str], code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_aside")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn violations_and_bodies_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let check = |text: &str, expected: &str| {
        fs::write(&file, text).unwrap();
        let printed = stderr_of(&["check", file.to_str().unwrap()], 1);
        assert_eq!(printed, format!("aside: error: {expected}\n"));
    };
    check(BLANK, "1 violation in 1 body");
    check(&format!("{BLANK}\n{BLANK}"), "2 violations in 2 bodies");
}
