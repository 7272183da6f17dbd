//! The limits for strict tools, summed over a request.

use aside_json::{Kind, Tape, Value};

use super::schema::{required, subschemas};

/// The documented limit for tools with `"strict":true`.
const MAX_TOOLS: usize = 20;
/// The documented limit for parameters that are not required, over all strict
/// tools.
const MAX_OPTIONAL: usize = 24;
/// The documented limit for parameters with several types, over all strict
/// tools.
const MAX_UNIONS: usize = 16;

/// What the Messages API limits in a request's strict tools (rule `strict-limit`).
///
/// ```
/// use aside_rules::of::strict::StrictSum;
///
/// let mut sum = StrictSum::default();
/// for _ in 0..20 {
///     sum = sum.plus_tool(Some(r#"{"type":"object"}"#));
/// }
/// assert_eq!(sum.over_limits(), [None, None, None]);
/// let [tools, ..] = sum.plus_tool(None).over_limits();
/// assert_eq!(tools, Some(("21 strict tools".into(), "at most 20".into())));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrictSum {
    tools: usize,
    /// Properties that are not in their object's `required`.
    optional: usize,
    /// Lists under `type`, `anyOf` and `oneOf`. `allOf` is none.
    unions: usize,
}

impl StrictSum {
    /// Returns the sum with another strict tool, whose schema is this JSON.
    #[must_use]
    pub fn plus_tool(self, schema: Option<&str>) -> Self {
        let tape = schema.and_then(|it| Tape::parse(it.as_bytes()).ok());
        self.plus(tape.as_ref().map(Tape::root))
    }

    /// A `$ref`'s target is counted once, under `$defs`.
    pub(crate) fn plus(mut self, schema: Option<Value<'_>>) -> Self {
        self.tools += 1;
        for schema in schema.into_iter().flat_map(subschemas) {
            let required = required(schema);
            for (name, _) in schema.given("properties").into_iter().flat_map(Value::members) {
                self.optional += usize::from(!required.contains(&name));
            }
            let is_union = schema.given("type").is_some_and(|it| it.kind() == Kind::Array);
            self.unions += usize::from(is_union);
            let unions = ["anyOf", "oneOf"].into_iter();
            self.unions += unions.filter(|key| schema.given(key).is_some()).count();
        }
        self
    }

    /// Returns what is over each limit, and the limit.
    #[must_use]
    pub fn over_limits(self) -> [Option<(String, String)>; 3] {
        [
            (self.tools, MAX_TOOLS, "strict tools"),
            (self.optional, MAX_OPTIONAL, "optional parameters in strict schemas"),
            (self.unions, MAX_UNIONS, "union types in strict schemas"),
        ]
        .map(|(found, limit, what)| {
            (found > limit).then(|| (format!("{found} {what}"), format!("at most {limit}")))
        })
    }
}
