//! Limits of strict schemas.
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
//! Source: the documentation of tool use. `minLength`, `maxLength`, `pattern`
//! and `format` were accepted (observed, September 2026), so no rule reports
//! them.

use super::view::View;
use crate::checker::Checker;
use crate::table::{STRICT_LIMIT, STRICT_OBJECT};
use aside_json::{Kind as Type, Value};

/// The documented limit of tools with `"strict":true`.
const MAX_TOOLS: usize = 20;
/// The documented limit of parameters that are not required, over all strict
/// tools.
const MAX_OPTIONAL: usize = 24;
/// The documented limit of parameters with several types, over all strict
/// tools.
const MAX_UNIONS: usize = 16;

/// The sums over all strict schemas of a request that have limits.
#[derive(Default)]
struct Count {
    /// Properties that are not in `required` of their object.
    optional: usize,
    /// Lists under `type`, `anyOf` and `oneOf`. `allOf` is none.
    unions: usize,
}

/// A tool without `"strict":true` does not count.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let mut count = Count::default();
    let mut tools = 0;
    for (index, tool) in view.tools.iter().enumerate() {
        if !tool.get("strict").is_some_and(Value::is_true) {
            continue;
        }
        tools += 1;
        if let Some(schema) = tool.given("input_schema") {
            let path = format!("tools[{index}].input_schema");
            schema_of(checker, schema, path, &mut count);
        }
    }
    let limits = [
        (tools, MAX_TOOLS, "strict tools"),
        (
            count.optional,
            MAX_OPTIONAL,
            "optional parameters in strict schemas",
        ),
        (count.unions, MAX_UNIONS, "union types in strict schemas"),
    ];
    for (found, limit, what) in limits {
        if found > limit {
            let expected = format!("at most {limit}");
            checker.add_expecting(&STRICT_LIMIT, "tools", format!("{found} {what}"), expected);
        }
    }
}

/// Looks at a schema and those in it, without recursion.
///
/// Follows `properties`, `items`, `anyOf`, `allOf`, `oneOf`, `$defs` and
/// `definitions`. A `$ref` is not followed: its target is under `$defs`, and is
/// counted once.
fn schema_of(checker: &mut Checker, schema: Value<'_>, path: String, count: &mut Count) {
    let mut open = vec![(schema, path)];
    while let Some((schema, path)) = open.pop() {
        if schema.kind() != Type::Object {
            continue;
        }
        let properties = schema.given("properties");
        let is_object = schema.text_of("type").as_deref() == Some("object");
        if is_object && schema.get("additionalProperties").map(Value::raw) != Some("false") {
            checker.add(
                &STRICT_OBJECT,
                path.clone(),
                "an object that takes other keys",
            );
        }
        let required: Vec<_> = schema
            .given("required")
            .into_iter()
            .flat_map(Value::items)
            .filter_map(Value::text)
            .collect();
        for (name, property) in properties.into_iter().flat_map(Value::members) {
            count.optional += usize::from(!required.contains(&name));
            open.push((property, format!("{path}.properties.{name}")));
        }
        let is_union = schema
            .given("type")
            .is_some_and(|it| it.kind() == Type::Array);
        count.unions += usize::from(is_union);
        for key in ["anyOf", "allOf", "oneOf"] {
            let Some(all) = schema.given(key) else {
                continue;
            };
            count.unions += usize::from(key != "allOf");
            for (index, one) in all.items().enumerate() {
                open.push((one, format!("{path}.{key}[{index}]")));
            }
        }
        for key in ["$defs", "definitions"] {
            for (name, one) in schema.given(key).into_iter().flat_map(Value::members) {
                open.push((one, format!("{path}.{key}.{name}")));
            }
        }
        if let Some(items) = schema.given("items") {
            open.push((items, format!("{path}.items")));
        }
    }
}
