//! Rewriting serde's messages for users who do not know Rust.
//!
//! ```text
//! invalid type: map, expected a string     →  expected a string, found an object
//! missing field `name`                     →  missing key `name`
//! unknown field `skils`, expected `skills` →  unknown key `skils`: did you mean `skills`?
//! ```

use crate::nearest;

const MAX_VALUE_CHARS: usize = 100;

/// A message may list every key.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// How serde's messages begin. Anything in front of this is the value's path.
#[cfg(any(test, feature = "yaml"))]
const BEGINNINGS: [&str; 6] = [
    "invalid type: ",
    "invalid value: ",
    "missing field ",
    "duplicate field ",
    "unknown field ",
    "unknown variant ",
];

/// What JSON calls a set of names and values.
pub(crate) const JSON: &str = "an object";
/// What YAML calls it.
#[cfg(any(test, feature = "yaml"))]
pub(crate) const YAML: &str = "a mapping";

/// Puts a message that may begin with a value's path into plain words.
///
/// Other messages are returned unchanged.
#[cfg(any(test, feature = "yaml"))]
pub(crate) fn plain_with_path(message: &str, object: &str) -> String {
    let begins = |message: &str| BEGINNINGS.iter().any(|it| message.starts_with(it));
    if begins(message) {
        return plain(message, &[], object);
    }
    match message.split_once(": ") {
        Some((path, rest)) if begins(rest) => format!("{path}: {}", plain(rest, &[], object)),
        _ => message.to_owned(),
    }
}

/// Puts a message into plain words. `choices` are the allowed values, and `object` is what the
/// format calls a set of names and values.
///
/// A message that is not one of serde's is only shortened.
pub(crate) fn plain(message: &str, choices: &[&str], object: &str) -> String {
    let of_type = message.strip_prefix("invalid type: ");
    if let Some(found) = of_type.or_else(|| message.strip_prefix("invalid value: "))
        && let Some((found, expected)) = found.rsplit_once(", expected ")
    {
        let choices = of_type.and_then(|_| one_of(choices));
        let expected = choices.unwrap_or_else(|| shape(expected, object).to_owned());
        return format!("expected {expected}, found {}", value(found, object));
    }
    if message == "expected value"
        && let Some(choices) = one_of(choices)
    {
        return format!("expected {choices}");
    }
    for (rust, plain) in [
        ("missing field ", "missing key "),
        ("duplicate field ", "twice the key "),
        ("unknown field ", "unknown key "),
        ("unknown variant ", "unknown value "),
    ] {
        if let Some(rest) = message.strip_prefix(rust) {
            let rest = rest.replace("there are no fields", "there are no keys");
            let rest = with_nearest(&rest).unwrap_or(rest);
            return aside_text::shortened(&format!("{plain}{rest}"), MAX_MESSAGE_CHARS)
                .into_owned();
        }
    }
    aside_text::shortened(message, MAX_MESSAGE_CHARS).into_owned()
}

/// Replaces a list of known words by the nearest one: "`skils`, expected one of `agents`, `skills`"
/// becomes "`skils`: did you mean `skills`?".
fn with_nearest(message: &str) -> Option<String> {
    let (found, known) = message.split_once(", expected ")?;
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    let meant = nearest(found.trim_matches('`'), &known)?;
    Some(format!("{found}: did you mean `{meant}`?"))
}

fn one_of(choices: &[&str]) -> Option<String> {
    let choices: Vec<_> = choices.iter().map(|it| format!("`{it}`")).collect();
    (!choices.is_empty()).then(|| format!("one of {}", choices.join(", ")))
}

fn shape<'a>(expected: &'a str, object: &'a str) -> &'a str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => object,
        "unit" | "any value" => "null",
        _ if expected.starts_with("a tuple") => "a list",
        _ => {
            let kinds = ["struct ", "internally tagged enum ", "adjacently tagged enum "];
            let is_object = kinds.iter().any(|kind| expected.starts_with(kind));
            if is_object { object } else { expected }
        }
    }
}

fn value(found: &str, object: &str) -> String {
    let found = match found {
        "sequence" => "a list",
        "map" => object,
        "unit value" => "null",
        _ => found,
    };
    // `kind `, then the value in either sort of quotes.
    let number = ["integer `", "floating point `", "boolean `"]
        .iter()
        .find_map(|kind| found.strip_prefix(kind)?.strip_suffix('`'));
    let text = found.strip_prefix("string ");
    let found = number.or(text).unwrap_or(found);
    shortened(found)
}

/// Shortens a value or a key.
pub(crate) fn shortened(text: &str) -> String {
    aside_text::shortened(text, MAX_VALUE_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{JSON, YAML, plain, plain_with_path};

    #[test]
    fn a_misspelled_word_has_the_nearest_known_one() {
        let check = |message: &str, expected: &str| {
            assert_eq!(plain(message, &[], JSON), expected);
        };
        check(
            "unknown field `skils`, expected one of `agents`, `skills`",
            "unknown key `skils`: did you mean `skills`?",
        );
        check(
            "unknown variant `usr`, expected `user` or `assistant`",
            "unknown value `usr`: did you mean `user`?",
        );
        check(
            "unknown field `turn`, expected `turns`",
            "unknown key `turn`: did you mean `turns`?",
        );
        check("unknown field `color`, expected `turns`", "unknown key `color`, expected `turns`");
        check("unknown field `a`, there are no fields", "unknown key `a`, there are no keys");
    }

    #[test]
    fn a_path_stays_before_the_message() {
        let check = |message: &str, expected: &str| {
            assert_eq!(plain_with_path(message, YAML), expected);
        };
        check(
            "turns[0]: unknown variant `usr`, expected `user` or `tools`",
            "turns[0]: unknown value `usr`: did you mean `user`?",
        );
        check("n: invalid type: map, expected a string", "n: expected a string, found a mapping");
        check("mapping values are not allowed", "mapping values are not allowed");
        check("a: b: c", "a: b: c");
    }
}
