//! As much of JSON Schema as the schemas use.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::Regex;
use serde_json::{Map, Value};

/// Returns true if a value is valid, by the keywords in the schemas. An unknown
/// keyword panics, so no value passes unchecked.
pub(crate) fn is_valid(schema: &Value, value: &Value) -> bool {
    let schema = schema.as_object().unwrap();
    let all = |list: &Value| -> Vec<bool> {
        let list = list.as_array().unwrap().iter();
        list.map(|schema| is_valid(schema, value)).collect()
    };
    schema.iter().all(|(keyword, constraint)| match keyword.as_str() {
        "$schema" | "title" | "description" | "format" | "default" | "examples"
        | "contentMediaType" => true,
        "type" => match constraint {
            Value::Array(names) => names.iter().any(|name| has_type(name, value)),
            name => has_type(name, value),
        },
        "const" => constraint == value,
        "enum" => constraint.as_array().unwrap().contains(value),
        "items" => {
            value.as_array().is_none_or(|items| items.iter().all(|item| is_valid(constraint, item)))
        }
        "required" => value.as_object().is_none_or(|object| {
            let mut names = constraint.as_array().unwrap().iter();
            names.all(|name| object.contains_key(name.as_str().unwrap()))
        }),
        // The rest for `additionalProperties`.
        "patternProperties" => true,
        "anyOf" => all(constraint).contains(&true),
        "not" => !is_valid(constraint, value),
        "oneOf" => all(constraint).into_iter().filter(|it| *it).count() == 1,
        "minimum" => value.as_f64().is_none_or(|it| it >= constraint.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|it| it <= constraint.as_f64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| matches(constraint.as_str().unwrap(), text)),
        "properties" => {
            let known = constraint.as_object().unwrap();
            let is_good = |(key, value): (&String, &Value)| {
                known.get(key).is_none_or(|schema| is_valid(schema, value))
            };
            value.as_object().is_none_or(|object| object.iter().all(is_good))
        }
        "additionalProperties" => value.as_object().is_none_or(|object| {
            let known =
                |key: &str| schema.get("properties").is_some_and(|it| it.get(key).is_some());
            let mut others = object.iter().filter(|(key, _)| !known(key)).map(|(key, value)| {
                match pattern(schema, key) {
                    Some(schema) => is_valid(schema, value),
                    None => constraint.as_bool().unwrap_or_else(|| is_valid(constraint, value)),
                }
            });
            others.all(|it| it)
        }),
        other => panic!("the keyword {other} is not known here"),
    })
}

/// Each pattern is compiled once.
fn matches(pattern: &str, text: &str) -> bool {
    static COMPILED: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || Regex::new(pattern).unwrap();
    let regex = compiled.entry(pattern.to_owned()).or_insert_with(new);
    regex.is_match(text)
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        other => panic!("the type {other} is not known here"),
    }
}

/// Returns the schema for properties whose name matches.
fn pattern<'a>(schema: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let mut patterns = schema.get("patternProperties")?.as_object()?.iter();
    let found = patterns.find(|(pattern, _)| matches(pattern, key));
    found.map(|(_, schema)| schema)
}
