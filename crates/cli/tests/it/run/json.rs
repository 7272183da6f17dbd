//! A run as JSON Lines.

use serde_json::Value;

use super::*;

const DONE: &str = r#"{"content":[{"type":"text","text":"It is there."}]}"#;

#[test]
fn events_are_json_lines() {
    let place = Place::new();
    let ran = place.replay(&["Look", "--json"], &[READ, DONE]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .filter(|kind| *kind != "event")
        .collect();
    let expected = ["request", "tool_call", "tool_result", "request", "end"];
    assert_eq!(kinds, expected);
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap();
    assert!(of("request")["bytes"].as_u64().unwrap() > 100);
    assert_eq!(of("tool_call")["input"]["file_path"], "a.md");
    assert_eq!(of("tool_result")["is_error"], false);
    assert_eq!(of("tool_result")["id"], "t1");
    assert_eq!(of("end")["outcome"], "done");
    assert_eq!(of("end")["usage"]["requests"], 2);
    let events = lines.iter().filter(|line| line["type"] == "event");
    let text: String = events.filter_map(|line| line["event"]["delta"]["text"].as_str()).collect();
    assert_eq!(text, "I look.It is there.");
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.starts_with("aside: usage: 2 requests, "), "{last}");
}
