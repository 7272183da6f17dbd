//! The schema for a reminder file agrees with the reader.

use crate::keywords;

use std::path::Path;
use std::sync::LazyLock;

use aside_reminder::parse_file;
use aside_scenario::generated_files;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::reminder_schema::keywords::is_valid;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let files = generated_files();
    let file = files.iter().find(|file| file.path.ends_with("/reminder.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
});

/// Returns true if the reader accepts a file without a fault or an unknown key.
/// The schema does not check conditions.
fn is_read(value: &Value) -> bool {
    // JSON is YAML.
    match parse_file(Path::new("a.yaml"), &value.to_string()) {
        Ok(file) => !file.diagnostics.iter().any(|it| it.message.starts_with("unknown key ")),
        Err(_) => false,
    }
}

fn check(value: &Value, expected: bool) {
    assert_eq!(is_valid(&SCHEMA, value), expected, "the schema: {value}");
    assert_eq!(is_read(value), expected, "the reader: {value}");
}

/// Checks a file with this schedule.
fn check_schedule(schedule: &Value, expected: bool) {
    check(&json!({"content": "x", "schedule": schedule}), expected);
}

/// Returns the schedule kinds that the reader's error about another one lists.
fn kinds() -> Vec<String> {
    let error = parse_file(Path::new("a.yaml"), "content: x\nschedule: {kind: '?'}").unwrap_err();
    let (_, kinds) = error.message.split_once("expected ").unwrap();
    let kinds: Vec<String> = kinds.replace(" or ", ", ").split(", ").map(Into::into).collect();
    assert!(kinds.len() >= 5, "{kinds:?}");
    kinds
}

#[test]
fn both_accept_valid_values() {
    for value in [
        json!({"content": "x"}),
        json!({"content": "x", "id": null, "schedule": null, "priority": null}),
        json!({"content": "x", "enabled": null, "delivery": null}),
        json!({"content": "x", "id": 7, "priority": -2147483648i64, "enabled": true}),
        json!({"content": "x", "id": 1.5, "priority": 2147483647, "delivery": "persistent"}),
        json!({"content": "x", "delivery": "ephemeral"}),
    ] {
        check(&value, true);
    }
    for schedule in [
        json!({}),
        json!({"kind": "turn", "turn_interval": 1, "max_fires": 0, "cooldown_turns": 5.0}),
        json!({"kind": "condition", "condition": "after_tool:Edit"}),
        json!({"kind": null, "interval": null, "max_fires": null}),
        json!({"kind": "always", "interval": null, "max_fires": 4294967295u64}),
    ] {
        check_schedule(&schedule, true);
    }
    for kind in kinds() {
        check_schedule(&json!({"kind": kind}), true);
    }
    for interval in
        ["0", "-0", "30s", "1.5h", "+1h30m", ".5s", "5.s", "100ms", "7µs", "-0s", "-0.0h"]
    {
        check_schedule(&json!({"kind": "timer", "interval": interval}), true);
    }
}

#[test]
fn both_refuse_invalid_values() {
    for value in [
        json!([]),
        json!({"content": 5}),
        json!({"content": "x", "id": ""}),
        json!({"content": "x", "id": true}),
        json!({"content": "x", "id": []}),
        json!({"content": "x", "priority": "high"}),
        json!({"content": "x", "priority": 2147483648i64}),
        json!({"content": "x", "priority": 1.5}),
        json!({"content": "x", "enabled": "yes"}),
        json!({"content": "x", "delivery": "twice"}),
        json!({"content": "x", "shedule": {}}),
    ] {
        check(&value, false);
    }
    for schedule in [
        json!("always"),
        json!([]),
        json!(["turn", 5]),
        json!({"kind": "Always"}),
        json!({"kind": 5}),
        json!({"turn_interval": 0}),
        json!({"turn_interval": "5"}),
        json!({"max_fires": -1}),
        json!({"max_fires": 4294967296u64}),
        json!({"cooldown_turns": -1}),
        json!({"condition": 5}),
        json!({"turns": 5}),
        json!({"turn_interval": 5}),
        json!({"max_fires": 5}),
        json!({"kind": "turn", "condition": "always"}),
        json!({"kind": "always", "turn_interval": 5}),
        json!({"kind": "oneshot", "interval": "5m"}),
    ] {
        check_schedule(&schedule, false);
    }
    for interval in ["", "5", "s", ".s", "-5m", "-.s", "5 m", "1d", "1h 30m", "5M", "--0"] {
        check_schedule(&json!({"kind": "timer", "interval": interval}), false);
    }
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4i64).prop_map(Value::from),
        Just(json!(99_999_999_999i64)),
        Just(json!(0.5)),
        Just(json!(2.0)),
        Just(json!([])),
        Just(json!({})),
        "always|turn|timer|ephemeral|persistent|x|".prop_map(Value::from),
        "[-+]?([0-9]{0,2}[.]?[0-9]{0,2}(h|m|s|ms|d|)){0,2}".prop_map(Value::from),
    ]
}

proptest! {
    #[test]
    fn they_agree_on_any_file(
        file in prop::collection::btree_map("id|priority|enabled|delivery|other", scalar(), 0..3),
        schedule in prop::option::of(prop::collection::btree_map(
            "kind|turn_interval|interval|max_fires|condition|cooldown_turns|other",
            scalar(),
            0..3,
        )),
    ) {
        let mut file: Map<String, Value> = file.into_iter().collect();
        file.insert("content".into(), "x".into());
        if let Some(schedule) = schedule {
            file.insert("schedule".into(), Value::Object(schedule.into_iter().collect()));
        }
        let value = Value::Object(file);
        prop_assert_eq!(is_valid(&SCHEMA, &value), is_read(&value), "{}", value);
    }
}
