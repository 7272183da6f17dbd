//! Limits for strict schemas, and for an output's schema.
//!
//! ```json
//! {"name": "now", "strict": true, "input_schema": {
//!   "type": "object", "properties": {"zone": {"type": "string"}},
//!   "required": ["zone"], "additionalProperties": false}}
//! ```
//!
//! - `strict-object`: an object without `"additionalProperties":false`, at any
//!   depth.
//! - `strict-limit`: 21 strict tools, 25 parameters that are not in `required`,
//!   or 17 union types, summed over the request. Refusal: `Schema is too
//!   complex for compilation` and similar texts.
//!
//! - `output-schema`: in `output_config.format`, an open object, `minimum`,
//!   `maximum` or recursion.
//!
//! Source: the documentation on tool use and structured outputs. `minLength`,
//! `maxLength`, `pattern` and `format` were accepted (observed, September
//! 2026), so no rule reports them.

use super::view::View;
use crate::checker::Checker;
use crate::of::schema::{SchemaUse, is_open_object, required, subschemas};
use crate::table::{STRICT_LIMIT, STRICT_OBJECT};
use aside_json::{Kind as Type, Value};

/// The documented limit for tools with `"strict":true`.
const MAX_TOOLS: usize = 20;
/// The documented limit for parameters that are not required, over all strict
/// tools.
const MAX_OPTIONAL: usize = 24;
/// The documented limit for parameters with several types, over all strict
/// tools.
const MAX_UNIONS: usize = 16;

/// What has limits, summed over all strict schemas in a request.
#[derive(Default)]
struct Count {
    /// Properties that are not in their object's `required`.
    optional: usize,
    /// Lists under `type`, `anyOf` and `oneOf`. `allOf` is none.
    unions: usize,
}

/// A tool without `"strict":true` does not count.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let format = view.output_config("format");
    if let Some(schema) = format.and_then(|it| it.given("schema")) {
        checker.schema(SchemaUse::MessagesOutput, schema);
    }
    let mut count = Count::default();
    let mut tools = 0;
    for tool in &view.tools {
        if !tool.get("strict").is_some_and(Value::is_true) {
            continue;
        }
        tools += 1;
        if let Some(schema) = tool.given("input_schema") {
            schema_of(checker, schema, &mut count);
        }
    }
    // Whether tools that messages define count is not documented.
    for (_, tool) in view.definitions() {
        let is_strict = tool.get("strict").is_some_and(Value::is_true);
        if let Some(schema) = tool.given("input_schema").filter(|_| is_strict) {
            schema_of(checker, schema, &mut Count::default());
        }
    }
    let limits = [
        (tools, MAX_TOOLS, "strict tools"),
        (count.optional, MAX_OPTIONAL, "optional parameters in strict schemas"),
        (count.unions, MAX_UNIONS, "union types in strict schemas"),
    ];
    for (found, limit, what) in limits {
        if found > limit {
            let expected = format!("at most {limit}");
            checker.add_expecting(&STRICT_LIMIT, "tools", format!("{found} {what}"), expected);
        }
    }
}

/// Looks at a schema and those inside it. A `$ref`'s target is counted once,
/// under `$defs`.
fn schema_of(checker: &mut Checker, schema: Value<'_>, count: &mut Count) {
    for schema in subschemas(schema) {
        if is_open_object(schema) {
            let found = "an object that takes other keys";
            checker.add(&STRICT_OBJECT, schema.path(), found);
        }
        let required = required(schema);
        for (name, _) in schema.given("properties").into_iter().flat_map(Value::members) {
            count.optional += usize::from(!required.contains(&name));
        }
        let is_union = schema.given("type").is_some_and(|it| it.kind() == Type::Array);
        count.unions += usize::from(is_union);
        let unions = ["anyOf", "oneOf"].into_iter();
        count.unions += unions.filter(|key| schema.given(key).is_some()).count();
    }
}
