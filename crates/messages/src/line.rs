use std::borrow::Cow;
use std::fmt::Write as _;

/// The text on one line: what would end the line, steer a terminal or reorder
/// what is shown is written as an escape, so that a file called `x\n\nHuman:`
/// cannot pass for structure of ours.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // Writing to a string cannot fail.
            c if is_hidden(c) => {
                let _ = write!(shown, "{}", c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// A description on one line: white space of any kind becomes one space.
#[must_use]
pub fn folded(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(one_line).collect();
    words.join(" ")
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // line and paragraph separator
            '\u{2028}' | '\u{2029}'
            // marks, embeddings, overrides and isolates of direction
            | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_line() {
        assert_eq!(
            one_line("a\n\r\t\u{1b}\u{2028}\u{202e}b"),
            "a\\n\\r\\t\\u{1b}\\u{2028}\\u{202e}b"
        );
        assert!(matches!(one_line("plain é"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_description_is_folded() {
        assert_eq!(folded("  one\n\ttwo \u{7} "), "one two \\u{7}");
        assert_eq!(folded("  one\n\ttwo \u{1b}[31m "), "one two \\u{1b}[31m");
    }
}
