//! A file's form, and the lines of its keys.

use aside_user_files::SplitDocument;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Front matter, and the reminder's text below it.
    Markdown,
    /// A mapping with the key `content`.
    Yaml,
}

/// Which mapping of a file has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The file's own.
    Top,
    /// The one below `schedule`.
    Schedule,
}

/// Returns the first line that looks like this key, or 1.
///
/// At the top, a line that begins with the key comes first; one below
/// `schedule` does not come before that key.
pub(super) fn line_of_key(text: &str, level: Level, key: &str) -> usize {
    let from = match level {
        Level::Top => 1,
        Level::Schedule => line_of_key(text, Level::Top, "schedule"),
    };
    let mut lines = (1..).zip(text.lines()).skip(from - 1).filter_map(|(number, line)| {
        // The key may also be a word in another one's value.
        let mut places = line.match_indices(key);
        let indent = places.find_map(|(at, _)| indent(line, at, key))?;
        Some((number, indent))
    });
    let all: Vec<_> = match level {
        _ if key.trim() != key || key.is_empty() => Vec::new(),
        Level::Top => lines.collect(),
        Level::Schedule => lines.find(|(_, indent)| *indent > 0).into_iter().collect(),
    };
    let unindented = all.iter().find(|(_, indent)| *indent == 0);
    unindented.or(all.first()).map_or(1, |(number, _)| *number)
}

/// Returns how many bytes are before the key at this place; `None` if it is no
/// key.
fn indent(line: &str, at: usize, key: &str) -> Option<usize> {
    let quotes = ['"', '\''];
    let (before, after) = (&line[..at], &line[at + key.len()..]);
    let before = before.strip_suffix(quotes).unwrap_or(before);
    let after = after.strip_prefix(quotes).unwrap_or(after);
    let begins = before.is_empty() || before.ends_with([' ', '\t', '{', ',']);
    (begins && after.trim_start().starts_with(':')).then_some(before.len())
}

/// Returns the first 1-based line for which the function is true, or 1.
pub(super) fn line_with(text: &str, is_it: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is_it).map_or(1, |index| index + 1)
}

/// Returns the trimmed body and the line on which it begins.
pub(super) fn body(document: SplitDocument<'_>) -> (&str, usize) {
    let body = document.body();
    let blank = body.len() - body.trim_start().len();
    let above = body[..blank].matches('\n').count();
    let line = match body.trim() {
        "" => document.body_line(),
        _ => document.body_line() + above,
    };
    (body.trim(), line)
}
