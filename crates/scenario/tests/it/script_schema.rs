//! The schema for a recording agrees with the reader.

use crate::keywords;
use crate::spoiled;

use std::sync::LazyLock;

use aside_providers::script::Script;
use aside_scenario::generated_files;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::script_schema::keywords::is_valid;
use crate::script_schema::spoiled::spoiled;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let files = generated_files();
    let file = files.iter().find(|file| file.path.ends_with("/script.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
});

fn is_read(value: &Value) -> bool {
    Script::parse("c.json", &value.to_string()).is_ok()
}

fn check(value: &Value, expected: bool) {
    assert_eq!(is_valid(&SCHEMA, value), expected, "the schema: {value}");
    assert_eq!(is_read(value), expected, "the reader: {value}");
}

fn of_answer(answer: &Value) -> Value {
    json!({"version": 1, "answers": [answer]})
}

/// Returns a recording with every key.
fn whole() -> Value {
    json!({
        "version": 1,
        "answers": [
            {
                "expect": {
                    "model": "m", "messages": 1, "last": ["hello"], "anywhere": ["You are"],
                    "tools": ["Read"],
                },
                "content": [
                    {"type": "thinking", "thinking": "t", "signature": "s"},
                    {"type": "text", "text": "t"},
                    {"type": "tool_use", "id": "1", "name": "Read", "input": {"a": 1}},
                    {"type": "tool_use", "reads": "/a.md"},
                    {"type": "tool_use", "delegates": "Count."},
                    {"type": "hologram", "x": 1},
                ],
                "stop_reason": "tool_use",
                "usage": {
                    "input_tokens": 1, "cache_creation_input_tokens": 2,
                    "cache_read_input_tokens": 3, "output_tokens": 4,
                },
                "breaks_off": false, "times": 2, "delay_ms": 1, "event_delay_ms": 1,
                "advance_ms": 1,
            },
            {
                "when": {"last": ["hello"]},
                "content": [
                    {"type": "thinking", "thinking": "t"},
                    {"type": "redacted_thinking"},
                    {"type": "tool_use"},
                ],
            },
            {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"}},
            {"content": "It is emp", "breaks_off": true},
        ],
        "repeat": true,
    })
}

#[test]
fn they_agree_on_every_key_and_every_fault() {
    check(&whole(), true);
    let mut reported = Vec::new();
    let faults = spoiled(&whole());
    for fault in &faults {
        let read = is_read(&fault.value);
        if is_valid(&SCHEMA, &fault.value) != read {
            let (what, pointer) = (fault.what, &fault.pointer);
            reported.push(format!("{what} at {pointer}: the reader says {read}"));
        }
    }
    assert_eq!(reported, [""; 0]);
    assert!(faults.len() > 300, "only {}", faults.len());
}

#[test]
fn both_accept_valid_values() {
    let own = include_str!("../../../transport/src/replay/default.json");
    check(&serde_json::from_str(own).unwrap(), true);
    check(&json!({"version": 1}), true);
    for answer in [
        json!({"content": "", "error": null, "expect": null, "usage": null, "stop_reason": null}),
        json!({"content": [], "expect": {}, "usage": {}, "mood": "good"}),
        json!({"error": {"status": 0}, "content": null}),
        json!({"error": {"status": 65535, "type": null}, "stop_reason": "x"}),
        json!({"content": "", "expect": {"model": null, "messages": null, "tools": null}}),
    ] {
        check(&of_answer(&answer), true);
    }
}

#[test]
fn both_refuse_invalid_values() {
    for file in [
        json!([1, []]),
        json!({}),
        json!({"version": 2}),
        json!({"version": "1"}),
        json!({"version": 1, "answers": null}),
        json!({"version": 1, "answers": {}}),
        json!({"version": 1, "repeat": null}),
    ] {
        check(&file, false);
    }
    for answer in [
        json!([]),
        json!({}),
        json!({"content": null, "error": null}),
        json!({"content": "", "error": {"status": 500}}),
        json!({"content": 1}),
        json!({"content": {}}),
        json!({"content": [{"type": "text"}]}),
        json!({"content": [{"text": "t"}]}),
        json!({"content": ["t"]}),
        json!({"error": {}}),
        json!({"error": [500]}),
        json!({"error": {"status": 65536}}),
        json!({"error": {"status": "500"}}),
        json!({"error": {"status": 500, "message": null}}),
        json!({"content": "", "stop_reason": 1}),
        json!({"content": "", "breaks_off": null}),
        json!({"content": "", "usage": []}),
        json!({"content": "", "usage": {"output_tokens": -1}}),
        json!({"content": "", "usage": {"output_tokens": null}}),
        json!({"content": "", "expect": ["m"]}),
        json!({"content": "", "expect": {"last": "hello"}}),
        json!({"content": "", "expect": {"last": null}}),
        json!({"content": "", "expect": {"tools": [1]}}),
        json!({"content": "", "expect": {"messages": -1}}),
    ] {
        check(&of_answer(&answer), false);
    }
}

/// Generates a value, often a valid one for its position.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => "[a-z]{0,3}".prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => (-1..3i64).prop_map(Value::from),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!(["a"])),
        1 => Just(json!({"status": 500})),
        1 => Just(json!({"messages": 1})),
        1 => Just(json!({"output_tokens": 1})),
        1 => Just(json!([{"type": "text", "text": "t"}])),
    ]
}

fn object(keys: &'static str) -> impl Strategy<Value = Map<String, Value>> {
    let object = prop::collection::btree_map(keys, value(), 0..4);
    object.prop_map(|object| object.into_iter().collect())
}

proptest! {
    #[test]
    fn they_agree_on_any_recording(
        answers in prop::collection::vec(
            object("when|expect|content|content|error|stop_reason|usage|breaks_off|times|delay_ms|x"),
            1..3,
        ),
        rest in object("repeat|x"),
    ) {
        let mut file = rest;
        file.insert("version".to_owned(), json!(1));
        let answers = answers.into_iter().map(Value::Object);
        file.insert("answers".to_owned(), answers.collect());
        let file = Value::Object(file);
        prop_assert_eq!(is_valid(&SCHEMA, &file), is_read(&file), "{}", file);
    }
}
