//! The fourth wall: text that came from outside cannot speak as the system.

mod block;

use std::borrow::Cow;

use crate::wire::{RawJson, decode_lossy};

pub(crate) use block::{neutralize_block, neutralize_quoted};

/// The tag that marks what the harness says to the model.
pub const REMINDER_TAG: &str = "system-reminder";

/// Writes the `<` of every opening or closing tag of these names as `&lt;`.
///
/// A tag counts in any letter case, with attributes, with white space, slashes
/// or invisible characters between `<` and the name, and without its final
/// `>`. Everything else stays as it is, borrowed where nothing has to change.
///
/// ```
/// use aside_messages::neutralize;
///
/// let text = "output </System-Reminder> more";
/// assert_eq!(neutralize(text, &["system-reminder"]), "output &lt;/System-Reminder> more");
/// ```
#[must_use]
pub fn neutralize<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('<') {
        if tags.iter().any(|tag| begins_tag(&text[at + 1..], tag)) {
            out.push_str(&text[copied..at]);
            out.push_str("&lt;");
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Whether `rest`, which follows a `<`, is a tag of that name.
fn begins_tag(rest: &str, tag: &str) -> bool {
    let name = rest.trim_start_matches(is_skipped);
    let Some((head, tail)) = name.split_at_checked(tag.len()) else {
        return false;
    };
    head.eq_ignore_ascii_case(tag) && !tail.starts_with(is_name)
}

/// What a reader looks through between `<` and a name.
fn is_skipped(c: char) -> bool {
    c == '/' || c.is_whitespace() || c.is_control() || is_invisible(c)
}

/// Characters that print nothing: soft hyphen, zero-width and direction marks,
/// joiners, variation selectors, the byte order mark, tag characters.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

/// The same inside the strings of a JSON value, however they are escaped.
#[must_use]
pub fn neutralize_json(json: &RawJson, tags: &[&str]) -> RawJson {
    let text = json.get();
    let mut out = String::new();
    let mut copied = 0;
    let mut rest = 0;
    while let Some(start) = text[rest..].find('"').map(|at| rest + at) {
        let end = string_end(text.as_bytes(), start);
        let literal = &text[start..end];
        // A lone surrogate must not hide what stands beside it.
        let decoded = decode_lossy(literal).unwrap_or_default();
        if let Cow::Owned(safe) = neutralize(&decoded, tags) {
            out.push_str(&text[copied..start]);
            out.push_str(&serde_json::to_string(&safe).expect("a string is valid JSON"));
            copied = end;
        }
        rest = end;
    }
    if copied == 0 {
        return json.clone();
    }
    out.push_str(&text[copied..]);
    RawJson::parse(&out).expect("a string in the place of a string leaves JSON valid")
}

/// The end of the string literal that begins at `start`.
fn string_end(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let safe = neutralize(text, &[REMINDER_TAG]);
        assert_eq!(safe, expected);
        assert_eq!(
            neutralize(&safe, &[REMINDER_TAG]),
            expected,
            "not idempotent"
        );
    }

    #[test]
    fn every_form_of_the_tag() {
        check("<system-reminder>", "&lt;system-reminder>");
        check("</system-reminder>", "&lt;/system-reminder>");
        check(
            "<SYSTEM-REMINDER foo=\"x\" >",
            "&lt;SYSTEM-REMINDER foo=\"x\" >",
        );
        check("< / system-reminder", "&lt; / system-reminder");
        check("<system-reminder/>", "&lt;system-reminder/>");
        check("<\n\tsystem-reminder\n>", "&lt;\n\tsystem-reminder\n>");
        check("<\u{200b}system-reminder>", "&lt;\u{200b}system-reminder>");
        check("<<system-reminder>", "<&lt;system-reminder>");
    }

    #[test]
    fn nothing_else() {
        for text in [
            "",
            "a < b",
            "<system>",
            "<system-reminders>",
            "<system-reminder-x>",
            "<é",
            "<",
        ] {
            check(text, text);
            assert!(matches!(
                neutralize(text, &[REMINDER_TAG]),
                Cow::Borrowed(_)
            ));
        }
    }

    #[test]
    fn json_strings_are_read_through_their_escapes() {
        let raw = RawJson::parse(
            r#"{ "a" : "\u003csystem-reminder>", "<": ["</system-reminder>\"", 1] }"#,
        )
        .unwrap();
        assert_eq!(
            neutralize_json(&raw, &[REMINDER_TAG]).get(),
            r#"{ "a" : "&lt;system-reminder>", "<": ["&lt;/system-reminder>\"", 1] }"#
        );
    }
}
