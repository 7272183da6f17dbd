//! Examples of a JSON Schema: instances that together have every property and
//! every variant, and the places of their free strings.
//!
//! Only those keywords are read that the schemas of this workspace use: `type`,
//! `properties`, `items`, `anyOf`, `oneOf`, `const`, `enum`, `examples` and
//! `minimum`. They have no references.

use serde_json::{Map, Value, json};

/// Returns instances of a schema, each with every property of its variant.
///
/// Each property has its first variant in the first instance, and one further
/// instance follows for each other variant:
///
/// ```text
/// {a: string, b: {c: "x"} or [integer ≥ 3]}
/// → {"a": "text", "b": {"c": "x"}}
/// → {"a": "text", "b": [3]}
/// ```
///
/// An instance is not necessarily valid: patterns and formats of strings are
/// left out. The caller tries it with the command.
pub(super) fn instances(schema: &Value) -> Vec<Value> {
    let object = schema.as_object();
    let variants = object.and_then(|it| it.get("anyOf").or_else(|| it.get("oneOf")));
    if let Some(variants) = variants.and_then(Value::as_array) {
        let own = object
            .filter(|it| it.contains_key("properties"))
            .map_or_else(|| json!({}), with_properties);
        return variants
            .iter()
            .flat_map(instances)
            .map(|variant| merged(&own, variant))
            .collect();
    }
    if let Some(value) = schema.get("const") {
        return vec![value.clone()];
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().take(1).cloned().collect();
    }
    match kind(schema) {
        Some("object") => object_instances(schema),
        Some("array") => match schema.get("items") {
            Some(items) => vec![Value::Array(instances(items))],
            None => vec![json!([])],
        },
        Some("string") => vec![string(schema)],
        Some("integer" | "number") => vec![schema.get("minimum").cloned().unwrap_or(json!(1))],
        Some("boolean") => vec![json!(true)],
        Some("null") => vec![Value::Null],
        // Any value: an object has the most places.
        _ => vec![json!({"key": "text", "list": ["text"]})],
    }
}

/// Returns the first type that is not null.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|it| *it != "null"),
        kind => kind.as_str(),
    }
}

/// Returns the first example of a string, which satisfies its format, or
/// `text`.
fn string(schema: &Value) -> Value {
    let examples = schema.get("examples").and_then(Value::as_array);
    let example = examples.and_then(|it| it.first());
    match example {
        Some(example) => example.clone(),
        None => json!("text"),
    }
}

/// One instance for each variant of each property.
///
/// The number of instances is the sum of the variants, not their product.
fn object_instances(schema: &Value) -> Vec<Value> {
    let Some(object) = schema.as_object() else {
        return Vec::new();
    };
    let first = with_properties(object);
    let mut all = vec![first.clone()];
    for (key, property) in properties(object) {
        for variant in instances(property).into_iter().skip(1) {
            let mut instance = first.clone();
            instance[key] = variant;
            all.push(instance);
        }
    }
    all
}

/// Returns an object with the first instance of every property.
fn with_properties(object: &Map<String, Value>) -> Value {
    let members = properties(object).filter_map(|(key, property)| {
        let value = instances(property).into_iter().next()?;
        Some((key.clone(), value))
    });
    Value::Object(members.collect())
}

/// Returns the properties of an object schema, none if it has no list.
fn properties(object: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = object.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

/// Adds the members of a variant to the properties that all variants share.
fn merged(own: &Value, variant: Value) -> Value {
    match (own, variant) {
        (Value::Object(own), Value::Object(variant)) if !own.is_empty() => {
            Value::Object(own.clone().into_iter().chain(variant).collect())
        }
        (_, variant) => variant,
    }
}

/// Returns the JSON pointers of all strings in a value.
///
/// They are in the order of the document. Keys of objects are not among them.
pub(super) fn strings(value: &Value) -> Vec<String> {
    fn visit(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(at.to_owned()),
            Value::Array(items) => {
                for (index, it) in items.iter().enumerate() {
                    visit(it, &format!("{at}/{index}"), found);
                }
            }
            Value::Object(members) => {
                for (key, it) in members {
                    visit(it, &format!("{at}/{key}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    visit(value, "", &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_and_property_has_an_instance() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"oneOf": [
                {"type": "object", "properties": {"c": {"const": "x"}}},
                {"type": "array", "items": {"type": "integer", "minimum": 3}},
            ]},
        }});
        assert_eq!(
            instances(&schema),
            [
                json!({"a": "text", "b": {"c": "x"}}),
                json!({"a": "text", "b": [3]}),
            ]
        );
        assert_eq!(strings(&instances(&schema)[0]), ["/a", "/b/c"]);
    }
}
