//! Making multi-line text and JSON safe for a terminal.

use std::borrow::Cow;

use crate::one_line::{escaped, is_hidden, push_escape};

/// Returns multi-line text for a terminal: line feeds and tabs stay, every other hidden character
/// is written as [`one_line`](crate::one_line()) writes it. The result is borrowed when nothing has to change.
///
/// ```
/// assert_eq!(aside_text::terminal_lines("a\r\n\tb\x1b[2J"), "a\\r\n\tb\\u{1b}[2J");
/// ```
#[must_use]
pub fn terminal_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !matches!(c, '\n' | '\t') && is_hidden(c), push_escape)
}

/// Returns JSON for a terminal: hidden characters in strings become JSON escapes (`\u202e`), so
/// that it stays the same JSON value. The result is borrowed when nothing has to change.
///
/// ```
/// assert_eq!(aside_text::terminal_json("{\"name\":\"\u{202e}é\"}"), r#"{"name":"\u202eé"}"#);
/// ```
#[must_use]
pub fn terminal_json(json: &str) -> Cow<'_, str> {
    // Another ASCII control character is white space between values: within a string, JSON has it
    // escaped.
    let is_hidden = |c: char| (!c.is_ascii_control() || c == '\u{7f}') && is_hidden(c);
    escaped(json, is_hidden, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines() {
        let check = |text, expected| assert_eq!(terminal_lines(text), expected);
        check("a\r\n\tb\x07\n", "a\\r\n\tb\\u{7}\n");
        check("one\n\n\ttwo\n", "one\n\n\ttwo\n");
        check("", "");
        assert!(matches!(terminal_lines("a\n\té\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_the_same_value() {
        let check = |json, expected| assert_eq!(terminal_json(json), expected);
        check("{\n\t\"\u{9b}\u{7f}é\"\r\n}", "{\n\t\"\\u009b\\u007fé\"\r\n}");
        check("\"\u{e0041}\u{feff}\"", r#""\udb40\udc41\ufeff""#);
        assert!(matches!(terminal_json(r#"{"a":"é"}"#), Cow::Borrowed(_)));
    }
}
