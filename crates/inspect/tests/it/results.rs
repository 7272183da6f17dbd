//! The parts of a tool's call and of its result.

use aside_cache_model::Body;
use aside_inspect::{PartKind, RequestPart, report};
use serde_json::{Value, json};

/// An image of one pixel.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn find<'a>(part: &'a RequestPart, path: &str) -> Option<&'a RequestPart> {
    let inner = || part.children.iter().find_map(|it| find(it, path));
    if part.path == path && part.kind != PartKind::Json { Some(part) } else { inner() }
}

fn check(body: &Value, parts: &[(&str, PartKind, &str)]) -> Vec<u64> {
    let request = Body::parse(body.to_string().as_bytes()).unwrap();
    let report = report(&request, None, None);
    let check = |(path, kind, name): &(&str, PartKind, &str)| {
        let part = find(&report.root, path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!((part.kind, &*part.name), (*kind, *name), "{path}");
        part.tokens()
    };
    parts.iter().map(check).collect()
}

#[test]
fn every_tool_of_responses_has_calls_and_results() {
    let item = |kind: &str, id: &str, members: Value| {
        let mut item = json!({"type": kind, "call_id": id});
        item.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        item
    };
    let image = json!({"type": "computer_screenshot", "image_url": format!("data:image/png;base64,{IMAGE}")});
    let input = json!([
        item("shell_call", "a", json!({"action": {"commands": ["ls"]}})),
        item("shell_call_output", "a", json!({"output": [{"stdout": "a.md", "stderr": ""}]})),
        item("custom_tool_call", "b", json!({"name": "grep", "input": "x"})),
        item("custom_tool_call_output", "b", json!({"output": "none"})),
        item("computer_call", "c", json!({"action": {"type": "screenshot"}})),
        item("computer_call_output", "c", json!({"output": image})),
    ]);
    let expected = [
        ("input[0]", PartKind::ToolUse, "shell_call"),
        ("input[1]", PartKind::ToolResult, "shell_call"),
        ("input[1].output[0]", PartKind::Text, ""),
        ("input[2]", PartKind::ToolUse, "grep"),
        ("input[3]", PartKind::ToolResult, "grep"),
        ("input[4]", PartKind::ToolUse, "computer_call"),
        ("input[5]", PartKind::ToolResult, "computer_call"),
        ("input[5].output", PartKind::Image, ""),
    ];
    check(&json!({"model": "gpt-6-sol", "input": input}), &expected);
}

#[test]
fn a_result_of_gemini_has_images() {
    let data = json!({"mimeType": "image/png", "data": IMAGE});
    let response =
        json!({"name": "shot", "response": {"output": "ok"}, "parts": [{"inlineData": data}]});
    let contents = json!([{"role": "user", "parts": [{"functionResponse": response}]}]);
    let path = "contents[0].parts[0].functionResponse.parts[0]";
    let expected = [(path, PartKind::Image, "")];
    let tokens = check(&json!({"model": "gemini-3.8-flash", "contents": contents}), &expected);
    assert!(tokens[0] < 10, "{tokens:?}");
}

/// An image counts by its size there, too.
#[test]
fn the_parts_of_a_result_have_the_tokens_that_they_are_estimated_at() {
    let text = "word ".repeat(1_000);
    let source = json!({"type": "base64", "media_type": "image/png", "data": IMAGE});
    let content =
        [json!({"type": "text", "text": text}), json!({"type": "image", "source": source})];
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": content});
    let messages = json!([{"role": "user", "content": [result]}]);
    let path = |index| format!("messages[0].content[0].content[{index}]");
    let (of_text, of_image) = (path(0), path(1));
    let expected = [(&*of_text, PartKind::Text, ""), (&*of_image, PartKind::Image, "")];
    let tokens = check(&json!({"model": "claude-opus-5", "messages": messages}), &expected);
    assert!(tokens[0] > 500 && tokens[1] < 10, "{tokens:?}");
}
