//! The members of a schema while it is being written.

use std::collections::BTreeSet;

use crate::json::Json;
use crate::read::set;

/// An object's members, in the order to write them. A key occurs once.
pub(super) type Members = Vec<(String, Json)>;

/// Adds the values in `enum` or `const`. Gemini's values are strings, and null is `nullable`.
///
/// ```text
/// ["a", "b", null] → {"nullable":true,"type":"string","enum":["a","b"]}
/// [1, 2]           → {"type":"number","description":"One of: 1, 2"}
/// ```
///
/// If the schema has no type and all values have the same, this adds it. Objects and arrays are
/// left out; if no value is left, there is no `enum`, and the schema is wider.
pub(super) fn enumerate(values: &[Json], out: &mut Members) -> Width {
    let mut texts = Vec::new();
    for value in values {
        match value {
            value if value.is_null() => set(out, "nullable", Json::truth()),
            Json::Scalar(raw) if raw.get().starts_with('"') => texts.push(value.clone()),
            Json::Scalar(raw) => texts.push(Json::string(raw.get())),
            // An object or an array has no text to be a value.
            _ => {}
        }
    }
    if texts.is_empty() {
        return Width::Wider;
    }
    let is_one_of = |is_it: fn(&Json) -> bool| {
        let mut all = values.iter().filter(|value| !value.is_null());
        all.all(is_it)
    };
    let kind = match find(out, "type") {
        Some(_) => None,
        None if is_one_of(|value| value.as_string().is_some()) => Some("string"),
        None if is_one_of(is_number) => Some("number"),
        None => None,
    };
    if let Some(kind) = kind {
        set(out, "type", Json::string(kind));
    }
    set(out, "enum", Json::Array(texts));
    Width::Same
}

fn is_number(value: &Json) -> bool {
    let is_first = |it: char| it == '-' || it.is_ascii_digit();
    matches!(value, Json::Scalar(raw) if raw.get().starts_with(is_first))
}

/// Whether a schema allows more than the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gemini) enum Width {
    /// It allows the same.
    Same,
    /// It allows the same, with `items` written out for an array without.
    Explicit,
    /// It allows more or describes less, because a keyword was left out.
    Wider,
}

/// Applies the rules for whole schemas, once all keywords were added:
///
/// - only existing properties can be required or ordered, and an empty list is left out;
/// - an array has items, which accept anything if the schema has none;
/// - values that are not strings move to the description, which makes the schema wider.
pub(super) fn finish(out: &mut Members) -> Width {
    let names: BTreeSet<String> = match out.iter().find(|(key, _)| key == "properties") {
        Some((_, Json::Object(properties))) => {
            properties.iter().map(|(name, _)| name.clone()).collect()
        }
        _ => BTreeSet::new(),
    };
    let mut width = Width::Same;
    let mut is_there = |name: &Json| {
        let is_there = name.as_string().is_some_and(|name| names.contains(&name));
        if !is_there {
            width = Width::Wider;
        }
        is_there
    };
    for (key, value) in out.iter_mut() {
        if let ("required" | "propertyOrdering", Json::Array(required)) = (key.as_str(), value) {
            required.retain(&mut is_there);
        }
    }
    out.retain(|(key, value)| {
        !matches!(key.as_str(), "required" | "propertyOrdering")
            || matches!(value, Json::Array(names) if !names.is_empty())
    });
    if is_array(out) && find(out, "items").is_none() {
        set(out, "items", Json::Object(Vec::new()));
        width = width.max(Width::Explicit);
    }
    width.max(give_items(out)).max(limit_enum(out))
}

/// When a schema has several types, moves its items to the choice for arrays.
///
/// ```text
/// {"anyOf":[{"type":"array"},{"type":"string"}],"items":A}
/// → {"anyOf":[{"type":"array","items":A},{"type":"string"}]}
/// ```
fn give_items(out: &mut Members) -> Width {
    let items = find(out, "items").cloned();
    let Some((_, Json::Array(choices))) = out.iter_mut().find(|(key, _)| key == "anyOf") else {
        return Width::Same;
    };
    let mut is_moved = false;
    for choice in choices {
        if let Json::Object(choice) = choice
            && is_array(choice)
            && find(choice, "items").is_none()
        {
            let given = items.clone().unwrap_or(Json::Object(Vec::new()));
            set(choice, "items", given);
            is_moved = true;
        }
    }
    if is_moved {
        out.retain(|(key, _)| key != "items");
    }
    if is_moved && items.is_none() { Width::Explicit } else { Width::Same }
}

/// Moves values that are not strings to the description: Gemini refuses them in an `enum`. Source:
/// its SDKs' issues.
fn limit_enum(out: &mut Members) -> Width {
    let Some(at) = out.iter().position(|(key, _)| key == "enum") else {
        return Width::Same;
    };
    if find(out, "type").and_then(Json::as_string).as_deref() == Some("string") {
        return Width::Same;
    }
    if let Json::Array(values) = out.remove(at).1 {
        describe(out, &values);
    }
    Width::Wider
}

/// Names these values in the description.
fn describe(out: &mut Members, values: &[Json]) {
    let values: Vec<_> = values.iter().filter_map(Json::as_string).collect();
    let values = format!("One of: {}", values.join(", "));
    let own = find(out, "description").and_then(Json::as_string);
    let text = own.map_or_else(|| values.clone(), |own| format!("{own} {values}"));
    set(out, "description", Json::string(&text));
}

/// Returns a key's value.
fn find<'a>(members: &'a Members, key: &str) -> Option<&'a Json> {
    let found = members.iter().find(|(known, _)| known == key);
    found.map(|(_, value)| value)
}

fn is_array(members: &Members) -> bool {
    find(members, "type").and_then(Json::as_string).as_deref() == Some("array")
}

/// Merges one schema into another: merges properties and items as schemas, joins the lists of
/// required properties, and keeps `out`'s value for any other keyword that both have. If a limit is
/// lost this way, the result is wider; titles, descriptions and the like do not count.
pub(super) fn merge(members: Members, out: &mut Members) -> Width {
    let mut width = Width::Same;
    for (key, value) in members {
        let Some((_, known)) = out.iter_mut().find(|(known, _)| *known == key) else {
            out.push((key, value));
            continue;
        };
        let lost = match (&*key, known, value) {
            ("properties", Json::Object(known), Json::Object(more)) => {
                merge_properties(more, known)
            }
            ("items", Json::Object(known), Json::Object(more)) => merge(more, known),
            ("required", Json::Array(known), Json::Array(more)) => {
                let names: BTreeSet<_> = known.iter().map(Json::as_string).collect();
                let is_new = |it: &Json| !names.contains(&it.as_string());
                let new: Vec<Json> = more.into_iter().filter(is_new).collect();
                known.extend(new);
                Width::Same
            }
            ("title" | "description" | "default" | "example" | "propertyOrdering", ..) => {
                Width::Same
            }
            (_, known, value) if *known == value => Width::Same,
            _ => Width::Wider,
        };
        width = width.max(lost);
    }
    width
}

/// Merges each property's schema into the one with the same name. A name is never a keyword: a
/// property may be called `title`.
fn merge_properties(more: Members, known: &mut Members) -> Width {
    let mut width = Width::Same;
    for (name, property) in more {
        match (known.iter_mut().find(|(it, _)| *it == name), property) {
            (Some((_, Json::Object(known))), Json::Object(more)) => {
                width = width.max(merge(more, known));
            }
            (Some(_), _) => width = Width::Wider,
            (None, property) => known.push((name, property)),
        }
    }
    width
}
