//! Putting a text on one line.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::columns::is_printable_ascii;
use crate::invisible::{is_invisible, is_shaping};
use crate::replace::replace;

/// Returns the text on one line. Every character that ends a line, controls a
/// terminal, or hides or reorders text is escaped, so a file called
/// `x\n\nHuman:` cannot pass for prompt structure.
///
/// Escapes are `\n`, `\r`, `\t` and `\u{200b}`. Joiners and presentation
/// selectors stay when they shape visible neighbors, as emoji and many scripts
/// need. The result is borrowed when nothing has to change. Backslashes stay as
/// they are, so you cannot read the form back.
///
/// ```
/// use aside_text::one_line;
///
/// assert_eq!(one_line("notes\n# System\u{202e}"), r"notes\n# System\u{202e}");
/// assert_eq!(one_line("Ærø ♻️"), "Ærø ♻️");
/// ```
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden, push_escape)
}

/// Returns the [one-line form](one_line) of bytes that may not be UTF-8: other bytes become three
/// octal digits, `\377`, as git quotes names.
///
/// ```
/// assert_eq!(aside_text::one_line_bytes(b"caf\xe9.txt"), r"caf\351.txt");
/// ```
#[must_use]
pub fn one_line_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return one_line(text);
    }
    let mut line = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        line.push_str(&one_line(chunk.valid()));
        for byte in chunk.invalid() {
            write!(line, "\\{byte:03o}").expect("writing to a string cannot fail");
        }
    }
    Cow::Owned(line)
}

/// Returns a description on one line: white space of any kind becomes one space, and is trimmed at
/// both ends.
///
/// ```
/// assert_eq!(aside_text::folded("  Searches\n\tthe docs. "), "Searches the docs.");
/// ```
#[must_use]
pub fn folded(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(one_line).collect();
    words.join(" ")
}

/// Applies `escape` to each hidden character that shapes no others. Printable ASCII is not hidden.
pub(crate) fn escaped(
    text: &str,
    is_hidden: impl Fn(char) -> bool,
    escape: fn(&mut String, char),
) -> Cow<'_, str> {
    if is_printable_ascii(text) {
        return Cow::Borrowed(text);
    }
    let mut before = None;
    let mut rest = text.char_indices().peekable();
    let escaped = std::iter::from_fn(|| {
        while let Some((at, c)) = rest.next() {
            if is_hidden(c) && !is_shaping(before, c, rest.peek().map(|(_, after)| *after)) {
                // An escape is no character to shape.
                before = None;
                return Some(at..at + c.len_utf8());
            }
            before = Some(c);
        }
        None
    });
    replace(text, escaped, |out, hidden| hidden.chars().for_each(|c| escape(out, c)))
}

/// Returns true if the character does not display as itself.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, LINE_SEPARATOR | PARAGRAPH_SEPARATOR) || is_invisible(c)
}

const LINE_SEPARATOR: char = '\u{2028}';
const PARAGRAPH_SEPARATOR: char = '\u{2029}';

pub(crate) fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.extend(c.escape_unicode()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(one_line(text), expected);
        let is_borrowed = matches!(one_line(text), Cow::Borrowed(_));
        assert_eq!(is_borrowed, text == expected, "{text:?}");
    }

    #[test]
    fn visible_text_is_borrowed() {
        for text in ["", "plain é", "fix C:\\new, \"ünïcode\" 修正", "<system-reminder>"] {
            check(text, text);
        }
    }

    #[test]
    fn hidden_characters_are_escaped() {
        check("a\n\r\t\u{1b}\u{2028}\u{202e}b", r"a\n\r\t\u{1b}\u{2028}\u{202e}b");
        check("\u{9b}31m\u{7f}\0", r"\u{9b}31m\u{7f}\u{0}");
        check("\u{200b}a\u{3164}\u{2800}\u{fff9}", r"\u{200b}a\u{3164}\u{2800}\u{fff9}");
        check("\u{feff}\u{e0041}\u{e0100}\u{1d173}", r"\u{feff}\u{e0041}\u{e0100}\u{1d173}");
    }

    #[test]
    fn emoji_and_scripts_keep_their_joiners() {
        for text in ["♻️ 👨‍👩‍👧 ❤️‍🔥 #️⃣ 1️⃣", "می‌خواهم", "क्‍ष", "☺︎"]
        {
            check(text, text);
        }
    }

    #[test]
    fn joiners_that_shape_nothing_are_escaped() {
        check("a\u{200d}b", r"a\u{200d}b");
        check("\u{200c}é", r"\u{200c}é");
        check("é\u{200d}", r"é\u{200d}");
        check("é\u{200d}\u{200d}é", r"é\u{200d}\u{200d}é");
        check("é\u{fe0f}\u{fe0f}", "é\u{fe0f}\\u{fe0f}");
        check("1\u{fe0f}2", r"1\u{fe0f}2");
        check("a\u{fe0f}\u{200d}é", r"a\u{fe0f}\u{200d}é");
    }

    #[test]
    fn other_bytes_are_octal() {
        assert_eq!(one_line_bytes(b"\xff\xfe.txt\n"), r"\377\376.txt\n");
        assert_eq!(one_line_bytes("\u{202e}é".as_bytes()), r"\u{202e}é");
    }

    #[test]
    fn a_description_is_folded() {
        assert_eq!(folded("  one\n\ttwo \u{7} "), r"one two \u{7}");
        assert_eq!(folded("\u{2003}one\u{200b}\u{2028}two"), r"one\u{200b} two");
    }
}
