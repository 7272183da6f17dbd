use std::collections::BTreeSet;

use aside_messages::wire::RawJson;

use crate::json::{Json, JsonError};

/// Keywords that Gemini takes and that hold no schema.
const PLAIN: &[&str] = &[
    "type",
    "title",
    "description",
    "nullable",
    "format",
    "enum",
    "default",
    "example",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "required",
    "propertyOrdering",
];

/// Formats that Gemini takes; of others it says that they are not supported.
const FORMATS: &[&str] = &["enum", "date-time", "float", "double", "int32", "int64"];

/// References may make a small schema large: it may have so many nodes.
const LARGEST: usize = 10_000;

/// The longest text of a schema, in bytes. A model would not read a longer one.
const LONGEST: usize = 256 << 10;

/// Why a schema cannot be rewritten.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SchemaError {
    /// Deeper than [`DEEPEST`](crate::json::DEEPEST) levels.
    TooDeep,
    /// More than [`LONGEST`] bytes, or [`LARGEST`] nodes once references are
    /// inlined.
    TooLarge,
    /// No JSON object.
    NoObject,
}

/// A schema as Gemini takes it.
#[derive(Debug)]
pub(super) struct Rewritten {
    /// `None` where there are no parameters.
    pub(super) schema: Option<Json>,
    /// Whether something was left out that limits what may be written.
    pub(super) is_wider: bool,
}

/// Rewrites a JSON Schema: what Gemini refuses is left out or said in its
/// words. Names of properties are never taken for keywords.
pub(super) fn rewrite(schema: &RawJson) -> Result<Rewritten, SchemaError> {
    if schema.get().len() > LONGEST {
        return Err(SchemaError::TooLarge);
    }
    let root = Json::parse(schema).map_err(|error| match error {
        JsonError::TooDeep => SchemaError::TooDeep,
        JsonError::Syntax => SchemaError::NoObject,
    })?;
    if !matches!(root, Json::Object(_)) {
        return Err(SchemaError::NoObject);
    }
    let mut rewriter = Rewriter {
        root: &root,
        open: Vec::new(),
        nodes: 0,
        is_wider: false,
    };
    let schema = rewriter.schema(&root, 0)?;
    let has_parameters = schema.get("properties").is_some() || schema.get("anyOf").is_some();
    Ok(Rewritten {
        schema: has_parameters.then_some(schema),
        is_wider: rewriter.is_wider,
    })
}

struct Rewriter<'a> {
    root: &'a Json,
    /// The references that are being inlined: one of them again is a circle.
    open: Vec<String>,
    nodes: usize,
    is_wider: bool,
}

/// The members of a schema that is being made.
type Members = Vec<(String, Json)>;

impl Rewriter<'_> {
    fn schema(&mut self, schema: &Json, depth: usize) -> Result<Json, SchemaError> {
        self.nodes += 1;
        if self.nodes > LARGEST {
            return Err(SchemaError::TooLarge);
        }
        if depth > crate::json::DEEPEST {
            return Err(SchemaError::TooDeep);
        }
        let Json::Object(members) = schema else {
            // `true` and `false`: anything.
            self.is_wider = true;
            return Ok(Json::Object(Vec::new()));
        };
        let mut out = match schema.get("$ref").and_then(Json::as_string) {
            Some(reference) => self.referred(reference, depth)?,
            None => Vec::new(),
        };
        for (key, value) in members {
            self.keyword(key, value, depth, &mut out)?;
        }
        finish(&mut out);
        Ok(Json::Object(out))
    }

    /// What a reference stands for; inside itself it is any object.
    fn referred(&mut self, reference: String, depth: usize) -> Result<Members, SchemaError> {
        let target = reference
            .strip_prefix('#')
            .and_then(|it| self.root.at_pointer(it));
        let Some(target) = target.filter(|_| !self.open.contains(&reference)) else {
            self.is_wider = true;
            return Ok(vec![("type".into(), Json::string("object"))]);
        };
        self.open.push(reference);
        let inlined = self.schema(target, depth + 1);
        self.open.pop();
        match inlined? {
            Json::Object(members) => Ok(members),
            _ => Ok(Vec::new()),
        }
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Json,
        depth: usize,
        out: &mut Members,
    ) -> Result<(), SchemaError> {
        match (key, value) {
            ("type", Json::Array(types)) => self.types(types, out),
            ("enum", Json::Array(values)) => enumerate(values, out),
            ("const", value) => enumerate(std::slice::from_ref(value), out),
            ("format", value) => match value.as_string() {
                Some(format) if FORMATS.contains(&&*format) => set(out, key, value.clone()),
                _ => self.is_wider = true,
            },
            ("properties", Json::Object(properties)) => {
                let mut all = match out.iter().position(|(known, _)| known == key) {
                    Some(at) => match out.remove(at).1 {
                        Json::Object(inherited) => inherited,
                        _ => Vec::new(),
                    },
                    None => Vec::new(),
                };
                for (name, property) in properties {
                    let property = self.schema(property, depth + 1)?;
                    set(&mut all, name, property);
                }
                // An empty object is refused; no properties are no keyword.
                if !all.is_empty() {
                    set(out, key, Json::Object(all));
                }
            }
            ("items", Json::Array(_)) | ("prefixItems", _) => self.is_wider = true,
            ("items", items) => {
                let items = self.schema(items, depth + 1)?;
                set(out, key, items);
            }
            ("anyOf" | "oneOf", Json::Array(choices)) => self.any_of(choices, depth, out)?,
            ("allOf", Json::Array(parts)) => {
                for part in parts {
                    if let Json::Object(members) = self.schema(part, depth + 1)? {
                        merge(members, out);
                    }
                }
            }
            // The address of the schema, remarks, and what was looked up.
            ("$schema" | "$id" | "$comment" | "$defs" | "definitions" | "$ref" | "$anchor", _) => {}
            ("examples" | "deprecated" | "readOnly" | "writeOnly", _) => {}
            (key, value) if PLAIN.contains(&key) => set(out, key, value.clone()),
            _ => self.is_wider = true,
        }
        Ok(())
    }

    /// Several types: null says `nullable`, and of the others each is a choice.
    fn types(&mut self, types: &[Json], out: &mut Members) {
        let is_null = |it: &&Json| it.as_string().as_deref() == Some("null");
        if types.iter().any(|it| is_null(&it)) {
            set(out, "nullable", Json::truth());
        }
        let others: Vec<&Json> = types.iter().filter(|it| !is_null(it)).collect();
        match others[..] {
            [] => {}
            [only] => set(out, "type", only.clone()),
            _ => {
                let choice = |kind: &&Json| Json::Object(vec![("type".into(), (*kind).clone())]);
                set(
                    out,
                    "anyOf",
                    Json::Array(others.iter().map(choice).collect()),
                );
            }
        }
    }

    fn any_of(
        &mut self,
        choices: &[Json],
        depth: usize,
        out: &mut Members,
    ) -> Result<(), SchemaError> {
        let is_null = |it: &Json| {
            it.get("type").and_then(Json::as_string).as_deref() == Some("null")
                || it.get("const").is_some_and(Json::is_null)
        };
        if choices.iter().any(is_null) {
            set(out, "nullable", Json::truth());
        }
        let mut kept = Vec::new();
        for choice in choices.iter().filter(|it| !is_null(it)) {
            kept.push(self.schema(choice, depth + 1)?);
        }
        match (kept.len(), kept.pop()) {
            (1, Some(Json::Object(members))) => merge(members, out),
            (_, Some(last)) => {
                kept.push(last);
                set(out, "anyOf", Json::Array(kept));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Gemini's values are strings, and null is `nullable`.
fn enumerate(values: &[Json], out: &mut Members) {
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
fn finish(out: &mut Members) {
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
fn merge(members: Members, out: &mut Members) {
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

fn set(members: &mut Members, key: &str, value: Json) {
    match members.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => members.push((key.to_owned(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(property: &str, expected: &str) {
        let schema = format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#);
        let rewritten = rewrite(&RawJson::parse(&schema).unwrap()).unwrap();
        let schema = rewritten.schema.unwrap();
        let property = schema.at_pointer("/properties/p").unwrap();
        assert_eq!(
            serde_json::to_string(property).unwrap(),
            expected,
            "{schema:?}"
        );
    }

    fn whole(schema: &str) -> Result<String, SchemaError> {
        let rewritten = rewrite(&RawJson::parse(schema).unwrap())?;
        Ok(serde_json::to_string(&rewritten.schema).unwrap())
    }

    #[test]
    fn keywords() {
        check(
            r#"{"type":"string","$comment":"c","minLength":1}"#,
            r#"{"type":"string","minLength":1}"#,
        );
        check(r#"{"const":"a"}"#, r#"{"type":"string","enum":["a"]}"#);
        check(
            r#"{"type":"integer","const":5}"#,
            r#"{"type":"integer","enum":["5"]}"#,
        );
        check(
            r#"{"type":["string","null"]}"#,
            r#"{"nullable":true,"type":"string"}"#,
        );
        check(
            r#"{"type":["string","integer"]}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
        );
        check(
            r#"{"enum":["a",null]}"#,
            r#"{"nullable":true,"type":"string","enum":["a"]}"#,
        );
        check(
            r#"{"anyOf":[{"type":"number","exclusiveMinimum":1.0},{"type":"null"}]}"#,
            r#"{"nullable":true,"type":"number"}"#,
        );
        check(
            r#"{"type":"string","format":"uri"}"#,
            r#"{"type":"string"}"#,
        );
        check(
            r#"{"type":"integer","maximum":1e3}"#,
            r#"{"type":"integer","maximum":1e3}"#,
        );
        check(r#"{"type":"array"}"#, r#"{"type":"array","items":{}}"#);
        check("true", "{}");
        check(
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}"#,
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a","b"]}"#,
        );
        check(
            r#"{"type":"object","properties":{},"required":["x"]}"#,
            r#"{"type":"object"}"#,
        );
    }

    #[test]
    fn properties_may_be_called_like_keywords() {
        let names = r#"{"type":"object","properties":{"$schema":{"type":"string"},"additionalProperties":{"type":"object","additionalProperties":false},"const":{"type":"string"},"$ref":{"type":"string"},"type":{"type":"string"}},"required":["$ref"]}"#;
        let expected = names.replace(r#","additionalProperties":false"#, "");
        check(names, &expected);
    }

    #[test]
    fn references_are_inlined() {
        assert_eq!(
            whole(r##"{"$schema":"s","type":"object","properties":{"a":{"$ref":"#/$defs/x~1y","description":"d"},"b":{"$ref":"#/$defs/x~1y"},"c":{"$ref":"#/nowhere"}},"$defs":{"x/y":{"type":"string"}},"additionalProperties":false}"##).unwrap(),
            r#"{"type":"object","properties":{"a":{"type":"string","description":"d"},"b":{"type":"string"},"c":{"type":"object"}}}"#,
        );
        assert_eq!(
            whole(r##"{"type":"object","properties":{"next":{"$ref":"#"}}}"##).unwrap(),
            r#"{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"type":"object"}}}}}"#,
        );
    }

    #[test]
    fn no_parameters_are_no_schema() {
        assert_eq!(
            whole(r#"{"type":"object","properties":{}}"#).unwrap(),
            "null"
        );
        assert_eq!(whole("{}").unwrap(), "null");
    }

    #[test]
    fn a_small_schema_cannot_become_a_large_one() {
        let mut defs = vec![r#""d0":{"type":"string"}"#.to_owned()];
        for n in 1..40 {
            let below = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n - 1);
            defs.push(format!(
                r#""d{n}":{{"properties":{{"a":{below},"b":{below}}}}}"#
            ));
        }
        let schema = format!(
            r##"{{"$ref":"#/$defs/d39","$defs":{{{}}}}}"##,
            defs.join(",")
        );
        let error = whole(&schema).unwrap_err();
        assert!(
            matches!(error, SchemaError::TooLarge | SchemaError::TooDeep),
            "{error:?}"
        );
        let deep = format!("{}1{}", r#"{"items":"#.repeat(10_000), "}".repeat(10_000));
        assert_eq!(whole(&deep), Err(SchemaError::TooDeep));
        let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(LONGEST));
        assert_eq!(whole(&long), Err(SchemaError::TooLarge));
        // As much as there may be, all in one object, and all of it required.
        let names: Vec<String> = (0..9_000).map(|n| format!("\"n{n}\"")).collect();
        let properties: Vec<String> = names.iter().map(|name| format!("{name}:{{}}")).collect();
        let wide = format!(
            r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#,
            properties.join(","),
            names.join(",")
        );
        assert_eq!(whole(&wide), Ok(wide));
        assert_eq!(whole("[]"), Err(SchemaError::NoObject));
    }
}
