//! Collecting all faults in a file that cannot be loaded.

use aside_user_files::{split, strict_yaml};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::read::Fault;
use super::source_lines::{Form, body, line_of_key, unknown_key};
use crate::definition::Definition;
use crate::unknown_keys::UnknownKeys;

/// How many faults to report per file.
const MAX_FAULTS: usize = 10;

/// Returns the faults in the other keys, after `first` was found: each key is
/// read by itself. Unknown keys are included, since a misspelled key may have
/// caused the first fault.
pub(super) fn further(form: Form, text: &str, first: &Fault) -> Vec<Fault> {
    let Some((values, unknown)) = values(form, text) else {
        return Vec::new();
    };
    let mut faults: Vec<Fault> = unknown.iter().map(|key| unknown_key(text, key)).collect();
    for (key, value) in &values {
        match (key.as_str(), value) {
            ("schedule", Value::Object(schedule)) => {
                faults.extend(of_schedule(text, schedule));
            }
            (key, value) => {
                let alone = Map::from_iter([(key.to_owned(), value.clone())]);
                faults.extend(fault(text, key, key, alone));
            }
        }
    }
    faults.extend(no_content(form, text, &values));
    faults.retain(|fault| fault.line != first.line);
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(MAX_FAULTS);
    faults
}

/// Returns the fault of a file that has nothing to send, and is not there to switch a reminder off.
fn no_content(form: Form, text: &str, values: &Map<String, Value>) -> Option<Fault> {
    let (content, line) = match form {
        Form::Markdown => {
            let (body, line) = body(split(text).ok()?);
            (body, Some(line))
        }
        Form::Yaml => (values.get("content")?.as_str()?, None),
    };
    let is_enabled = values.get("enabled") != Some(&Value::Bool(false));
    (is_enabled && content.trim().is_empty()).then(|| Fault::no_content(line))
}

/// Returns the values by key, and the unknown keys; `None` if the text is not a
/// mapping.
fn values(form: Form, text: &str) -> Option<(Map<String, Value>, UnknownKeys)> {
    Some(match form {
        Form::Markdown => {
            let document = split(text).ok()?;
            let values = document.strict_data().ok()??;
            (values, document.strict_data().ok()??)
        }
        Form::Yaml => {
            let unknown: Option<UnknownKeys> = strict_yaml(text).ok()?;
            (strict_yaml::<Option<_>>(text).ok()??, unknown?)
        }
    })
}

/// Reads each key together with the kind that it goes with.
fn of_schedule(text: &str, schedule: &Map<String, Value>) -> Vec<Fault> {
    let faults = schedule.iter().filter_map(|(key, value)| {
        let kind = match key.as_str() {
            "turn_interval" => "turn",
            "interval" => "timer",
            "condition" => "condition",
            _ => "always",
        };
        let mut alone = Map::from_iter([("kind".to_owned(), kind.into())]);
        alone.insert(key.clone(), value.clone());
        let alone = Map::from_iter([("schedule".to_owned(), alone.into())]);
        fault(text, key, &format!("schedule.{key}"), alone)
    });
    faults.collect()
}

/// Returns one key's fault, read as if the file had no other; `None` if it is
/// valid.
fn fault(text: &str, key: &str, path: &str, alone: Map<String, Value>) -> Option<Fault> {
    let error = Definition::deserialize(Value::Object(alone)).err()?;
    Some(Fault { line: line_of_key(text, key), message: format!("{path}: {error}") })
}
