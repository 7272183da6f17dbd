//! `aside serve --suite`: a client with one fault scores as it should, and both
//! the corrected client and `aside run` are clean.
//!
//! The client is in this file. The suite runs this test program with the name
//! of a test that does nothing unless the variable is set.

use std::path::Path;

use serde_json::{Value, json};

use super::server::request;
use super::{aside, text};

/// Names the client's fault and its model. The suite passes it on to the
/// client.
const FAULT: &str = "ASIDE_TEST_CLIENT";

/// Instructions long enough to cache.
const RULES: &str = "Read a file before you change it. ";

/// An agent with two tools, to work in the directory where it is started.
struct Client {
    fault: String,
    model: String,
    address: String,
    messages: Vec<Value>,
    requests: usize,
}

impl Client {
    /// Works on a prompt until the model ends its turn.
    fn work(&mut self, prompt: &str) {
        self.messages.push(json!({"role": "user", "content": [{"type": "text", "text": prompt}]}));
        loop {
            let answer = self.send();
            let mut content = answer["content"].as_array().unwrap().clone();
            let mut results = Vec::new();
            for block in &content {
                if block["type"] == "tool_use" {
                    let path = block["input"]["path"].as_str().unwrap();
                    let found = match self.fault.as_str() {
                        "unread" => "unable to locate an image".to_owned(),
                        _ => std::fs::read_to_string(path).unwrap_or_default(),
                    };
                    results.push(json!({
                        "type": "tool_result", "tool_use_id": block["id"], "content": found,
                    }));
                }
            }
            match (self.fault.as_str(), self.requests) {
                ("thinking", 2) => content.retain(|block| block["type"] != "thinking"),
                ("middle", 3) => {
                    let earlier = self.messages[3]["content"].as_array_mut().unwrap();
                    earlier.retain(|block| block["type"] != "thinking");
                }
                ("lost", 2) => drop(self.messages.drain(1..3)),
                ("doubled", 2) => content.insert(0, content[1].clone()),
                _ => {}
            }
            self.messages.push(json!({"role": "assistant", "content": content}));
            if results.is_empty() {
                return;
            }
            if self.fault == "spoofed" {
                let text = results[0]["content"].clone();
                results.push(json!({"type": "text", "text": text}));
            }
            self.messages.push(json!({"role": "user", "content": results}));
        }
    }

    /// Sends the conversation, with a marker on the system prompt and one on
    /// the last block.
    fn send(&mut self) -> Value {
        self.requests += 1;
        let marker = json!({"type": "ephemeral"});
        let clock = match self.fault.as_str() {
            "date" => format!("It is 2026-11-26T09:00:{:02}Z.", self.requests),
            _ => String::new(),
        };
        let tool = |name: &str| {
            let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
            json!({"name": name, "description": RULES.repeat(40), "input_schema": schema})
        };
        let mut tools = vec![tool("read_file"), tool("list_files")];
        if self.fault == "tools" && self.requests.is_multiple_of(2) {
            tools.reverse();
        }
        let mut messages = self.messages.clone();
        let last = messages.last_mut().unwrap()["content"].as_array_mut().unwrap();
        last.last_mut().unwrap()["cache_control"] = marker.clone();
        let body = json!({
            "model": self.model,
            "max_tokens": 4096,
            "tools": tools,
            "system": [{
                "type": "text", "text": format!("{}{clock}", RULES.repeat(400)),
                "cache_control": marker,
            }],
            "messages": messages,
        });
        request(&self.address, "POST", "/v1/messages", &body.to_string())
    }
}

/// The client. When run as a test, it does nothing.
#[test]
fn the_client_of_the_suite() {
    let Ok(fault) = std::env::var(FAULT) else {
        return;
    };
    let (fault, model) = fault.split_once(' ').unwrap();
    let address = std::env::var("ANTHROPIC_BASE_URL").unwrap();
    let address = address.strip_prefix("http://").unwrap().to_owned();
    let mut client = Client {
        fault: fault.to_owned(),
        model: model.to_owned(),
        address,
        messages: Vec::new(),
        requests: 0,
    };
    client.work("Read notes.txt and tell me when the ferry leaves.");
}

/// Takes the client with a fault through a situation. Returns its score.
#[track_caller]
fn score(fault: &str, situation: &str) -> Value {
    let program = std::env::current_exe().unwrap();
    let mut suite = aside(&["serve", "--suite", situation, "--json", "--"]);
    // The harness takes the last argument, the prompt, as a second filter.
    // A relative program is one of the caller's directory, not of the suite's.
    suite.current_dir(program.parent().unwrap());
    let program = Path::new(".").join(program.file_name().unwrap());
    suite.args([program.to_str().unwrap(), "the_client_of_the_suite"]);
    let output = suite.env(FAULT, fault).output().unwrap();
    let errors = text(&output.stderr);
    let card: Value = serde_json::from_slice(&output.stdout).expect(&errors);
    let score = card["scores"][0].clone();
    let code = i32::from(score["outcome"] != "clean");
    assert_eq!(output.status.code(), Some(code), "{score} {errors}");
    score
}

/// Checks that each finding has one of these kinds, and that each kind is
/// there.
#[track_caller]
fn check(fault: &str, situation: &str, kinds: &[&str]) -> Value {
    let score = score(fault, situation);
    let mut found: Vec<&str> = Vec::new();
    for finding in score["findings"].as_array().unwrap() {
        found.push(finding["kind"].as_str().unwrap());
    }
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, kinds, "{score}");
    score
}

/// A model that binds its thinking to the prefix, and one that does not.
const BINDING: &str = "claude-opus-5-5";
const OTHER: &str = "claude-opus-5";

fn first(score: &Value) -> &str {
    score["findings"][0]["text"].as_str().unwrap()
}

#[test]
fn a_date_in_the_system_text_is_a_miss_with_its_byte() {
    let score = check(&format!("date {OTHER}"), "plain-loop", &["cost", "miss"]);
    assert_eq!(score["findings"].as_array().unwrap().len(), 4, "{score}");
    let text = first(&score);
    assert!(text.starts_with("system_changed at system[0].text, byte "), "{text}");
    assert!(text.contains("(date or clock)"), "{text}");
    let score = check(&format!("date {BINDING}"), "plain-loop", &["failed", "refused"]);
    assert!(first(&score).ends_with("first at `system.0`."), "{score}");
}

#[test]
fn tools_in_another_order_are_a_miss_with_their_byte() {
    let score = check(&format!("tools {OTHER}"), "plain-loop", &["miss"]);
    let text = first(&score);
    assert!(text.starts_with("tools_changed at tools[0]"), "{text}");
    let score = check(&format!("tools {BINDING}"), "plain-loop", &["failed", "refused"]);
    assert!(first(&score).contains("first at `tools.0"), "{score}");
}

#[test]
fn thinking_that_is_dropped_from_the_middle_is_lost() {
    // The API accepts it: no later thinking shows that it was there.
    let score = check(&format!("thinking {BINDING}"), "plain-loop", &["lost_thinking"]);
    assert_eq!(score["findings"][0]["request"], 3);
    check(&format!("middle {BINDING}"), "plain-loop", &["failed", "refused"]);
    let kinds = ["lost_thinking", "miss"];
    check(&format!("middle {OTHER}"), "plain-loop", &kinds);
}

#[test]
fn messages_are_sent_once() {
    let kinds = ["lost_message", "lost_thinking", "miss"];
    let score = check(&format!("lost {OTHER}"), "plain-loop", &kinds);
    assert_eq!(score["findings"][0]["request"], 3);
    check(&format!("doubled {OTHER}"), "plain-loop", &["doubled_message"]);
}

/// The conversation is kept, but the agent has none of what the situation is about.
#[test]
fn a_file_that_no_result_has_is_not_reached() {
    let score = score(&format!("unread {OTHER}"), "plain-loop");
    assert_eq!(score["outcome"], "not_reached", "{score}");
    let reason = score["reason"].as_str().unwrap();
    assert!(reason.starts_with("no tool result has the text of "), "{score}");
}

#[test]
fn text_of_a_file_is_not_text_of_the_user() {
    check(&format!("spoofed {OTHER}"), "spoofed-reminder", &["spoofed_text"]);
}

#[test]
fn the_corrected_client_is_clean() {
    for situation in
        ["plain-loop", "parallel-calls", "spoofed-reminder", "long-result", "instructions-edited"]
    {
        for model in [BINDING, OTHER] {
            let score = check(&format!("none {model}"), situation, &[]);
            assert_eq!(score["outcome"], "clean", "{score}");
        }
    }
}

/// Sessions continue by id; a situation with an MCP server needs an option.
const OWN: &str = r#"mcp=; test -e .mcp.json && mcp="--mcp-config .mcp.json"; exec "$@" $mcp"#;

/// Takes `aside run` through situations, and returns stdout.
#[track_caller]
fn own(situations: &[&str], junit: &Path, arguments: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_aside");
    let mut suite = aside(&["serve", "--suite"]);
    suite
        .args(situations)
        .args(["--new=--session-id {id}", "--resume=--resume {id}"])
        .arg("--junit")
        .arg(junit)
        .args(["--", "sh", "-c", OWN, "sh", program, "run", "{session}", "{prompt}"])
        .args(arguments)
        .env("HOME", home.path())
        .env("ANTHROPIC_API_KEY", "none");
    let output = suite.output().unwrap();
    let card = text(&output.stdout);
    assert!(output.status.success(), "{card}{}", text(&output.stderr));
    card
}

#[test]
fn the_own_agent_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("report.xml");
    let card = own(&[], &junit, &[]);
    let mut not_clean = card.lines().filter(|line| !line.contains(" clean "));
    let line = not_clean.next().unwrap();
    assert!(line.starts_with("fork ") && line.ends_with("for agents with --fork"), "{card}");
    let line = not_clean.next().unwrap();
    assert!(line.starts_with("sub-agents ") && line.contains("not reached"), "{card}");
    assert_eq!(not_clean.next(), None, "{card}");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains(r#"tests="18" disabled="2" errors="0" failures="0""#), "{junit}");
}

#[test]
fn the_own_coordinator_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("report.xml");
    let arguments = ["--coordinator", "--worker-tool=Task"];
    let card = own(&["sub-agents"], &junit, &arguments);
    assert!(card.contains(" clean "), "{card}");
}

#[test]
fn a_file_is_a_situation_of_a_team() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.json");
    let situation = json!({
        "version": 1,
        "about": "One response.",
        "runs": [{"prompt": "Read notes.txt and tell me when the ferry leaves."}],
        "answers": [{"content": "At nine."}],
    });
    std::fs::write(&file, situation.to_string()).unwrap();
    let score = check(&format!("none {OTHER}"), file.to_str().unwrap(), &[]);
    assert_eq!((&score["outcome"], &score["requests"]), (&json!("clean"), &json!(1)));
    for (text, fault) in [
        ("{}", "own.json:1: missing key `version`"),
        (
            "{\"version\":1,\"about\":\"\",\n\"runs\":[{\"prompt\":1}]}",
            "own.json:2: runs[0].prompt: ",
        ),
        (
            r#"{"version":1,"about":"","runs":[{"prompt":"x"}],"files":[{"path":"../a"}]}"#,
            "the file \"../a\" is not below the directory",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let output = aside(&["serve", "--suite", file.to_str().unwrap(), "--", "true"]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let errors = super::text(&output.stderr);
        assert!(errors.contains(fault), "{errors}");
    }
}

#[test]
fn the_suite_needs_a_situation_and_a_command() {
    for (arguments, fault) in [
        (&["serve", "--suite", "no-such", "--", "true"][..], "these are built in: plain-loop"),
        (&["serve", "--suite"], "required arguments were not provided"),
        (&["serve", "--", "true"], "required arguments were not provided"),
    ] {
        let output = aside(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(fault), "{output:?}");
    }
    let output = aside(&["serve", "--suite", "plain-loop", "--", "true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "no request is no clean score");
}
