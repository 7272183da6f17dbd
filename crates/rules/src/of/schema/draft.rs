//! Keywords with a value that JSON Schema itself does not allow (draft 2020-12).
//!
//! Servers compare a schema with the draft's: `input_schema: JSON schema is invalid. It must match
//! JSON Schema draft 2020-12`, and `True is not of type 'array'` at OpenAI (issue threads).

use aside_json::{Kind, Value};

use super::repair::Fix;
use super::{Faults, subschemas};
use crate::table::SCHEMA_KEYWORD;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Keywords with an object of schemas.
const BY_NAME: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords with a list of schemas.
const LISTED: [&str; 4] = ["anyOf", "allOf", "oneOf", "prefixItems"];

impl<'t> Faults<'t> {
    /// Reports each such keyword at its value. The type at the top is another fault.
    pub(super) fn draft(&mut self, root: Value<'t>) {
        for schema in subschemas(root) {
            for (key, value) in schema.members() {
                let is_top_type = key == "type" && schema.range() == root.range();
                let expected = fault(&key, value).filter(|_| !is_top_type);
                let of_keyword = expected.map(|it| (value, it)).into_iter();
                let of_keyword = of_keyword.map(|(at, expected)| (at, expected, Fix::Describe));
                let is_named = BY_NAME.contains(&&*key);
                let has_schemas = expected.is_none() && (is_named || LISTED.contains(&&*key));
                let inner = value.children().filter(|it| has_schemas && !is_schema(*it));
                // A name may be required.
                let fix = if is_named { Fix::Replace("{}") } else { Fix::Describe };
                for (at, expected, fix) in of_keyword.chain(inner.map(|it| (it, "a schema", fix))) {
                    self.add(&SCHEMA_KEYWORD, at, aside_json::excerpt(at.raw()), expected, fix);
                }
            }
        }
    }
}

fn is_schema(value: Value<'_>) -> bool {
    matches!(value.kind(), Kind::Object | Kind::Bool)
}

/// Returns what the draft expects instead of a value.
fn fault(key: &str, value: Value<'_>) -> Option<&'static str> {
    let kind = value.kind();
    let is_type = |it: Value<'_>| it.text().is_some_and(|it| TYPES.contains(&&*it));
    let is_list = kind == Kind::Array;
    let (is_right, expected) = match key {
        "type" if is_list => {
            (value.items().next().is_some() && value.items().all(is_type), "types of JSON")
        }
        "type" => (is_type(value), "a type of JSON"),
        _ if BY_NAME.contains(&key) => (kind == Kind::Object, "an object of schemas"),
        _ if LISTED.contains(&key) => {
            (is_list && value.items().next().is_some(), "a list of at least one schema")
        }
        "required" => (is_list && value.items().all(|it| it.text().is_some()), "a list of names"),
        "enum" => (is_list, "a list of values"),
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => (is_schema(value), "a schema"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            (kind == Kind::Number, "a number")
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            let is_count = value.integer().is_some_and(|it| it >= 0);
            (is_count, "a whole number from 0")
        }
        "uniqueItems" => (kind == Kind::Bool, "true or false"),
        "description" | "title" | "format" | "pattern" | "$ref" => {
            (kind == Kind::String, "a string")
        }
        _ => (true, ""),
    };
    (!is_right).then_some(expected)
}
