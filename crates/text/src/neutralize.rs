//! Neutralizing: text from outside cannot open or close a tag that the harness
//! writes.

use std::borrow::Cow;
use std::str::Chars;

use crate::invisible::is_invisible;
use crate::replace::replace;

/// The tag around messages from the harness to the model.
pub const REMINDER_TAG: &str = "system-reminder";

/// Writes the `<` of every opening or closing tag with one of these names as `&lt;`.
///
/// The names are ASCII. A tag is recognized
/// - in any letter case, with attributes, without its final `>`;
/// - with white space, control characters, slashes, [invisible characters](crate::is_invisible) and
///   `\/`, as JSON escapes a slash, between `<` and the name;
/// - with control or invisible characters inside the name;
/// - with other characters in place of a hyphen: `_`, white space, U+2010 to U+2015, U+2212,
///   U+FE58, U+FE63, U+FF0D, or several in a row.
///
/// Everything else stays as it is. Lookalike letters (homoglyphs), lookalike brackets (U+FF1C,
/// U+2039) and entities (`&#60;`) are left alone: to a parser and to a tokenizer they are other
/// text.
///
/// The result is borrowed when nothing has to change, and neutralizing it again changes nothing.
/// Two neutralized texts may form a tag together, as `<system-` and `reminder>` do: to concatenate
/// them, use [`join`](crate::join()). Takes linear time.
///
/// ```
/// use aside_text::{REMINDER_TAG, neutralize};
///
/// let text = "output </System-Reminder> more";
/// assert_eq!(neutralize(text, &[REMINDER_TAG]), "output &lt;/System-Reminder> more");
/// ```
#[must_use]
pub fn neutralize<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    escaped(text, tag_starts(text, tags))
}

/// Returns the byte offset of each `<` that begins a tag with one of these names, in order.
pub(crate) fn tag_starts(text: &str, tags: &[&str]) -> impl Iterator<Item = usize> {
    let brackets = text.match_indices('<').map(|(at, _)| at);
    brackets.filter(|at| {
        let rest = before_name(&text[at + 1..]);
        tags.iter().any(|tag| is_named(rest, tag))
    })
}

pub(crate) fn escaped(text: &str, brackets: impl Iterator<Item = usize>) -> Cow<'_, str> {
    replace(text, brackets.map(|at| at..at + 1), |out, _| out.push_str("&lt;"))
}

fn before_name(rest: &str) -> &str {
    let is_skipped = |c: char| c == '/' || c.is_whitespace() || is_hidden(c);
    let mut rest = rest;
    loop {
        rest = rest.trim_start_matches(is_skipped);
        let unescaped = rest.trim_start_matches('\\');
        if unescaped.len() == rest.len() || !unescaped.starts_with('/') {
            return rest;
        }
        rest = unescaped;
    }
}

/// Returns true if the text begins with this tag name and no longer one.
///
/// It never looks beyond the next `<`, to keep all calls for one text linear.
fn is_named(text: &str, tag: &str) -> bool {
    let mut rest = text.chars();
    let mut is_start = true;
    for expected in tag.chars() {
        let is_next = match expected {
            '-' | '_' => skip_hyphens(&mut rest),
            _ if is_start => rest.next().is_some_and(|c| c.eq_ignore_ascii_case(&expected)),
            _ => next_shown(&mut rest).is_some_and(|c| c.eq_ignore_ascii_case(&expected)),
        };
        if !is_next {
            return false;
        }
        is_start = false;
    }
    let end = rest.as_str().trim_start_matches(is_hyphen);
    // The Hangul fillers are letters that print nothing.
    let continues_name = |c: char| c.is_alphanumeric() && !is_hidden(c);
    !tag.is_empty() && !end.starts_with(continues_name)
}

fn next_shown(rest: &mut Chars<'_>) -> Option<char> {
    rest.find(|c| !is_hidden(*c))
}

/// Skips everything that reads as a hyphen, and returns true if it found any.
fn skip_hyphens(rest: &mut Chars<'_>) -> bool {
    let is_gap = |c: char| is_hyphen(c) || c.is_whitespace();
    let text = rest.as_str().trim_start_matches(is_hidden);
    let after = text.trim_start_matches(|c| is_gap(c) || is_hidden(c));
    *rest = after.chars();
    text.starts_with(is_gap)
}

fn is_hyphen(c: char) -> bool {
    matches!(
        c,
        '-' | '_' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Control characters that are white space end a word; the others are not
/// printed.
fn is_hidden(c: char) -> bool {
    is_invisible(c) || (c.is_control() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the `<` of each tag is neutralized, and nothing else
    /// changes.
    fn is_tag(text: &str) {
        let safe = neutralize(text, &[REMINDER_TAG]);
        assert_eq!(safe, text.replacen('<', "&lt;", 1), "{text:?}");
        let again = neutralize(&safe, &[REMINDER_TAG]);
        assert!(matches!(again, Cow::Borrowed(_)), "not idempotent: {text:?}");
    }

    fn is_other(text: &str) {
        let safe = neutralize(text, &[REMINDER_TAG]);
        assert!(matches!(safe, Cow::Borrowed(_)), "{text:?} became {safe:?}");
    }

    #[test]
    fn every_form_of_a_tag() {
        for text in [
            "<system-reminder>",
            "</system-reminder>",
            "<SYSTEM-REMINDER foo=\"x\" >",
            "< / system-reminder",
            "<system-reminder/>",
            "<\n\tsystem-reminder\n>",
            "<system-reminder->",
            "<system-reminder\u{200b}x>",
            r"<\/system-reminder>",
            r"< \\\/ / system-reminder>",
        ] {
            is_tag(text);
        }
        let doubled = neutralize("<<system-reminder>", &[REMINDER_TAG]);
        assert_eq!(doubled, "<&lt;system-reminder>");
    }

    #[test]
    fn hidden_characters_hide_no_tag() {
        for hidden in ["\u{200b}", "\u{3164}", "\u{e0041}", "\u{fe0f}", "\0", "\u{7f}", "\u{9b}"] {
            is_tag(&format!("<{hidden}system-reminder>"));
            is_tag(&format!("</{hidden}{hidden}system-reminder>"));
            is_tag(&format!("<sys{hidden}tem-{hidden}reminde{hidden}r>"));
            is_tag(&format!("<system{hidden}-{hidden}{hidden}reminder>"));
            is_tag(&format!("<system-reminder{hidden}>"));
        }
    }

    #[test]
    fn every_form_of_the_hyphen() {
        for hyphen in "-_ \u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}\u{ff0d}\n\u{a0}".chars() {
            is_tag(&format!("<system{hyphen}reminder>"));
            is_tag(&format!("</system{hyphen}{hyphen}reminder>"));
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "",
            "<",
            "</",
            "<é",
            "a < b",
            "<system>",
            "<systemreminder>",
            "<system-reminders>",
            "<system-reminder-x>",
            "<system-reminder_2>",
            r"<\system-reminder>",
            "<sys tem-reminder>",
            "system-reminder>",
            // homoglyphs, other brackets, entities
            "<ѕystem-reminder>",
            "\u{ff1c}system-reminder>",
            "&#60;system-reminder>",
            "&lt;system-reminder>",
        ] {
            is_other(text);
        }
    }

    #[test]
    fn any_name_is_a_tag() {
        let check = |text, tags: &[&str], expected| assert_eq!(neutralize(text, tags), expected);
        check("<a><B x></b ><c>", &["a", "b"], "&lt;a>&lt;B x>&lt;/b ><c>");
        check("<cell_id>", &["cell-id"], "&lt;cell_id>");
        check("<cell-id>", &["cell_id"], "&lt;cell-id>");
        check("<a>", &[""], "<a>");
        check("<a>", &[], "<a>");
    }
}
