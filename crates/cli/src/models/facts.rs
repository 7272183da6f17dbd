//! `aside models ID`: every known fact about a model, one per line.
//!
//! ```text
//! claude-opus-4-6
//!   cache_minimum: 4096
//!   compaction.accepted: first-party, aws-platform, google-cloud, foundry
//!   computer_tools[0].type: computer_20251124
//! ```
//!
//! Facts are serialized and flattened, so that you can use the names as paths
//! in the `--json` output.

use aside_models::ModelFacts;
use aside_text::one_line;
use serde_json::Value;

use crate::paint::{Paint, Tone};

/// Returns every known fact about each model, named as in `--json`.
///
/// An empty line separates two models.
pub(super) fn all(models: &[&ModelFacts], paint: Paint) -> serde_json::Result<String> {
    let texts: serde_json::Result<Vec<String>> = models.iter().map(|it| one(it, paint)).collect();
    Ok(texts?.join("\n"))
}

/// Returns a model's facts, below its id.
fn one(facts: &ModelFacts, paint: Paint) -> serde_json::Result<String> {
    let mut text = paint.text(Tone::Strong, facts.id) + "\n";
    let Value::Object(members) = serde_json::to_value(facts)? else {
        unreachable!("facts are an object");
    };
    let known = members.iter().filter(|(key, _)| *key != "id");
    for (key, value) in known {
        let mut lines = Vec::new();
        flatten(key, value, &mut lines);
        for (name, value) in lines {
            text.push_str(&format!("  {name}: {}\n", one_line(&value)));
        }
    }
    Ok(text)
}

/// Adds a line for each known value, with its path.
///
/// A list of scalars is one line; a list with objects has a line for each value
/// in them. `null`, an empty text and an empty list are unknown, so they are
/// left out.
fn flatten(path: &str, value: &Value, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        Value::Object(members) => {
            for (key, value) in members {
                flatten(&format!("{path}.{key}"), value, lines);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (index, value) in items.iter().enumerate() {
                flatten(&format!("{path}[{index}]"), value, lines);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(scalar).collect();
            lines.push((path.to_owned(), items.join(", ")));
        }
        value => lines.push((path.to_owned(), scalar(value))),
    }
}

/// Returns a value as text, without the quotes around a string.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
