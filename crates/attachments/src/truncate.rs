//! Truncating long text: always between two characters, always marked.

use std::borrow::Cow;

/// `None` if it has no more than that.
pub(crate) fn first_chars(text: &str, max: usize) -> Option<&str> {
    let (at, _) = text.char_indices().nth(max)?;
    Some(&text[..at])
}

/// Returns the longest prefix with at most `max` bytes.
pub(crate) fn first_bytes(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// Returns the text, or its first `max` characters and a mark that counts the
/// characters left out.
pub(crate) fn to_chars(text: &str, max: usize) -> Cow<'_, str> {
    match first_chars(text, max) {
        Some(kept) => Cow::Owned(marked(text, kept)),
        None => Cow::Borrowed(text),
    }
}

/// Adds to `kept`, a prefix of `text`, a mark that counts the characters left
/// out.
pub(crate) fn marked(text: &str, kept: &str) -> String {
    let more = text[kept.len()..].chars().count();
    format!("{kept}\n[… {}]", left_out(more, "character", "characters"))
}

/// Returns a mark's words: `1 more line is left out`, `3 more lines are left
/// out`.
pub(crate) fn left_out(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 more {one} is left out"),
        _ => format!("{count} more {many} are left out"),
    }
}

/// A prefix of a text, in whole lines unless the first one is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstLines<'a> {
    /// The prefix, without the line feed after it.
    pub(crate) kept: &'a str,
    /// How many lines `kept` has, a truncated one included.
    pub(crate) lines: usize,
    /// How many lines the text has.
    pub(crate) total: usize,
    /// How many bytes the last line of `kept` lacks.
    pub(crate) cut_within: usize,
}

impl FirstLines<'_> {
    pub(crate) fn is_cut(&self) -> bool {
        self.lines < self.total || self.cut_within > 0
    }
}

/// Returns as many of the first lines as both limits allow. Truncates a first
/// line that does not fit.
pub(crate) fn first_lines(text: &str, max_lines: usize, max_bytes: usize) -> FirstLines<'_> {
    let total = text.lines().count();
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (mut end, mut lines) = (0, 0);
    for line in text.split('\n').take(max_lines.min(total)) {
        let line_feed = usize::from(lines > 0);
        if end + line_feed + line.len() > max_bytes {
            break;
        }
        end += line_feed + line.len();
        lines += 1;
    }
    if lines == 0 && total > 0 {
        let first = text.split('\n').next().unwrap_or_default();
        let kept = first_bytes(first, max_bytes);
        return FirstLines { kept, lines: 1, total, cut_within: first.len() - kept.len() };
    }
    FirstLines { kept: &text[..end], lines, total, cut_within: 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn truncation_keeps_a_prefix(
            text in "[aé😀\n]{0,20}",
            lines in 1..6_usize,
            bytes in 4..12_usize,
        ) {
            let cut = first_lines(&text, lines, bytes);
            prop_assert!(text.starts_with(cut.kept));
            prop_assert!(cut.kept.len() <= bytes && cut.lines <= lines);
            let line_feeds = text.matches('\n').count();
            let is_open = !text.is_empty() && !text.ends_with('\n');
            prop_assert_eq!(cut.total, line_feeds + usize::from(is_open));
            if cut.total > 0 {
                prop_assert_eq!(cut.lines, cut.kept.split('\n').count());
            }
            let whole = text.strip_suffix('\n').unwrap_or(&text);
            prop_assert_eq!(cut.is_cut(), cut.kept != whole);
            if let Some(kept) = first_chars(&text, bytes) {
                prop_assert!(text.starts_with(kept));
                prop_assert_eq!(kept.chars().count(), bytes);
            } else {
                prop_assert!(text.chars().count() <= bytes);
            }
        }
    }

    #[test]
    fn characters_are_not_split() {
        assert_eq!(to_chars("añb", 3), "añb");
        assert_eq!(to_chars("añb😀", 2), "añ\n[… 2 more characters are left out]");
        assert_eq!(first_bytes("añb", 2), "a");
        assert_eq!(first_bytes("añb", 9), "añb");
    }

    fn check(text: &str, lines: usize, bytes: usize, expected: (&str, usize, usize, usize)) {
        let cut = first_lines(text, lines, bytes);
        assert_eq!((cut.kept, cut.lines, cut.total, cut.cut_within), expected);
    }

    #[test]
    fn lines_are_kept_whole() {
        check("", 9, 9, ("", 0, 0, 0));
        check("a\nb\n", 9, 9, ("a\nb", 2, 2, 0));
        check("a\n\nb", 2, 9, ("a\n", 2, 3, 0));
        check("\n\na\n\n", 9, 9, ("\n\na\n", 4, 4, 0));
        check("\n\n", 1, 9, ("", 1, 2, 0));
        check("a\nb\nc", 2, 9, ("a\nb", 2, 3, 0));
        check("aa\nbb\ncc", 9, 5, ("aa\nbb", 2, 3, 0));
        check("aa\nbb\ncc", 9, 4, ("aa", 1, 3, 0));
    }

    #[test]
    fn a_first_line_that_is_too_long_is_truncated() {
        check("aéé\nb", 9, 4, ("aé", 1, 2, 2));
        check("aéé", 9, 2, ("a", 1, 1, 4));
    }
}
