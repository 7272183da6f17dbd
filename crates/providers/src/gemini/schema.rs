//! Rewrites JSON Schemas of tools to the subset that Gemini accepts.
//!
//! ```text
//! {"$ref":"#/$defs/path"}           the target, inlined
//! {"const":"a"}                     {"type":"string","enum":["a"]}
//! {"type":["string","null"]}        {"nullable":true,"type":"string"}
//! {"type":["string","integer"]}     {"anyOf":[{"type":"string"},{"type":"integer"}]}
//! {"oneOf":[A,{"type":"null"}]}     A with "nullable":true
//! {"allOf":[A,B]}                   the members of A and B in one schema
//! {"additionalProperties":false}    left out; the schema is wider
//! ```
//!
//! If the result is wider, the original is sent as JSON Schema instead, unless that is faulty.
//!
//! The same schema always gives the same result, so this does not invalidate the prefix.

mod members;

use aside_messages::wire::RawJson;

use crate::json::{Json, JsonError};
use crate::read::set;
pub(super) use members::Width;
use members::{Members, enumerate, finish, merge};

/// Keywords that Gemini accepts and that hold no schema.
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

/// The formats that Gemini accepts; it refuses others as unsupported.
const FORMATS: &[&str] = &["enum", "date-time", "float", "double", "int32", "int64"];

/// The maximum number of nodes to write: references can make a small schema large.
const MAX_NODES: usize = 10_000;

/// The maximum schema length, in bytes. A model would not read a longer one.
const MAX_SCHEMA_BYTES: usize = 256 << 10;

/// Why a schema cannot be rewritten.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SchemaError {
    /// Deeper than [`DEEPEST`](crate::json::DEEPEST) levels.
    TooDeep,
    /// Longer than [`MAX_SCHEMA_BYTES`], or more than [`MAX_NODES`] nodes after its references were
    /// inlined.
    TooLarge,
    /// Not a JSON object.
    NoObject,
}

/// A schema that Gemini accepts.
#[derive(Debug)]
pub(super) struct Rewritten {
    /// The schema; `None` without parameters.
    pub(super) schema: Option<Json>,
    pub(super) width: Width,
    /// False if a reference is circular or has no target in the schema, so that Gemini would refuse
    /// the original as JSON Schema.
    pub(super) has_all_targets: bool,
}

/// Rewrites a JSON Schema: leaves out keywords that Gemini refuses, or expresses them differently.
/// Property names are never treated as keywords.
///
/// # Errors
///
/// When the schema is not an object, is longer than `MAX_SCHEMA_BYTES`, is deeper than 64 levels,
/// or has more than `MAX_NODES` nodes after its references were inlined.
pub(super) fn rewrite(schema: &RawJson) -> Result<Rewritten, SchemaError> {
    if schema.get().len() > MAX_SCHEMA_BYTES {
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
        width: Width::Same,
        has_all_targets: true,
    };
    let schema = rewriter.schema(&root, 0)?;
    let has_parameters = schema.get("properties").is_some() || schema.get("anyOf").is_some();
    let Rewriter { width, has_all_targets, .. } = rewriter;
    Ok(Rewritten { schema: has_parameters.then_some(schema), width, has_all_targets })
}

struct Rewriter<'a> {
    /// The whole schema, to look up references in.
    root: &'a Json,
    /// The references being inlined, to notice when one is circular.
    open: Vec<String>,
    /// How many schemas were written so far; an inlined one counts each time.
    nodes: usize,
    width: Width,
    has_all_targets: bool,
}

impl Rewriter<'_> {
    /// Rewrites a schema and everything in it. `true` and `false` become a schema that accepts
    /// anything. The members next to `$ref` are applied over those it refers to.
    fn schema(&mut self, schema: &Json, depth: usize) -> Result<Json, SchemaError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(SchemaError::TooLarge);
        }
        if depth > crate::json::DEEPEST {
            return Err(SchemaError::TooDeep);
        }
        let Json::Object(members) = schema else {
            // `true` and `false`: anything.
            self.widen(Width::Wider);
            return Ok(Json::Object(Vec::new()));
        };
        let mut out = match schema.get("$ref").and_then(Json::as_string) {
            Some(reference) => self.referred(reference, depth)?,
            None => Vec::new(),
        };
        for (key, value) in members {
            self.keyword(key, value, depth, &mut out)?;
        }
        self.widen(finish(&mut out));
        Ok(Json::Object(out))
    }

    /// Looks up a reference and returns its target's members. When a reference is recursive, or its
    /// target is missing or in another document, it becomes any object.
    fn referred(&mut self, reference: String, depth: usize) -> Result<Members, SchemaError> {
        let target = reference.strip_prefix('#').and_then(|it| self.root.at_pointer(it));
        let Some(target) = target.filter(|_| !self.open.contains(&reference)) else {
            self.widen(Width::Wider);
            self.has_all_targets = false;
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

    /// Rewrites one keyword to `out`. When a keyword limits or describes the input and has no
    /// counterpart, the schema is wider; one that only names a schema is left out without a report.
    fn keyword(
        &mut self,
        key: &str,
        value: &Json,
        depth: usize,
        out: &mut Members,
    ) -> Result<(), SchemaError> {
        match (key, value) {
            ("type", Json::Array(types)) => self.types(types, out),
            ("enum", Json::Array(values)) => self.widen(enumerate(values, out)),
            ("const", value) => self.widen(enumerate(std::slice::from_ref(value), out)),
            ("format", value) => match value.as_string() {
                Some(format) if FORMATS.contains(&&*format) => set(out, key, value.clone()),
                _ => self.widen(Width::Wider),
            },
            ("properties", Json::Object(properties)) => {
                let inherited = out.iter().position(|(known, _)| known == key);
                let mut all = match inherited.map(|at| out.remove(at).1) {
                    Some(Json::Object(inherited)) => inherited,
                    _ => Vec::new(),
                };
                for (name, property) in properties {
                    let property = self.schema(property, depth + 1)?;
                    set(&mut all, name, property);
                }
                // Gemini refuses an empty object, so leave it out.
                if !all.is_empty() {
                    set(out, key, Json::Object(all));
                }
            }
            ("items", Json::Array(_)) | ("prefixItems", _) => self.widen(Width::Wider),
            ("items", items) => {
                let items = self.schema(items, depth + 1)?;
                set(out, key, items);
            }
            ("anyOf" | "oneOf", Json::Array(choices)) => {
                let kept = self.any_of(choices, depth, out)?;
                if key == "oneOf" && kept > 1 {
                    self.widen(Width::Wider);
                }
            }
            ("allOf", Json::Array(parts)) => {
                for part in parts {
                    if let Json::Object(members) = self.schema(part, depth + 1)? {
                        self.widen(merge(members, out));
                    }
                }
            }
            // These only name the schema, or were inlined.
            ("$schema" | "$id" | "$comment" | "$defs" | "definitions" | "$ref" | "$anchor", _) => {}
            (key, value) if PLAIN.contains(&key) => set(out, key, value.clone()),
            _ => self.widen(Width::Wider),
        }
        Ok(())
    }

    fn widen(&mut self, width: Width) {
        self.width = self.width.max(width);
    }

    /// Rewrites a list of types: `null` becomes `nullable`, a single other type is written as the
    /// type, and several become `anyOf`.
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
                self.choices(others.iter().map(choice).collect(), out);
            }
        }
    }

    /// Rewrites choices: `null` becomes `nullable`, and a single other choice is merged into the
    /// schema. Returns how many others there are.
    fn any_of(
        &mut self,
        choices: &[Json],
        depth: usize,
        out: &mut Members,
    ) -> Result<usize, SchemaError> {
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
        let count = kept.len();
        match (count, kept.pop()) {
            (1, Some(Json::Object(members))) => self.widen(merge(members, out)),
            (_, Some(last)) => {
                kept.push(last);
                self.choices(kept, out);
            }
            _ => {}
        }
        Ok(count)
    }

    /// Sets a schema's choices. It can have only one list, so when another keyword has set one,
    /// that list is lost and the schema is wider.
    fn choices(&mut self, choices: Vec<Json>, out: &mut Members) {
        if out.iter().any(|(key, _)| key == "anyOf") {
            self.widen(Width::Wider);
        }
        set(out, "anyOf", Json::Array(choices));
    }
}

#[cfg(test)]
mod tests;
