//! Cache misses that a client has on `aside serve`, in every report form.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::server::{Server, request};
use super::{serve, text};

/// An agent's rules, long enough to cache.
const RULES: &str = "Read a file before you change it. ";

impl Server {
    fn send(&self, method: &str, path: &str, body: &str) -> Value {
        let address = self.url.strip_prefix("http://").unwrap();
        request(address, method, path, body)
    }
}

/// An agent that sends a conversation again with each request. It marks its
/// system prompt and its last message, and has a clock in its system prompt.
fn talk(serve: &Server, clocks: [&str; 4]) -> Vec<String> {
    let mut messages = Vec::new();
    let mut bodies = Vec::new();
    for (turn, clock) in clocks.iter().enumerate() {
        let marker = json!({"type": "ephemeral"});
        let system = format!("{}It is {clock}.", RULES.repeat(400));
        let question =
            json!({"type": "text", "text": format!("Question {turn}"), "cache_control": marker});
        messages.push(json!({"role": "user", "content": [question]}));
        let body = json!({
            "model": "claude-opus-5",
            "max_tokens": 64,
            "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
            "system": [{"type": "text", "text": system, "cache_control": marker}],
            "messages": messages,
        });
        let body = body.to_string();
        let answer = serve.send("POST", "/v1/messages", &body);
        bodies.push(body);
        // Only the last message keeps its marker.
        let question = messages[turn * 2]["content"][0].as_object_mut().unwrap();
        question.remove("cache_control");
        messages.push(json!({"role": "assistant", "content": answer["content"]}));
    }
    bodies
}

struct Ended {
    /// `GET /report`, before the end.
    report: Value,
    junit: String,
    output: Output,
    bodies: Vec<String>,
}

fn run(clocks: [&str; 4]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.xml");
    let serve = serve(&["--strict", "--json", "--junit", path(&file)]);
    let bodies = talk(&serve, clocks);
    let report = serve.send("GET", "/report", "");
    let output = serve.interrupt();
    Ended { report, junit: std::fs::read_to_string(&file).unwrap(), output, bodies }
}

/// Returns the first byte in the later body where its clock differs.
fn changed_byte(before: &str, after: &str) -> usize {
    let clock = |body: &str| body.find("It is ").unwrap();
    let (before, from) = (&before[clock(before)..], clock(after));
    let mut pairs = before.bytes().zip(after[from..].bytes());
    from + pairs.position(|(before, after)| before != after).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_clock_in_the_system_prompt_is_a_miss_of_each_later_request() {
    let ended = run(["09:00:01", "09:00:14", "09:01:14", "10:01:14"]);
    let errors = text(&ended.output.stderr);
    assert_eq!(ended.output.status.code(), Some(1), "{errors}");
    let printed: Value = serde_json::from_slice(&ended.output.stdout).unwrap();
    assert_eq!(printed, ended.report);
    assert_eq!(ended.report["missed"], 3);
    let misses = ended.report["misses"].as_array().unwrap();
    assert_eq!(misses.len(), 3, "{misses:?}");
    for (line, request) in misses.iter().zip(2..) {
        assert_eq!(line["request"], request);
        let miss = &line["miss"];
        assert_eq!(miss["reason"], "system_changed");
        assert!(miss["lost_tokens"].as_u64().unwrap() > 2_000, "{miss}");
        let difference = &miss["difference"];
        assert_eq!(difference["cause"], "date_or_clock");
        assert_eq!(difference["path"], "system[0].text");
        let byte = changed_byte(&ended.bodies[request - 2], &ended.bodies[request - 1]);
        assert_eq!(difference["byte_offset"], byte);
        let at = difference["value_offset"].as_u64().unwrap();
        let line = format!(
            "request {request}: miss system_changed at system[0].text, byte {at} (date or clock), "
        );
        assert!(errors.contains(&format!("aside: miss: {line}")), "{errors}");
        let case = format!(r#"<testcase name="request {request} cache" classname="aside.serve">"#);
        assert!(ended.junit.contains(&case), "{}", ended.junit);
        let failure = format!(r#"<failure message="{line}"#);
        assert!(ended.junit.contains(&failure), "{}", ended.junit);
    }
    assert!(ended.junit.contains(r#"tests="4" disabled="0" errors="0" failures="3""#));
    assert!(
        errors.contains("4 requests, 0 refused, 0 failed on demand, 3 missed the cache;"),
        "{errors}"
    );
}

#[test]
fn the_same_client_without_a_clock_is_clean() {
    let ended = run(["09:00:01"; 4]);
    let errors = text(&ended.output.stderr);
    assert_eq!(ended.output.status.code(), Some(0), "{errors}");
    assert_eq!(ended.report["misses"], json!([]));
    assert_eq!(ended.report["missed"], 0);
    assert!(ended.report["totals"]["cache_read_input_tokens"].as_u64() > Some(6_000));
    assert!(!ended.junit.contains("<failure"), "{}", ended.junit);
}
