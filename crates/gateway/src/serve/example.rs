//! Small values that a JSON schema accepts.
//!
//! A schema comes with a request, so its depth and size are limited.

use std::cell::Cell;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Value, json};

/// Nested schemas deeper than this become null.
const MAX_DEPTH: usize = 16;

/// Values beyond this become null: a schema may refer to itself many times.
const MAX_VALUES: usize = 10_000;

/// How many schemas may hold for one value.
const MAX_PARTS: usize = 64;

/// How many characters to make for a `pattern` or a `minLength`.
const MAX_CHARS: usize = 4_096;

/// Returns a value that a schema accepts, by its common keywords.
pub(super) fn example(schema: &Value) -> Value {
    let left = Cell::new(MAX_VALUES);
    let examples = Examples { root: schema, left, nth: Cell::default() };
    examples.of(vec![schema], 0)
}

/// Makes values that a schema accepts.
struct Examples<'a> {
    /// The whole schema, to which `$ref` refers.
    root: &'a Value,
    /// How many values may still be made.
    left: Cell<usize>,
    /// The index of the item to make, if all items have to differ.
    nth: Cell<Option<usize>>,
}

impl<'a> Examples<'a> {
    /// Returns a minimal value that several schemas accept.
    ///
    /// The first keyword present decides: `const`, `default`, `enum`,
    /// `examples`, `type`. Objects get only their required keys, arrays
    /// `minItems` items, at most 64.
    fn of(&self, schemas: Vec<&'a Value>, depth: usize) -> Value {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Value::Null;
        };
        self.left.set(left);
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        let of = |schemas| self.of(schemas, depth + 1);
        let parts = self.parts(schemas);
        let nth = self.nth.get();
        let default = parts.get("default").filter(|_| nth.is_none());
        if let Some(value) = parts.get("const").or(default) {
            return value.clone();
        }
        for key in ["enum", "examples"] {
            let values = parts.get(key).and_then(Value::as_array).into_iter().flatten();
            let is_shared = |value: &&Value| {
                key != "enum"
                    || parts.all(key).all(|it| it.as_array().is_some_and(|it| it.contains(value)))
            };
            let values: Vec<_> = values.filter(is_shared).collect();
            if !values.is_empty() {
                return values[nth.unwrap_or(0) % values.len()].clone();
            }
        }
        match parts.kind() {
            Some("string") => json!(parts.text(nth.unwrap_or(0))),
            Some("integer") => json!(parts.number(Some(1.0), nth) as i64),
            Some("number") => json!(parts.number(None, nth)),
            Some("boolean") => json!(nth.is_some_and(|it| it % 2 == 1)),
            Some("array") => {
                let count = parts.greatest("minItems").unwrap_or(0.0).min(64.0) as usize;
                let prefix = parts.get("prefixItems");
                let item = |index| prefix.and_then(|it| it.get(index));
                let schemas = |index| match item(index) {
                    Some(item) => vec![item],
                    None => parts.all("items").collect(),
                };
                let is_unique = parts.all("uniqueItems").any(|it| *it == Value::Bool(true));
                let items = (0..count).map(|index| {
                    self.nth.set(if is_unique { Some(nth.unwrap_or(0) + index) } else { nth });
                    of(schemas(index))
                });
                let items: Vec<_> = items.collect();
                self.nth.set(nth);
                json!(items)
            }
            Some("null") => Value::Null,
            None if nth.is_some() && parts.get("required").is_none() => {
                json!(parts.number(Some(1.0), nth) as i64)
            }
            _ => {
                let required = parts.all("required").filter_map(Value::as_array).flatten();
                let names = required.filter_map(Value::as_str);
                let values = names.map(|name| (name.to_owned(), of(parts.of_property(name))));
                Value::Object(values.collect())
            }
        }
    }

    /// Adds the schemas that also hold: references, all of `allOf`, and the
    /// first of `anyOf` and of `oneOf`.
    fn parts(&self, schemas: Vec<&'a Value>) -> Parts<'a> {
        let mut parts = schemas;
        let mut index = 0;
        while let Some(part) = parts.get(index).copied() {
            let reference = part["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
            parts.extend(reference.and_then(|it| self.root.pointer(it)));
            parts.extend(part["allOf"].as_array().into_iter().flatten());
            parts.extend(["anyOf", "oneOf"].iter().filter_map(|key| part[*key].get(0)));
            parts.truncate(MAX_PARTS);
            index += 1;
        }
        Parts(parts)
    }
}

/// The schemas that hold for one value.
struct Parts<'a>(Vec<&'a Value>);

impl<'a> Parts<'a> {
    fn all(&self, key: &str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter_map(move |it| it.get(key))
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.all(key).next()
    }

    /// Returns the first type that all schemas allow, or else the first that one names.
    fn kind(&self) -> Option<&'a str> {
        fn kinds(of: &Value) -> impl Iterator<Item = &str> {
            of.as_array().into_iter().flatten().chain([of]).filter_map(Value::as_str)
        }
        let is_allowed = |kind: &&str| {
            let is_kind = |it| it == *kind || (it == "number" && *kind == "integer");
            self.all("type").all(|of| kinds(of).any(is_kind))
        };
        let mut all = self.all("type").flat_map(kinds);
        self.all("type").flat_map(kinds).find(is_allowed).or_else(|| all.next())
    }

    fn greatest(&self, key: &str) -> Option<f64> {
        self.all(key).filter_map(Value::as_f64).reduce(f64::max)
    }

    fn least(&self, key: &str) -> Option<f64> {
        self.all(key).filter_map(Value::as_f64).reduce(f64::min)
    }

    fn of_property(&self, name: &str) -> Vec<&'a Value> {
        let own: Vec<_> = self.all("properties").filter_map(|it| it.get(name)).collect();
        if own.is_empty() { self.get("additionalProperties").into_iter().collect() } else { own }
    }

    /// Returns a text by `pattern` or `format`, and by `minLength` and `maxLength`. Another `nth`
    /// gives another text, if the schema has so many.
    fn text(&self, nth: usize) -> String {
        let least = self.greatest("minLength").unwrap_or(0.0).min(MAX_CHARS as f64) as usize;
        let most = self.least("maxLength").unwrap_or(f64::MAX) as usize;
        let pattern = self.get("pattern").and_then(Value::as_str);
        let text = pattern.and_then(|it| matching(it, nth, least)).unwrap_or_else(|| {
            let (day, number) =
                (nth % 28 + 1, if nth == 0 { String::new() } else { nth.to_string() });
            match self.get("format").and_then(Value::as_str) {
                Some("date") => format!("2026-01-{day:02}"),
                Some("date-time") => format!("2026-01-{day:02}T00:00:00Z"),
                Some("email") => format!("a{number}@example.com"),
                Some("uri") => format!("https://example.com/{number}"),
                Some("uuid") => format!("00000000-0000-4000-8000-{nth:012}"),
                _ => format!("{number}text"),
            }
        });
        let text = format!("{text:x<least$}");
        text.chars().take(most).collect()
    }

    /// Returns a number between `minimum` or `exclusiveMinimum` and `maximum` or
    /// `exclusiveMaximum`, a multiple of `multipleOf` or of `unit`: 0 if it is one, else a bound or
    /// a number next to it. Each `nth` gives another one.
    fn number(&self, unit: Option<f64>, nth: Option<usize>) -> f64 {
        let (above, below) = (self.greatest("exclusiveMinimum"), self.least("exclusiveMaximum"));
        let least = self.greatest("minimum").into_iter().chain(above);
        let least = least.fold(f64::NEG_INFINITY, f64::max);
        let most = self.least("maximum").into_iter().chain(below).fold(f64::INFINITY, f64::min);
        let is_valid = |it: &f64| {
            let is_inside = (least..=most).contains(it);
            it.is_finite()
                && is_inside
                && above.is_none_or(|above| *it > above)
                && below.is_none_or(|below| *it < below)
        };
        let step = self.greatest("multipleOf").filter(|it| *it > 0.0).or(unit);
        let (low, high) = match step {
            Some(step) => ((least / step).ceil() * step, (most / step).floor() * step),
            None => (least, most),
        };
        let by = step.unwrap_or(1.0);
        let near = match nth {
            None => [0.0, low, low + by, high, high - by, f64::midpoint(low, high)],
            Some(_) => [low, low + by, high, high - by, 0.0, f64::midpoint(low, high)],
        };
        let first = near.into_iter().find(is_valid).unwrap_or(0.0);
        let more = nth.unwrap_or(0) as f64;
        let between = first + (most - first) * more / (more + 1.0);
        let other = if step.is_none() { between } else { first };
        let next = [first + more * by, first - more * by, other];
        next.into_iter().find(is_valid).unwrap_or(first)
    }
}

/// Returns a text that a pattern matches, with at least `least` characters if
/// its repetitions allow it, and another one for each `nth`. `None` if the
/// pattern is not read, such as one that looks ahead.
fn matching(pattern: &str, nth: usize, least: usize) -> Option<String> {
    let mut parser = ParserBuilder::new();
    let hir = parser.unicode(false).utf8(false).build().parse(pattern).ok()?;
    let mut found = None;
    for more in [nth, nth + 1, nth + 2, nth + least] {
        let (mut text, mut left) = (Vec::new(), MAX_CHARS);
        write(&hir, u32::try_from(more).ok()?, &mut text, &mut left)?;
        let text = String::from_utf8(text).ok()?;
        let is_long = text.len() >= least;
        found = Some(text);
        if is_long {
            break;
        }
    }
    found
}

/// Appends what an expression matches: repetitions as seldom as they may be and
/// `more` times. `None` if that takes too many steps.
fn write(hir: &Hir, more: u32, text: &mut Vec<u8>, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            *left = left.checked_sub(literal.0.len())?;
            text.extend_from_slice(&literal.0);
        }
        HirKind::Class(Class::Bytes(class)) => {
            let is_in = |byte: &u8| class.iter().any(|it| (it.start()..=it.end()).contains(byte));
            text.push(b"aA0".iter().copied().chain(b' '..=b'~').find(is_in)?);
        }
        HirKind::Class(Class::Unicode(_)) => return None,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for _ in 0..repetition.min.saturating_add(more).min(most) {
                write(&repetition.sub, more, text, left)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, more, text, left)?,
        HirKind::Concat(all) => {
            for hir in all {
                write(hir, more, text, left)?;
            }
        }
        HirKind::Alternation(all) => write(all.first()?, more, text, left)?,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, expected: &str) {
        let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
        assert_eq!(example(&schema).to_string(), expected, "{schema}");
    }

    #[test]
    fn an_input_has_the_required_keys() {
        check(
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}"#,
            r#"{"a":"text"}"#,
        );
        check(
            r##"{"required":["n","l","e","r"],"properties":{"n":{"type":"number","minimum":2},"l":{"type":"array","minItems":2,"items":{"type":"boolean"}},"e":{"enum":["x","y"]},"r":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":["string","null"],"minLength":6}}}"##,
            r#"{"e":"x","l":[false,false],"n":2.0,"r":"textxx"}"#,
        );
        check(r#"{"anyOf":[{"const":3},{"type":"null"}]}"#, "3");
        check(
            r#"{"required":["a"],"anyOf":[{"required":["b"]}],"additionalProperties":{"type":"null"}}"#,
            r#"{"a":null,"b":null}"#,
        );
    }

    #[test]
    fn an_input_keeps_to_all_schemas_of_a_value() {
        for (schema, expected) in [
            (r#"{"allOf":[{"type":"string"},{"minLength":6}]}"#, r#""textxx""#),
            (r#"{"type":"string","pattern":"^[A-Z]{3}-\\d{2,}(x|y)?$"}"#, r#""AAA-00""#),
            (r#"{"type":"string","pattern":"^[a-z]+$","minLength":5}"#, r#""aaaaaa""#),
            (r#"{"type":"string","pattern":"^(?!x)"}"#, r#""text""#),
            (r#"{"type":"string","pattern":"\\xC3\\xA9","maxLength":1}"#, r#""é""#),
            (r#"{"type":"string","pattern":"(abcdefgh){999}"}"#, r#""text""#),
            (r#"{"type":"string","pattern":"((a{999}){999}){999}"}"#, r#""text""#),
            (r#"{"type":"integer","multipleOf":5,"minimum":7}"#, "10"),
            (r#"{"type":"integer","exclusiveMaximum":0}"#, "-1"),
            (r#"{"type":"number","exclusiveMinimum":0,"maximum":1}"#, "1.0"),
            (r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#, "0.5"),
            (r#"{"type":"number","minimum":0.5,"exclusiveMaximum":0.6}"#, "0.5"),
            (r#"{"type":"number","exclusiveMinimum":3}"#, "4.0"),
            (r#"{"type":"number","exclusiveMinimum":0,"multipleOf":0.5}"#, "0.5"),
            (r#"{"type":"integer","maximum":-7,"multipleOf":5}"#, "-10"),
            (r#"{"allOf":[{"enum":["a","b","c"]},{"enum":["c","b"]}]}"#, r#""b""#),
            (r#"{"allOf":[{"type":["string","null"]},{"type":["null","array"]}]}"#, "null"),
            (r#"{"allOf":[{"type":"number"},{"type":"integer"}]}"#, "0"),
            (
                r#"{"type":"array","minItems":2,"prefixItems":[{"const":1}],"items":{"const":2}}"#,
                "[1,2]",
            ),
        ] {
            check(schema, expected);
        }
    }

    #[test]
    fn unique_items_differ() {
        for (items, expected) in [
            (r#"{"type":"integer"}"#, "[0,1,2]"),
            (r#"{"type":"integer","minimum":-1,"maximum":1}"#, "[-1,0,1]"),
            (r#"{"type":"integer","exclusiveMaximum":0}"#, "[-1,-2,-3]"),
            (
                r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#,
                "[0.5,0.75,0.8333333333333333]",
            ),
            (r#"{"type":"string"}"#, r#"["text","1text","2text"]"#),
            (r#"{"type":"string","maxLength":1}"#, r#"["t","1","2"]"#),
            (r#"{"type":"string","pattern":"^a+$"}"#, r#"["a","aa","aaa"]"#),
            (r#"{"type":"string","format":"date"}"#, r#"["2026-01-01","2026-01-02","2026-01-03"]"#),
            (r#"{"type":"integer","default":7}"#, "[0,1,2]"),
            (r#"{"enum":["a","b","c"]}"#, r#"["a","b","c"]"#),
            (
                r#"{"properties":{"a":{"type":"integer"},"b":{"enum":[true,false]}},"required":["a","b"]}"#,
                r#"[{"a":0,"b":true},{"a":1,"b":false},{"a":2,"b":true}]"#,
            ),
            // There is no third one.
            (r#"{"type":"integer","multipleOf":5,"minimum":5,"maximum":12}"#, "[5,10,5]"),
            ("{}", "[0,1,2]"),
        ] {
            let schema = r#"{"type":"array","uniqueItems":true,"minItems":3,"items":ITEMS}"#;
            check(&schema.replace("ITEMS", items), expected);
        }
    }

    #[test]
    fn a_recursive_schema_ends() {
        let schema = json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]});
        assert!(example(&schema).is_object());
        assert!(example(&json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]})).is_object());
    }
}
