//! A request has one number in every command, however many providers a log has.

use serde_json::{Value, json};

use super::{aside, text};

fn run(command: &str, log: &str) -> String {
    let output = aside(&command.split(' ').collect::<Vec<_>>(), log);
    text(&output) + &String::from_utf8_lossy(&output.stderr)
}

/// A line of a log; the second of a conversation has the messages of the first.
fn line(at: u64, wire: &str, rules: &str, is_second: bool) -> String {
    let rules = format!("{rules} {}", "Read before you write. ".repeat(1_000));
    let mut messages = vec![json!({"role": "user", "content": "Hi"})];
    if is_second {
        messages.push(json!({"role": "assistant", "content": "Yes?"}));
        messages.push(json!({"role": "user", "content": "Go on"}));
    }
    let body = if wire == "chat" {
        messages.insert(0, json!({"role": "system", "content": rules}));
        json!({"model": "gpt-5.5", "messages": messages})
    } else {
        let system = [json!({"type": "text", "text": rules})];
        json!({"model": "claude-opus-5", "max_tokens": 9, "system": system, "messages": messages})
    };
    json!({"t": at, "body": body}).to_string() + "\n"
}

/// Request 3 continues 2 without a marker, and 4 has other rules than 1, which it continues.
fn log() -> String {
    line(0, "chat", "Be careful.", false)
        + &line(10, "messages", "Be careful.", false)
        + &line(20, "messages", "Be careful.", true)
        + &line(30, "chat", "Be kind.", true)
}

#[test]
fn findings_have_the_number_of_explain() {
    let log = log();
    let explained = run("cache explain - --request 4", &log);
    assert!(explained.contains("miss: system_changed"), "{explained}");
    assert!(explained.contains("continues request 1 by"), "{explained}");
    let linted: Value =
        serde_json::from_str(&text(&aside(&["cache", "lint", "-", "--json"], &log))).unwrap();
    let first = |found: &Value, rule: &str| {
        let found = found.as_array().unwrap().iter().find(|it| it["rule"] == rule);
        found.unwrap_or_else(|| panic!("{rule}: {linted}"))["first"].clone()
    };
    assert_eq!(first(&linted["findings"], "prefix-changed"), 4);
    assert_eq!(first(&linted["findings"], "cacheable-but-unmarked"), 3);
    let report: Value = serde_json::from_str(&run("report - --json", &log)).unwrap();
    assert_eq!(first(&report["spending"], "cacheable-but-unmarked"), 3);
    assert!(run("diff - --only 4", &log).contains("request 1"));
}

/// The request that a row continues has its number in the log, not among those of its provider.
#[test]
fn a_row_has_its_change_since_the_request_that_it_continues() {
    let rows = run("context --file -", &log());
    let row = |number: usize| {
        let start = format!("{number:>4} ");
        rows.lines().find(|it| it.starts_with(&start)).unwrap_or_else(|| panic!("{rows}"))
    };
    assert!(row(3).contains("messages +"), "{rows}");
    assert!(row(4).contains("messages +"), "{rows}");
    let words = rows.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("(since request 1)").count(), 1, "{rows}");
}
