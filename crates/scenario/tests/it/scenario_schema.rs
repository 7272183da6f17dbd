//! The schema for `scenario.yaml` agrees with the reader.

use crate::keywords;
use crate::spoiled;

use std::collections::BTreeSet;
use std::path::Path;

use aside_scenario::{Scenario, generated_files, names};
use regex::Regex;
use serde_json::{Value, json};

use crate::scenario_schema::keywords::is_valid;
use crate::scenario_schema::spoiled::{Spoiled, spoiled};

fn schema() -> Value {
    let files = generated_files();
    let file = files.iter().find(|file| file.path.ends_with("/scenario.schema.json"));
    serde_json::from_str(&file.unwrap().text).unwrap()
}

/// Returns true if the reader accepts the value. JSON is YAML, except for the
/// keys in `resets`, which are numbers.
fn is_read(value: &Value) -> bool {
    let number = Regex::new(r#""([0-9]+)":"#).unwrap();
    let json = value.to_string();
    aside_user_files::yaml::<Scenario>(&number.replace_all(&json, "$1: ")).is_ok()
}

/// Returns a description if schema and reader disagree.
fn disagreement(schema: &Value, value: &Value, what: &str) -> Option<String> {
    let read = is_read(value);
    (is_valid(schema, value) != read).then(|| format!("{what}: the reader says {read}"))
}

/// Returns this workspace's scenarios, and one with the keys that they lack.
fn scenarios() -> Vec<Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let of_case = |name: String| {
        let text = std::fs::read_to_string(fixtures.join(name).join("scenario.yaml"));
        aside_user_files::yaml(&text.unwrap()).unwrap()
    };
    let mut all: Vec<Value> = names(&fixtures).unwrap().into_iter().map(of_case).collect();
    all.push(json!({
        "description": "", "shows": ["git_status"], "repository": "..", "cwd": "project", "instructions": "codex",
        "symlinks": {"project/a": "b"}, "refused_by_sdk": ["scope"], "refused": "x",
        "ttl": "long_prefix", "date": "2026-01-31", "max_tokens": 1, "tag_ids": true,
        "turns": [[{"snip": [0]}, {"wait": "5m"}, {"queued": {"text": "x", "server": "s"}}]],
    }));
    all
}

#[test]
fn they_agree_on_every_scenario_and_every_fault() {
    let schema = schema();
    let (mut seen, mut reported) = (BTreeSet::new(), Vec::new());
    for scenario in scenarios() {
        assert!(is_read(&scenario), "{scenario}");
        reported.extend(disagreement(&schema, &scenario, "as it is"));
        for Spoiled { what, pointer, value } in spoiled(&scenario) {
            // Another crate reads attachments.
            let is_attachment = pointer.split('/').any(|key| key == "attachment");
            if is_attachment || !seen.insert((what, shape(&pointer))) {
                continue;
            }
            // In YAML, any scalar is accepted as a text.
            let was_text = scenario.pointer(&pointer).unwrap().is_string();
            let is_text = value.pointer(&pointer).is_none_or(Value::is_string);
            if was_text && !is_text && is_read(&value) {
                continue;
            }
            let what = format!("{what} at {pointer}");
            reported.extend(disagreement(&schema, &value, &what));
        }
    }
    assert_eq!(reported, [""; 0]);
    assert!(seen.len() > 300, "only {}", seen.len());
}

/// Each row has the key in its first column, and the keys and the values below it in the second.
#[test]
fn the_readme_has_every_key() {
    let readme = include_str!("../../README.md");
    let row = |key: &str| {
        let rows = readme.lines().filter_map(|it| it.strip_prefix("| ")?.split_once(" | "));
        let mut rows = rows.filter(|(keys, _)| keys.split(", ").any(|it| it == format!("`{key}`")));
        rows.next().map(|(_, meaning)| meaning)
    };
    let schema = schema();
    let mut missing = Vec::new();
    for (key, property) in schema["properties"].as_object().unwrap() {
        let Some(meaning) = row(key) else {
            missing.push(key.clone());
            continue;
        };
        // The README names the lists of these.
        if !["shows", "instructions", "turns"].contains(&key.as_str()) {
            let names = names_below(property).into_iter();
            let absent = names.filter(|it| !meaning.contains(&format!("`{it}`")));
            missing.extend(absent.map(|it| format!("{key}: {it}")));
        }
    }
    let events = schema["properties"]["turns"]["items"]["items"]["oneOf"].as_array().unwrap();
    for key in events.iter().flat_map(|it| it["properties"].as_object().unwrap().keys()) {
        if row(key).or_else(|| row(&format!("{key}: true"))).is_none() {
            missing.push(format!("turns: {key}"));
        }
    }
    assert_eq!(missing, [""; 0]);
}

/// Returns the keys and the values that a schema names.
fn names_below(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("default" | "description", _) => {}
                    ("const", Value::String(name)) => drop(names.insert(name.clone())),
                    ("enum", Value::Array(all)) => {
                        names.extend(all.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    ("properties", Value::Object(below)) => {
                        names.extend(below.keys().cloned());
                        names.extend(below.values().flat_map(names_below));
                    }
                    _ => names.extend(names_below(value)),
                }
            }
        }
        Value::Array(items) => names.extend(items.iter().flat_map(names_below)),
        _ => {}
    }
    names
}

/// Every object in a scenario refuses unknown keys; attachments are read by another crate.
#[test]
fn no_unknown_key_is_accepted() {
    fn open(schema: &Value, path: &str, found: &mut Vec<String>) {
        match schema {
            Value::Object(members) => {
                let is_closed = schema["additionalProperties"] == json!(false);
                if members.contains_key("properties") && !is_closed {
                    found.push(path.to_owned());
                }
                members.iter().for_each(|(key, it)| open(it, &format!("{path}/{key}"), found));
            }
            Value::Array(items) => items.iter().for_each(|it| open(it, path, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    open(&schema(), "", &mut found);
    let attachment = "/properties/turns/items/items/oneOf/properties/attachment";
    assert_eq!(found, [attachment]);
}

/// Returns a pointer without its numbers.
fn shape(pointer: &str) -> Vec<String> {
    let named = |step: &&str| step.parse::<usize>().is_err();
    let steps = pointer.split('/').filter(named);
    steps.map(str::to_owned).collect()
}
