//! The schema of `scenario.yaml` and the reader of such files agree.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod keywords;

use std::collections::BTreeSet;
use std::path::Path;

use aside_scenario::{Scenario, generated_files, names};
use regex::Regex;
use serde_json::{Value, json};

use crate::keywords::is_valid;

fn schema() -> Value {
    let files = generated_files();
    let file = files
        .iter()
        .find(|file| file.path.ends_with("/scenario.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
}

/// JSON is YAML, but for the keys of `resets`, which are numbers.
fn is_read(value: &Value) -> bool {
    let number = Regex::new(r#""([0-9]+)":"#).unwrap();
    let json = value.to_string();
    aside_frontmatter::yaml::<Scenario>(&number.replace_all(&json, "$1: ")).is_ok()
}

/// What the two disagree about.
fn disagreement(schema: &Value, value: &Value, what: &str) -> Option<String> {
    let read = is_read(value);
    (is_valid(schema, value) != read).then(|| format!("{what}: the reader says {read}"))
}

/// The scenarios of this workspace, and one with what they lack.
fn scenarios() -> Vec<Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let of_case = |name: String| {
        let text = std::fs::read_to_string(fixtures.join(name).join("scenario.yaml"));
        aside_frontmatter::yaml(&text.unwrap()).unwrap()
    };
    let mut all: Vec<Value> = names(&fixtures).unwrap().into_iter().map(of_case).collect();
    all.push(json!({
        "description": "", "shows": ["git_status"], "repository": "..", "cwd": "project",
        "symlinks": {"project/a": "b"}, "refused_by_sdk": ["scope"], "refused": "x",
        "ttl": "long_prefix", "date": "2026-01-31", "max_tokens": 1, "tag_ids": true,
        "turns": [[{"snip": [0]}, {"wait": "5m"}, {"queued": {"text": "x", "server": "s"}}]],
    }));
    all
}

#[test]
fn they_agree_on_every_scenario_and_on_what_is_spoiled() {
    let schema = schema();
    let (mut seen, mut spoiled, mut told) = (BTreeSet::new(), 0, Vec::new());
    for scenario in scenarios() {
        assert!(is_read(&scenario), "{scenario}");
        told.extend(disagreement(&schema, &scenario, "as it is"));
        let mut pointers = Vec::new();
        places(&scenario, String::new(), &mut pointers);
        for pointer in pointers {
            let numbered = |step: &&str| step.parse::<usize>().is_err();
            let shape: Vec<String> = pointer
                .split('/')
                .filter(numbered)
                .map(str::to_owned)
                .collect();
            if !seen.insert(shape) {
                continue;
            }
            for (what, change) in CHANGES {
                let mut changed = scenario.clone();
                let place = changed.pointer_mut(&pointer).unwrap();
                let was_text = place.is_string();
                change(place);
                // In YAML, where a text belongs any scalar is one.
                if was_text && !place.is_string() && is_read(&changed) {
                    continue;
                }
                let what = format!("{what} at {pointer}");
                told.extend(disagreement(&schema, &changed, &what));
                spoiled += 1;
            }
        }
    }
    assert_eq!(told, [""; 0]);
    assert!(spoiled > 300, "only {spoiled}");
}

/// What is done to a place.
type Change = (&'static str, fn(&mut Value));

const CHANGES: [Change; 7] = [
    ("a list", |value| *value = json!([])),
    ("an object", |value| *value = json!({})),
    ("true", |value| *value = json!(true)),
    ("-1", |value| *value = json!(-1)),
    ("a word", |value| *value = json!("aside_unknown")),
    ("null", |value| *value = Value::Null),
    ("a key more", |value| {
        if let Value::Object(object) = value {
            object.insert("aside_unknown".to_owned(), json!("x"));
        }
    }),
];

/// Every place of a scenario but those within an attachment, which is another
/// crate's.
fn places(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key != "attachment" {
                    places(
                        value,
                        format!("{pointer}/{}", key.replace('/', "~1")),
                        found,
                    );
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
    found.push(pointer);
}
