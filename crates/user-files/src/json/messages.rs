//! serde's messages, rewritten for users who do not know Rust.

/// The longest value that is shown, in characters.
const MAX_VALUE_CHARS: usize = 100;

/// The longest message, in characters: it may list every key.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// Returns the message in plain words. `choices` are the allowed values.
pub(super) fn plain(message: &str, choices: &[&str]) -> String {
    if let Some(found) = message.strip_prefix("invalid type: ")
        && let Some((found, expected)) = found.rsplit_once(", expected ")
    {
        let expected = one_of(choices).unwrap_or_else(|| shape(expected).to_owned());
        return format!("expected {expected}, found {}", value(found));
    }
    if let Some(found) = message.strip_prefix("invalid value: ")
        && let Some((found, expected)) = found.rsplit_once(", expected ")
    {
        return format!("expected {}, found {}", shape(expected), value(found));
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
            return shortened_to(&format!("{plain}{rest}"), MAX_MESSAGE_CHARS);
        }
    }
    shortened_to(message, MAX_MESSAGE_CHARS)
}

fn one_of(choices: &[&str]) -> Option<String> {
    let choices: Vec<_> = choices.iter().map(|it| format!("`{it}`")).collect();
    (!choices.is_empty()).then(|| format!("one of {}", choices.join(", ")))
}

/// Returns the expected type.
fn shape(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" | "any value" => "null",
        _ => {
            let kinds = [
                "struct ",
                "internally tagged enum ",
                "adjacently tagged enum ",
            ];
            match kinds.iter().any(|kind| expected.starts_with(kind)) {
                true => "an object",
                false if expected.starts_with("a tuple") => "a list",
                false => expected,
            }
        }
    }
}

/// Returns the value that serde found.
fn value(found: &str) -> String {
    let found = match found {
        "sequence" => "a list",
        "map" => "an object",
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

/// Returns the beginning of a value or of a key.
pub(super) fn shortened(text: &str) -> String {
    shortened_to(text, MAX_VALUE_CHARS)
}

fn shortened_to(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
