//! Instances of a JSON Schema that together have every property and every
//! variant, and where their free strings are.
//!
//! Reads only the keywords that this workspace's schemas use: `type`,
//! `properties`, `items`, `anyOf`, `oneOf`, `const`, `enum`, `examples` and
//! `minimum`. They have no references.

use serde_json::{Map, Value, json};

/// Returns a schema's instances, each with every property in its variant.
///
/// In the first instance each property has its first variant; one more instance
/// follows for each other variant:
///
/// ```text
/// {a: string, b: {c: "x"} or [integer ≥ 3]}
/// → {"a": "text", "b": {"c": "x"}}
/// → {"a": "text", "b": [3]}
/// ```
///
/// An instance need not be valid: string patterns and formats are left out. The
/// caller tries it with the command.
pub(super) fn instances(schema: &Value) -> Vec<Value> {
    let variants = schema.get("anyOf").or(schema.get("oneOf"));
    if let Some(variants) = variants.and_then(Value::as_array) {
        let own = with_properties(schema);
        let all = variants.iter().flat_map(instances);
        return all.map(|variant| merged(&own, variant)).collect();
    }
    if let Some(value) = schema.get("const").or(schema["enum"].get(0)) {
        return vec![value.clone()];
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|it| *it != "null"),
        kind => Some(kind),
    };
    match kind.and_then(Value::as_str) {
        Some("object") => object_instances(schema),
        Some("array") => vec![schema.get("items").map_or_else(Vec::new, instances).into()],
        // An example satisfies the format.
        Some("string") => vec![schema["examples"].get(0).cloned().unwrap_or(json!("text"))],
        Some("integer" | "number") => vec![schema.get("minimum").cloned().unwrap_or(json!(1))],
        Some("boolean") => vec![json!(true)],
        Some("null") => vec![Value::Null],
        // Any value: an object has the most places.
        _ => vec![json!({"key": "text", "list": ["text"]})],
    }
}

/// One instance for each variant of each property.
///
/// There are as many instances as the sum of the variants, not their product.
fn object_instances(schema: &Value) -> Vec<Value> {
    let first = Value::Object(with_properties(schema));
    let mut all = vec![first.clone()];
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        for variant in instances(property).into_iter().skip(1) {
            let mut instance = first.clone();
            instance[key] = variant;
            all.push(instance);
        }
    }
    all
}

/// Returns every property's first instance, nothing without a list.
fn with_properties(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let first = |(key, it): (&String, _)| Some((key.clone(), instances(it).into_iter().next()?));
    properties.filter_map(first).collect()
}

/// Adds a variant's members to the properties that all variants share.
fn merged(own: &Map<String, Value>, variant: Value) -> Value {
    match variant {
        Value::Object(variant) => Value::Object(own.clone().into_iter().chain(variant).collect()),
        variant => variant,
    }
}

/// Returns JSON pointers to all strings in a value.
///
/// They are in document order. Object keys are not included.
pub(super) fn strings(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::String(_) => return vec![String::new()],
        Value::Array(items) => (0..).map(|at: u32| at.to_string()).zip(items).collect(),
        Value::Object(members) => members.iter().map(|(key, it)| (key.clone(), it)).collect(),
        _ => Vec::new(),
    };
    let below = |(key, it)| strings(it).into_iter().map(move |at| format!("/{key}{at}"));
    children.into_iter().flat_map(below).collect()
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
            [json!({"a": "text", "b": {"c": "x"}}), json!({"a": "text", "b": [3]}),]
        );
        assert_eq!(strings(&instances(&schema)[0]), ["/a", "/b/c"]);
    }
}
