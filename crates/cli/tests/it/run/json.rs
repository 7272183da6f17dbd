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

/// On a terminal, the text of a model or a tool cannot change what you see. `script` makes one.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_control_characters() {
    let place = Place::new();
    let text = "a\u{202e}b\u{9b}c\u{2028}d\u{7f}";
    let answer = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
    let piped = place.replay(&["Look", "--json"], &[&answer]);
    assert!(piped.stdout.contains(text), "{piped:?}");
    let file = place.path("cassette.json");
    let program = env!("CARGO_BIN_EXE_aside");
    let run = format!("'{program}' run Look --json --replay '{}'", file.display());
    let mut script = Command::new("script");
    script.args(["-qec", &run, "/dev/null"]);
    script.current_dir(place.path("project")).env("HOME", place.path("home"));
    let Ok(output) = script.output() else { return };
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains(r"a\u202eb\u009bc\u2028d\u007f"), "{shown}");
}
