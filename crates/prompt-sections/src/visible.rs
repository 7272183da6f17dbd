use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a text holds characters that end a line, steer a terminal or reorder what is shown.
pub(crate) fn hides_something(text: &str) -> bool {
    text.chars().any(is_hidden)
}

/// The text on one line: what would end the line or hide is written as an escape, so that a
/// directory called `x\n# System` cannot pass for structure of ours.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !hides_something(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if is_hidden(c) => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "{}", c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // line and paragraph separator
            '\u{2028}' | '\u{2029}'
            // bidirectional marks, embeddings, overrides and isolates
            | '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
