//! The members of a schema that is being made.

use std::collections::BTreeSet;

use crate::json::Json;

/// In the order in which they are written.
pub(super) type Members = Vec<(String, Json)>;

/// Gemini's values are strings, and null is `nullable`.
pub(super) fn enumerate(values: &[Json], out: &mut Members) {
    let mut texts = Vec::new();
    for value in values {
        match value {
            value if value.is_null() => set(out, "nullable", Json::truth()),
            Json::Scalar(raw) if raw.get().starts_with('"') => texts.push(value.clone()),
            Json::Scalar(raw) => texts.push(Json::string(raw.get())),
            // An object or an array as a value has no text.
            _ => {}
        }
    }
    if texts.is_empty() {
        return;
    }
    let are_strings = values
        .iter()
        .all(|value| value.is_null() || value.as_string().is_some());
    if are_strings && !out.iter().any(|(key, _)| key == "type") {
        set(out, "type", Json::string("string"));
    }
    set(out, "enum", Json::Array(texts));
}

/// What holds for a whole schema: only properties that are there can be
/// required, and an array has items.
pub(super) fn finish(out: &mut Members) {
    let names: BTreeSet<String> = match out.iter().find(|(key, _)| key == "properties") {
        Some((_, Json::Object(properties))) => {
            properties.iter().map(|(name, _)| name.clone()).collect()
        }
        _ => BTreeSet::new(),
    };
    let is_there = |name: &Json| name.as_string().is_some_and(|name| names.contains(&name));
    for (key, value) in out.iter_mut() {
        if let ("required" | "propertyOrdering", Json::Array(required)) = (key.as_str(), value) {
            required.retain(is_there);
        }
    }
    out.retain(|(key, value)| {
        !matches!(key.as_str(), "required" | "propertyOrdering")
            || matches!(value, Json::Array(names) if !names.is_empty())
    });
    let has = |key: &str| {
        out.iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    };
    let is_array = has("type").and_then(Json::as_string).as_deref() == Some("array");
    if is_array && has("items").is_none() {
        set(out, "items", Json::Object(Vec::new()));
    }
}

/// Puts the members of one schema beside those of another.
pub(super) fn merge(members: Members, out: &mut Members) {
    for (key, value) in members {
        let known = out
            .iter_mut()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value);
        match (known, value) {
            (Some(Json::Object(known)), Json::Object(more)) => merge(more, known),
            (Some(Json::Array(known)), Json::Array(more)) if key == "required" => {
                let names: BTreeSet<_> = known.iter().map(Json::as_string).collect();
                let is_new = |it: &Json| !names.contains(&it.as_string());
                let new: Vec<Json> = more.into_iter().filter(is_new).collect();
                known.extend(new);
            }
            // What the schema says itself stays.
            (Some(_), _) => {}
            (None, value) => out.push((key, value)),
        }
    }
}

pub(super) fn set(members: &mut Members, key: &str, value: Json) {
    match members.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => members.push((key.to_owned(), value)),
    }
}
