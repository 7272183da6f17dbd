//! A report's hints.

use aside_cache_model::Body;
use aside_inspect::{Hint, report};
use serde_json::{Value, json};

fn hints(body: &Value) -> Vec<Hint> {
    let request = Body::parse(body.to_string().as_bytes()).unwrap();
    report(&request, None, None).hints
}

fn of(body: &Value, rule: &str) -> Option<Hint> {
    hints(body).into_iter().find(|it| it.rule == rule)
}

fn read(id: usize, path: &str, text: &str) -> [Value; 2] {
    let id = format!("toolu_{id}");
    [
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}),
    ]
}

fn body(messages: Vec<Value>) -> Value {
    let tool = |name: &str| json!({"name": name, "description": "Does something.", "input_schema": {"type": "object"}});
    json!({"model": "claude-opus-5-5", "tools": [tool("Read"), tool("Write")], "messages": messages})
}

fn lines(seed: usize) -> String {
    (0..40).map(|line| format!("    let value_{line} = compute({seed}, {line});\n")).collect()
}

#[test]
fn tools_that_were_never_called() {
    let messages = read(1, "a.rs", "text").to_vec();
    let hint = of(&body(messages), "unused-tools").unwrap();
    assert_eq!(hint.paths, ["tools[1]"]);
    assert!(hint.tokens > 0 && hint.message.contains("Write"), "{hint:?}");
    // Without any call nothing is known.
    let messages = vec![json!({"role": "user", "content": "Hi"})];
    assert_eq!(of(&body(messages), "unused-tools"), None);
}

#[test]
fn a_file_read_again_with_other_text_is_a_hint() {
    let mut messages = read(1, "src/a.rs", &lines(1)).to_vec();
    messages.extend(read(2, "src/b.rs", &lines(2)));
    messages.extend(read(3, "src/a.rs", &lines(3)));
    let hint = of(&body(messages.clone()), "read-again").unwrap();
    assert_eq!(hint.paths, ["messages[1].content[0]"]);
    assert_eq!(of(&body(messages), "duplicate"), None);
}

#[test]
fn a_duplicate_text_with_line_numbers_is_a_hint() {
    let numbered: String =
        lines(1).lines().zip(1..).map(|(line, number)| format!("{number:>5}→{line}\n")).collect();
    let mut messages = vec![
        json!({"role": "user", "content": [{"type": "text", "text": format!("The file:\n{}", lines(1))}]}),
    ];
    messages.extend(read(1, "src/a.rs", &numbered));
    let hint = of(&body(messages), "duplicate").unwrap();
    assert_eq!(hint.paths, ["messages[2].content[0]"]);
    assert!(hint.message.contains("messages[0].content[0]"), "{hint:?}");
}

#[test]
fn a_part_above_a_tenth_of_the_window_is_a_hint() {
    let mut large = body(read(1, "a", &"word ".repeat(60_000)).to_vec());
    assert_eq!(of(&large, "large-part"), None);
    large["model"] = json!("claude-haiku-4-5");
    let hint = of(&large, "large-part");
    assert_eq!(hint.unwrap().paths, ["messages[1].content[0]"]);
}

#[test]
fn results_that_are_far_back() {
    let messages = (0..15).flat_map(|turn| read(turn, "a", &lines(turn)));
    let hint = of(&body(messages.collect()), "old-results").unwrap();
    // 30 messages, of which 20 are recent: the results from 5 turns.
    assert_eq!(hint.paths.len(), 5, "{hint:?}");
}

#[test]
fn reminders_that_fired() {
    let text = "Fix it<system-reminder>Run the tests.</system-reminder>";
    let messages = vec![json!({"role": "user", "content": [{"type": "text", "text": text}]})];
    let hint = of(&body(messages), "reminders").unwrap();
    assert!(hint.message.starts_with("1 reminder "), "{hint:?}");
    // A response that quotes the tag is not a reminder, nor is a system prompt
    // that explains it.
    let messages = vec![json!({"role": "assistant", "content": text})];
    assert_eq!(of(&body(messages), "reminders"), None);
}

#[test]
fn a_long_request_without_a_marker_is_a_hint() {
    let mut long = body(vec![
        json!({"role": "user", "content": [{"type": "text", "text": "word ".repeat(9_000)}]}),
    ]);
    assert!(of(&long, "uncached").is_some());
    long["messages"][0]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
    assert_eq!(of(&long, "uncached"), None);
}
