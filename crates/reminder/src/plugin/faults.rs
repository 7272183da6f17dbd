//! Collecting all faults in a file that cannot be loaded.

use aside_user_files::{split, strict_yaml};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::read::Fault;
use super::source_lines::{Form, Level, body, line_of_key};
use super::{kinds, warnings};
use crate::definition::Definition;
use crate::expression::Expression;
use crate::unknown_keys::UnknownKeys;

/// How many faults to report per file.
const MAX_FAULTS: usize = 10;

/// Returns the other faults and warnings after `first` was found: each key is
/// read by itself. Unknown keys are errors here, since a misspelled one may have
/// caused the first fault.
pub(super) fn further(form: Form, text: &str, first: &Fault) -> Vec<Fault> {
    let Some((values, unknown)) = values(form, text) else {
        return Vec::new();
    };
    let unknown = warnings::unknown_keys(text, &unknown);
    let mut faults: Vec<Fault> =
        unknown.map(|fault| Fault { kind: kinds::INVALID, ..fault }).collect();
    for (key, value) in &values {
        match (key.as_str(), value) {
            ("schedule", Value::Object(schedule)) => {
                faults.extend(of_schedule(text, schedule));
            }
            (key, value) => {
                let error = error(Map::from_iter([(key.to_owned(), value.clone())]));
                let line = line_of_key(text, Level::Top, key);
                faults.extend(error.map(|error| Fault::invalid(line, format!("{key}: {error}"))));
            }
        }
    }
    let (content, body_line) = content(form, text, &values);
    let is_enabled = values.get("enabled") != Some(&Value::Bool(false));
    if is_enabled && content.is_some_and(|content| content.trim().is_empty()) {
        faults.push(Fault::no_content(body_line));
    }
    faults.extend(warnings::placeholders(text, content.unwrap_or_default()));
    remove(&mut faults, first);
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(MAX_FAULTS);
    faults
}

/// Removes the fault that was found first: the reader of the whole file may word
/// it differently, but begins with the same path.
fn remove(faults: &mut Vec<Fault>, first: &Fault) {
    fn path(fault: &Fault) -> Option<&str> {
        fault.message.split_once(": ").map(|(path, _)| path)
    }
    let same = faults.iter().position(|fault| fault.message == first.message);
    let same = same.or_else(|| faults.iter().position(|fault| path(fault) == path(first)));
    if let Some(at) = same {
        faults.remove(at);
    }
}

/// Returns the text to send, and in Markdown the line where it begins.
fn content<'a>(
    form: Form,
    text: &'a str,
    values: &'a Map<String, Value>,
) -> (Option<&'a str>, Option<usize>) {
    match form {
        Form::Markdown => split(text).ok().map(body).unzip(),
        Form::Yaml => (values.get("content").and_then(Value::as_str), None),
    }
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

/// Reads each key together with the kind that it goes with, and then with the
/// file's kind.
fn of_schedule(text: &str, schedule: &Map<String, Value>) -> Vec<Fault> {
    let with = |kind: Option<&Value>, key: &str, value: &Value| {
        let mut alone = Map::from_iter(kind.map(|kind| ("kind".to_owned(), kind.clone())));
        alone.insert(key.to_owned(), value.clone());
        error(Map::from_iter([("schedule".to_owned(), alone.into())]))
    };
    let kind = schedule.get("kind");
    let is_known = kind.is_none_or(|kind| with(None, "kind", kind).is_none());
    let faults = schedule.iter().filter_map(|(key, value)| {
        let fitting = match key.as_str() {
            "turn_interval" => "turn",
            "interval" => "timer",
            "condition" => "condition",
            _ => "always",
        };
        let message = with(Some(&fitting.into()), key, value)
            .map(|error| format!("schedule.{key}: {error}"))
            .or_else(|| {
                let misfit = with(kind, key, value).filter(|_| is_known)?;
                Some(format!("schedule: {misfit}"))
            })?;
        Some(Fault::invalid(line_of_key(text, Level::Schedule, key), message))
    });
    let expression = schedule.get("condition").and_then(Value::as_str).map(Expression::parse);
    let unknown = expression.and_then(|expression| warnings::condition(text, &expression));
    faults.chain(unknown).collect()
}

/// Returns the fault of keys that are read as if the file had no others; `None`
/// if they are valid.
fn error(alone: Map<String, Value>) -> Option<serde_json::Error> {
    Definition::deserialize(Value::Object(alone)).err()
}
