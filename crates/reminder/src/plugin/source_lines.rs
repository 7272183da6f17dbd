//! A file's form, and the lines of its keys.

use aside_user_files::{SplitDocument, nearest};

use super::read::Fault;
use crate::{definition, schedule};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Front matter, and the reminder's text below it.
    Markdown,
    /// A mapping with the key `content`.
    Yaml,
}

/// Reports an unknown key, with the nearest known one.
pub(super) fn unknown_key(text: &str, key: &str) -> Fault {
    let known = [definition::KEYS, schedule::KEYS].concat();
    let meant = match nearest(key, &known) {
        Some(meant) if meant == key => Some(": it belongs below schedule".to_owned()),
        meant => meant.map(|meant| format!(": did you mean {meant}?")),
    };
    Fault {
        line: line_of_key(text, key),
        message: format!("unknown key {key:?} is ignored{}", meant.unwrap_or_default()),
    }
}

/// Returns the first line that looks like this key, or 1.
pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    if key.trim() != key || key.is_empty() {
        return 1;
    }
    let quotes = ['"', '\''];
    line_with(text, |line| {
        let mut places = line.match_indices(key);
        places.any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + key.len()..]);
            let before = before.strip_suffix(quotes).unwrap_or(before);
            let after = after.strip_prefix(quotes).unwrap_or(after);
            let begins = before.is_empty() || before.ends_with([' ', '\t', '{', ',']);
            begins && after.trim_start().starts_with(':')
        })
    })
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
