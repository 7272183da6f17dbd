//! Which schemas servers accept, for tools and for outputs.
//!
//! | use | refused |
//! |---|---|
//! | Messages API, tool | `oneOf`, `anyOf` or `allOf` at the top; keys of top properties outside `[a-zA-Z0-9_.-]{1,64}` |
//! | Messages API, output | an open object, `minimum`, `maximum`, a definition that contains itself |
//! | OpenAI | another type than `object`, a combinator or `enum` at the top, an object without `properties` there; an array without `items` |
//! | OpenAI, strict | also an open object, a property that is not in `required` |
//! | Messages API and OpenAI | a keyword with a value that JSON Schema does not allow, such as `"required":true` |
//! | Gemini, `parameters` | `$schema`, `const`, `oneOf`, exclusive bounds, lists of types, an `enum` of another type than string, an array without `items`, `required` of no property |
//!
//! A keyword that no source names is accepted. [`repair`] turns a schema into one that the server
//! accepts, if its meaning survives that.

mod draft;
mod repair;

use std::borrow::Cow;
use std::collections::HashSet;
use std::iter;

use aside_json::{Kind, Tape, Value, excerpt};

use self::repair::Fix;
pub use self::repair::{KeyPair, Repaired, SchemaRepair, rename_keys, repair};

use crate::rule::Rule;
use crate::table::{OUTPUT_SCHEMA, SCHEMA_KEYWORD, STRICT_OBJECT};

const PROPERTIES: &str = "properties of the object, such as {}";

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaUse {
    /// A Messages API tool's `input_schema`.
    MessagesTool,
    /// The Messages API's `output_config.format.schema`.
    MessagesOutput,
    /// A function's `parameters` on Chat Completions or Responses.
    OpenAi,
    /// The same with `"strict":true`, and an output schema with it.
    OpenAiStrict,
    /// A Gemini function's `parameters`; `parametersJsonSchema` takes more.
    Gemini,
}

/// A schema keyword that a server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaFault {
    /// `schema-keyword`, `strict-object` or `output-schema`.
    pub rule: &'static Rule,
    /// The path in the schema, such as `properties.files.items`; empty for the schema itself. A
    /// missing keyword is named as if it was there.
    pub path: String,
    /// What is there, as a short noun phrase or a value.
    pub found: String,
    /// What the server accepts.
    pub expected: &'static str,
}

/// Returns what a server refuses in a schema, in text order. Text that is no JSON object has no
/// faults here. The cost is linear, plus the paths, which grow with the faults.
///
/// ```
/// use aside_rules::of::schema::{SchemaUse, faults};
///
/// let schema = r#"{"type":"object","properties":{"files":{"type":"array"}}}"#;
/// let found = faults(SchemaUse::OpenAi, schema);
/// assert_eq!(found[0].path, "properties.files.items");
/// assert!(faults(SchemaUse::MessagesTool, schema).is_empty());
/// ```
#[must_use]
pub fn faults(of: SchemaUse, schema: &str) -> Vec<SchemaFault> {
    let Ok(tape) = Tape::parse(schema.as_bytes()) else {
        return Vec::new();
    };
    let faults = faults_in(of, tape.root());
    faults.into_iter().map(SchemaFault::from).collect()
}

/// Like [`SchemaFault`], with the value instead of its path.
pub(crate) struct Fault<'t> {
    at: Value<'t>,
    fix: Fix,
    pub(crate) rule: &'static Rule,
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

impl Fault<'_> {
    pub(crate) fn path(&self) -> String {
        match (self.at.path(), self.fix) {
            (path, Fix::Insert(key, _)) if path.is_empty() => key.to_owned(),
            (path, Fix::Insert(key, _)) => format!("{path}.{key}"),
            (path, _) => path,
        }
    }
}

impl From<Fault<'_>> for SchemaFault {
    fn from(fault: Fault<'_>) -> Self {
        Self { path: fault.path(), rule: fault.rule, found: fault.found, expected: fault.expected }
    }
}

/// Like [`faults`], for a schema that is part of a body.
pub(crate) fn faults_in(of: SchemaUse, schema: Value<'_>) -> Vec<Fault<'_>> {
    let mut faults = Faults(Vec::new());
    match of {
        SchemaUse::MessagesTool => {
            faults.messages_tool(schema);
            faults.draft(schema);
        }
        SchemaUse::MessagesOutput => faults.messages_output(schema),
        SchemaUse::OpenAi | SchemaUse::OpenAiStrict => {
            faults.open_ai_top(schema);
            faults.draft(schema);
            for inner in subschemas(schema) {
                faults.array(inner);
                if of == SchemaUse::OpenAiStrict {
                    faults.strict(inner);
                }
            }
        }
        SchemaUse::Gemini => {
            nested(schema, camel_case).for_each(|inner| faults.gemini(inner));
        }
    }
    faults.0
}

/// Returns a schema and those inside it, in text order. A `$ref` is not followed: its target is
/// under `$defs`.
pub(crate) fn subschemas(schema: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    nested(schema, |key| key)
}

/// Returns the same for keys that `keyword` turns into JSON Schema's.
fn nested(schema: Value<'_>, keyword: fn(&str) -> &str) -> impl Iterator<Item = Value<'_>> {
    let mut open = vec![schema];
    iter::from_fn(move || {
        let schema = open.pop()?;
        let first = open.len();
        for (key, value) in schema.members() {
            match keyword(&key) {
                "properties" | "$defs" | "definitions" | "anyOf" | "allOf" | "oneOf"
                | "prefixItems" => open.extend(value.children()),
                "items" | "additionalProperties" => open.push(value),
                _ => {}
            }
        }
        open[first..].reverse();
        Some(schema)
    })
    .filter(|it| it.kind() == Kind::Object)
}

/// Google's servers take their keys in snake case, too.
fn camel_case(key: &str) -> &str {
    match key {
        "any_of" => "anyOf",
        "additional_properties" => "additionalProperties",
        _ => key,
    }
}

/// Returns true for an object's schema that takes keys other than its properties.
pub(crate) fn is_open_object(schema: Value<'_>) -> bool {
    let closed = schema.get("additionalProperties").map(Value::raw) == Some("false");
    has_type(schema, "object") && !closed
}

pub(crate) fn required(schema: Value<'_>) -> HashSet<Cow<'_, str>> {
    let names = schema.given("required").into_iter().flat_map(Value::items);
    names.filter_map(Value::text).collect()
}

fn properties(schema: Value<'_>) -> impl Iterator<Item = (Cow<'_, str>, Value<'_>)> {
    let properties = schema.given("properties");
    properties.into_iter().flat_map(Value::members)
}

fn has_type(schema: Value<'_>, name: &str) -> bool {
    schema.text_of("type").is_some_and(|it| it.eq_ignore_ascii_case(name))
}

/// Returns true for the type `array`, even among others.
fn takes_arrays(schema: Value<'_>) -> bool {
    let listed = schema.given("type").into_iter().flat_map(Value::items);
    has_type(schema, "array") || listed.into_iter().any(|it| it.text().as_deref() == Some("array"))
}

struct Faults<'t>(Vec<Fault<'t>>);

impl<'t> Faults<'t> {
    fn add(
        &mut self,
        rule: &'static Rule,
        at: Value<'t>,
        found: impl Into<String>,
        expected: &'static str,
        fix: Fix,
    ) {
        self.0.push(Fault { at, fix, rule, found: found.into(), expected });
    }

    fn missing(&mut self, at: Value<'t>, key: &'static str, expected: &'static str) {
        let fix = Fix::Insert(key, "{}");
        self.add(&SCHEMA_KEYWORD, at, "no key", expected, fix);
    }

    /// Reports keywords, each at its value.
    fn keywords(
        &mut self,
        schema: Value<'t>,
        keys: &[&str],
        rule: &'static Rule,
        expected: &'static str,
    ) {
        for (key, value) in schema.members().filter(|(key, _)| keys.contains(&&**key)) {
            self.add(rule, value, key, expected, Fix::Describe);
        }
    }

    fn messages_tool(&mut self, schema: Value<'t>) {
        let expected = "no oneOf, anyOf or allOf at the top";
        self.keywords(schema, &["oneOf", "anyOf", "allOf"], &SCHEMA_KEYWORD, expected);
        let is_form = |it: u8| it.is_ascii_alphanumeric() || b"_.-".contains(&it);
        for (key, value) in properties(schema) {
            if !(1..=64).contains(&key.len()) || !key.bytes().all(is_form) {
                let expected = "a key of the form [a-zA-Z0-9_.-]{1,64}";
                self.add(
                    &SCHEMA_KEYWORD,
                    value,
                    excerpt(&format!("{key:?}")),
                    expected,
                    Fix::Rename,
                );
            }
        }
    }

    fn messages_output(&mut self, schema: Value<'t>) {
        let rule = &OUTPUT_SCHEMA;
        for inner in subschemas(schema) {
            if is_open_object(inner) {
                let found = "an object that takes other keys";
                let fix = Fix::Set("additionalProperties", "false");
                self.add(rule, inner, found, "additionalProperties false", fix);
            }
            self.keywords(inner, &["minimum", "maximum"], rule, "no minimum or maximum");
            self.reference(inner, "#");
        }
        for key in ["$defs", "definitions"] {
            for (name, definition) in schema.given(key).into_iter().flat_map(Value::members) {
                let itself = format!("#/{key}/{name}");
                subschemas(definition).for_each(|inner| self.reference(inner, &itself));
            }
        }
    }

    /// Reports a reference to a schema from inside it.
    fn reference(&mut self, schema: Value<'t>, itself: &str) {
        if let Some(target) = schema.given("$ref")
            && target.text().as_deref() == Some(itself)
        {
            let found = excerpt(target.raw());
            self.add(&OUTPUT_SCHEMA, target, found, "no recursion", Fix::None);
        }
    }

    /// Reports a type that is not `object`. A list with `object` is repaired.
    fn object_type(&mut self, rule: &'static Rule, schema: Value<'t>) {
        let Some(of) = schema.given("type") else {
            return;
        };
        let mut listed = of.items();
        let fix = if listed.any(|it| it.text().as_deref() == Some("object")) {
            Fix::Replace("\"object\"")
        } else {
            Fix::None
        };
        self.add(rule, of, excerpt(of.raw()), "the type object", fix);
    }

    fn open_ai_top(&mut self, schema: Value<'t>) {
        let refused = ["oneOf", "anyOf", "allOf", "enum", "not"];
        let expected = "no oneOf, anyOf, allOf, enum or not at the top";
        self.keywords(schema, &refused, &SCHEMA_KEYWORD, expected);
        if schema.given("type").is_some() && !has_type(schema, "object") {
            self.object_type(&SCHEMA_KEYWORD, schema);
        } else if schema.given("type").is_some() && schema.given("properties").is_none() {
            self.missing(schema, "properties", PROPERTIES);
        }
    }

    fn array(&mut self, schema: Value<'t>) {
        let has_items = ["items", "prefixItems"].iter().any(|key| schema.given(key).is_some());
        if takes_arrays(schema) && !has_items {
            self.missing(schema, "items", "a schema of the items, such as {}");
        }
    }

    fn strict(&mut self, schema: Value<'t>) {
        if is_open_object(schema) {
            let found = "an object that takes other keys";
            let expected = "additionalProperties false";
            self.add(&STRICT_OBJECT, schema, found, expected, Fix::Loosen);
        }
        let required = required(schema);
        for (key, value) in properties(schema).filter(|(key, _)| !required.contains(key)) {
            let found = excerpt(&format!("{key:?}"));
            let expected = "every property in required";
            self.add(&STRICT_OBJECT, value, found, expected, Fix::Loosen);
        }
    }

    fn gemini(&mut self, schema: Value<'t>) {
        let refused = ["$schema", "const", "oneOf", "exclusiveMinimum", "exclusiveMaximum"];
        let expected = "no keyword that `parameters` lacks, or parametersJsonSchema";
        self.keywords(schema, &refused, &SCHEMA_KEYWORD, expected);
        if let Some(of) = schema.given("type").filter(|it| it.kind() == Kind::Array) {
            let found = excerpt(of.raw());
            self.add(&SCHEMA_KEYWORD, of, found, "one type", Fix::None);
        }
        if let (Some(values), Some(of)) = (schema.given("enum"), schema.text_of("type"))
            && !has_type(schema, "string")
        {
            let found = format!("values of the type {of:?}");
            let expected = "an enum of strings only";
            self.add(&SCHEMA_KEYWORD, values, found, expected, Fix::None);
        }
        self.array(schema);
        let known: HashSet<_> = properties(schema).map(|(key, _)| key).collect();
        for name in schema.given("required").into_iter().flat_map(Value::items) {
            if name.text().is_some_and(|it| !known.contains(&it)) {
                let found = excerpt(name.raw());
                let expected = "the name of a property";
                self.add(&SCHEMA_KEYWORD, name, found, expected, Fix::None);
            }
        }
    }
}
