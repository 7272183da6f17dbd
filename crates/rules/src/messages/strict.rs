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
//!   complex for compilation` and similar texts. The finding is at the first
//!   tool that is over the limit.
//!
//! - `output-schema`: in `output_config.format`, an open object, `minimum`,
//!   `maximum` or recursion.
//!
//! Source: the documentation on tool use and structured outputs. `minLength`,
//! `maxLength`, `pattern` and `format` were accepted (observed, September
//! 2026), so no rule reports them.

use aside_json::Value;

use super::view::View;
use crate::checker::Checker;
use crate::of::schema::{SchemaUse, is_open_object, subschemas};
use crate::of::strict::StrictSum;
use crate::table::{STRICT_LIMIT, STRICT_OBJECT};

/// A tool without `"strict":true` does not count.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let format = view.output_config("format");
    if let Some(schema) = format.and_then(|it| it.given("schema")) {
        checker.schema(SchemaUse::MessagesOutput, schema);
    }
    let is_strict = |tool: &Value<'_>| tool.get("strict").is_some_and(Value::is_true);
    let mut sum = StrictSum::default();
    // The first tool that is over each limit.
    let mut first = [None; 3];
    for (index, tool) in view.tools.iter().enumerate().filter(|(_, tool)| is_strict(tool)) {
        let schema = tool.given("input_schema");
        sum = sum.plus(schema);
        for (first, _) in first.iter_mut().zip(sum.over_limits()).filter(|(_, it)| it.is_some()) {
            first.get_or_insert(index);
        }
        schema.into_iter().for_each(|it| closed_objects(checker, it));
    }
    // Whether tools that messages define count is not documented.
    for (_, tool) in view.definitions().filter(|(_, tool)| is_strict(tool)) {
        tool.given("input_schema").into_iter().for_each(|it| closed_objects(checker, it));
    }
    for (first, over) in first.into_iter().zip(sum.over_limits()) {
        if let (Some(index), Some((found, expected))) = (first, over) {
            let path = format!("tools[{index}].strict");
            checker.add_expecting(&STRICT_LIMIT, path, found, expected);
        }
    }
}

/// Looks at a schema and those inside it.
fn closed_objects(checker: &mut Checker, schema: Value<'_>) {
    for schema in subschemas(schema).filter(|it| is_open_object(*it)) {
        checker.add(&STRICT_OBJECT, schema.path(), "an object that takes other keys");
    }
}
