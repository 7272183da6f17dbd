//! A glob's literal parts, which a path must contain for the glob to match.
//!
//! To compare them costs nanoseconds, to compile a glob costs tens of
//! microseconds. A path that fails the comparison cannot match, so the glob
//! need not be compiled for it.

use std::ops::Range;

use crate::OperatingSystem;
use crate::rules::glob::Alternative;

/// Returns true for a character that can mean something other than itself in a
/// glob.
fn is_special(byte: u8) -> bool {
    is_wildcard(byte) || matches!(byte, b'[' | b']' | b'{' | b'}' | b'\\')
}

fn is_wildcard(byte: u8) -> bool {
    matches!(byte, b'*' | b'?')
}

/// A glob's literal parts, as ranges in its text.
#[derive(Clone, Debug)]
pub(crate) struct Literals {
    /// The text before the first special character.
    prefix: Range<usize>,
    /// The text after the last special character. Empty for a directory, which
    /// also matches longer paths.
    suffix: Range<usize>,
    /// The longest text between two wildcards.
    inner: Range<usize>,
    /// True if a match starts with a literal component, the prefix's first.
    first_is_literal: bool,
    /// True if the text has no special character.
    pub(crate) is_literal: bool,
}

impl Literals {
    /// Finds the literal parts. Slashes at their ends are left out, since `**`
    /// next to a slash also matches without it.
    pub(crate) fn new(alternative: &Alternative) -> Self {
        let (text, is_dir) = (alternative.text(), matches!(alternative, Alternative::Dir(_)));
        let first = text.bytes().position(is_special);
        let before = 0..first.unwrap_or(text.len());
        let after = text.bytes().rposition(is_special).map_or(0, |last| last + 1)..text.len();
        Self {
            first_is_literal: first.is_none() || text[before.clone()].as_bytes().contains(&b'/'),
            is_literal: first.is_none(),
            prefix: without_slashes(text, before),
            suffix: if is_dir { 0..0 } else { without_slashes(text, after) },
            inner: longest_inner(text),
        }
    }

    /// Returns the first component of every path that matches, if it is
    /// literal.
    pub(crate) fn first_component<'a>(&self, text: &'a str) -> Option<&'a str> {
        let first = text[self.prefix.clone()].split('/').next();
        first.filter(|_| self.first_is_literal)
    }

    /// Returns false if the glob with this text cannot match `path`.
    pub(crate) fn may_match(&self, text: &str, path: &[u8], platform: OperatingSystem) -> bool {
        let part = |range: &Range<usize>| &text.as_bytes()[range.clone()];
        let (prefix, suffix, inner) = (part(&self.prefix), part(&self.suffix), part(&self.inner));
        let starts = path.get(..prefix.len());
        let end = path.len().checked_sub(suffix.len());
        starts.is_some_and(|start| platform.same_name(start, prefix))
            && end.is_some_and(|end| platform.same_name(&path[end..], suffix))
            && (inner.is_empty()
                || path.windows(inner.len()).any(|window| platform.same_name(window, inner)))
    }
}

/// Returns the longest text between two wildcards, if `*` and `?` are the only
/// special characters.
///
/// The characters in a class are not literal, and a backslash is not part of
/// the path.
fn longest_inner(text: &str) -> Range<usize> {
    let mut longest = 0..0;
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        if !is_special(byte) {
            continue;
        }
        if !is_wildcard(byte) {
            return 0..0;
        }
        if let Some(start) = start.replace(at + 1) {
            let inner = without_slashes(text, start..at);
            if inner.len() > longest.len() {
                longest = inner;
            }
        }
    }
    longest
}

fn without_slashes(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.end - part.trim_start_matches('/').len();
    let end = range.start + part.trim_end_matches('/').len();
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(alternative: &Alternative) -> (Option<&str>, [&str; 3]) {
        let text = alternative.text();
        let found = Literals::new(alternative);
        let part = |range: &Range<usize>| &text[range.clone()];
        (
            found.first_component(text),
            [part(&found.prefix), part(&found.inner), part(&found.suffix)],
        )
    }

    #[test]
    fn literal_parts() {
        for (text, first, expected) in [
            ("src/a/**/*.rs", Some("src"), ["src/a", "", ".rs"]),
            ("**/*.ts", None, ["", "", ".ts"]),
            ("**/x", None, ["", "", "x"]),
            ("**/gen/*.ts", None, ["", "gen", ".ts"]),
            ("src*/b", None, ["src", "", "b"]),
            ("a/b", Some("a"), ["a/b", "", "a/b"]),
            ("a/[bc]d*", Some("a"), ["a", "", ""]),
            (r"a/\*b", Some("a"), ["a", "", "b"]),
        ] {
            let alternative = Alternative::Path(text.to_owned());
            assert_eq!(parts(&alternative), (first, expected), "{text}");
        }
        let dir = Alternative::Dir("a/*/b".to_owned());
        assert_eq!(parts(&dir), (Some("a"), ["a", "", ""]));
    }
}
