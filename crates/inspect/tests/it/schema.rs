//! The JSON has the form that the schema describes.

use aside_cache_model::Body;
use aside_inspect::report;
use serde_json::Value;

use crate::bodies::{foreign, goldens};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../report.schema.json")).unwrap()
}

/// Returns a value's first fault; validates the keywords that the schema uses.
fn fault(value: &Value, rule: &Value, root: &Value, at: &str) -> Option<String> {
    if let Some(name) = rule["$ref"].as_str() {
        let rule = root.pointer(&name[1..]).unwrap();
        return fault(value, rule, root, at);
    }
    if let Some(values) = rule["enum"].as_array() {
        return (!values.contains(value)).then(|| format!("{at}: {value} is none of the values"));
    }
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(it) if it.is_u64() || it.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = match &rule["type"] {
        Value::Array(types) => types.clone(),
        only => vec![only.clone()],
    };
    let is_number = |it: &Value| it == "number" && name == "integer";
    if !types.iter().any(|it| it == name || is_number(it)) {
        return Some(format!("{at}: {name} is none of {types:?}"));
    }
    if let Value::Array(items) = value {
        let mut items = items.iter().enumerate();
        return items
            .find_map(|(index, it)| fault(it, &rule["items"], root, &format!("{at}[{index}]")));
    }
    let Value::Object(members) = value else {
        return None;
    };
    let required = rule["required"].as_array().into_iter().flatten();
    let mut missing = required.filter(|it| !members.contains_key(it.as_str().unwrap()));
    if let Some(key) = missing.next() {
        return Some(format!("{at}: {key} is missing"));
    }
    members.iter().find_map(|(key, value)| {
        let at = format!("{at}.{key}");
        match &rule["properties"][key] {
            Value::Null => Some(format!("{at}: unknown key")),
            rule => fault(value, rule, root, &at),
        }
    })
}

#[test]
fn every_report_matches_the_schema() {
    let schema = schema();
    let goldens = goldens().into_iter().step_by(11);
    let foreign = foreign().into_iter().map(|(name, body)| (name.to_owned(), body.into_bytes()));
    for (name, body) in goldens.chain(foreign) {
        let Ok(request) = Body::parse(&body) else {
            continue;
        };
        let json = serde_json::to_value(report(&request, None, None).view(usize::MAX)).unwrap();
        assert_eq!(fault(&json, &schema, &schema, ""), None, "{name}");
    }
}

#[test]
fn the_schema_sees_a_fault() {
    let schema = schema();
    let body = foreign().swap_remove(0).1;
    let request = Body::parse(body.as_bytes()).unwrap();
    let good = serde_json::to_value(report(&request, None, None).view(2)).unwrap();
    for (key, value) in [("bytes", Value::Null), ("wire", "x".into()), ("other", 1.into())] {
        let mut bad = good.clone();
        bad[key] = value;
        assert!(fault(&bad, &schema, &schema, "").is_some(), "{key}");
    }
}
