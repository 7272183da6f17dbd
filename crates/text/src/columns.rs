//! Text that fits the width of a terminal.

mod table;

use std::borrow::Cow;

use crate::invisible::is_invisible;
use table::WIDE;

/// Returns how many columns a line takes on a terminal. Characters of East Asian scripts and most
/// emoji take two, invisible ones and colour sequences (`ESC [ … m`) none.
///
/// ```
/// use aside_text::columns;
///
/// assert_eq!(columns("naïve"), 5);
/// assert_eq!(columns("東京 🎭"), 7);
/// assert_eq!(columns("\u{1b}[31mred\u{1b}[0m"), 3);
/// ```
#[must_use]
pub fn columns(line: &str) -> usize {
    if is_printable_ascii(line) {
        return line.len();
    }
    let mut in_sequence = false;
    let mut width = 0;
    for c in line.chars() {
        match c {
            '\u{1b}' => in_sequence = true,
            'm' if in_sequence => in_sequence = false,
            _ if in_sequence => {}
            _ => width += columns_of(c),
        }
    }
    width
}

/// Returns true for text of which each byte is a character that takes one column.
pub(crate) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns how many columns a character takes: 0, 1 or 2.
fn columns_of(c: char) -> usize {
    if c < WIDE[0].0 {
        return usize::from(!is_invisible(c));
    }
    let after = WIDE.partition_point(|&(first, _)| first <= c);
    let is_wide = WIDE[..after].last().is_some_and(|&(_, last)| c <= last);
    match (is_invisible(c), is_wide) {
        (true, _) => 0,
        (false, true) => 2,
        (false, false) => 1,
    }
}

/// Cuts a line without colours to at most `width` columns. An ellipsis marks the cut.
///
/// ```
/// assert_eq!(aside_text::cut("abcdef", 4), "abc…");
/// ```
#[must_use]
pub fn cut(line: &str, width: usize) -> Cow<'_, str> {
    if columns(line) <= width {
        return Cow::Borrowed(line);
    }
    let kept = kept(line.chars(), width);
    Cow::Owned(kept.into_iter().chain(['…']).collect())
}

/// Cuts a line like [`cut`], but at its start: the end of a path says more.
///
/// ```
/// assert_eq!(aside_text::cut_start("/home/alex/CLAUDE.md", 12), "…x/CLAUDE.md");
/// ```
#[must_use]
pub fn cut_start(line: &str, width: usize) -> Cow<'_, str> {
    if columns(line) <= width {
        return Cow::Borrowed(line);
    }
    let kept = kept(line.chars().rev(), width);
    Cow::Owned(['…'].into_iter().chain(kept.into_iter().rev()).collect())
}

/// Returns the first characters that fit `width` columns next to an ellipsis.
fn kept(line: impl Iterator<Item = char>, width: usize) -> Vec<char> {
    let mut left = width.saturating_sub(1);
    line.map_while(|c| {
        left = left.checked_sub(columns_of(c))?;
        Some(c)
    })
    .collect()
}

/// Breaks a line that is wider than `width` columns at spaces. `rest` starts each further line.
///
/// A word that is wider than the line, such as a path, stays whole and gets a line of its own, so
/// that it can be copied. Runs of spaces are kept, except where the line is broken.
///
/// ```
/// assert_eq!(aside_text::wrap("fix: move the clock", 12, "     "), "fix: move\n     the\n     clock");
/// ```
#[must_use]
pub fn wrap<'a>(line: &'a str, width: usize, rest: &str) -> Cow<'a, str> {
    if columns(line) <= width {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 16);
    let (mut column, start) = (0, columns(rest));
    let mut has_word = false;
    for word in line.split_inclusive(' ') {
        let length = columns(word.trim_end_matches(' '));
        if has_word && length > 0 && column + length > width && column > start {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(rest);
            column = start;
        }
        has_word |= length > 0;
        out.push_str(word);
        column += columns(word);
    }
    out.truncate(out.trim_end_matches(' ').len());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_by_columns() {
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("東京都", 5), "東京…");
        assert_eq!(cut("東京都", 4), "東…");
        assert_eq!(cut_start("a/東京", 4), "…京");
        assert_eq!(cut("ab", 0), "…");
    }

    #[test]
    fn lines_are_wrapped_at_spaces() {
        let check = |line: &str, expected: &str| assert_eq!(wrap(line, 12, "    "), expected);
        check("  ~12  one two three", "  ~12  one\n    two\n    three");
        check("/a/long/path/of/words it is", "/a/long/path/of/words\n    it is");
        check("a  b", "a  b");
        check("\u{1b}[31mone two\u{1b}[0m three", "\u{1b}[31mone two\u{1b}[0m\n    three");
        check("東京 東京 東京", "東京 東京\n    東京");
    }
}
