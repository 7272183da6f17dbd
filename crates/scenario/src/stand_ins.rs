//! Placeholders for directories whose real path differs between machines.
//!
//! A request's bytes contain a temporary directory's path. It is replaced
//! before a comparison, as a whole path only: `/tmp/x1` is not replaced in
//! `/tmp/x10`. A text by a person that names such a path is the same on every
//! machine, so it is kept.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use aside_text::{REMINDER_TAG, neutralize, one_line, shell_word};

pub(crate) struct StandIns {
    /// Each spelling of each path.
    pairs: Vec<(Vec<u8>, &'static str)>,
}

/// Where a replaced path ends: in the result, and before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    put: usize,
    raw: usize,
}

impl Shift {
    /// Returns where the byte at `offset` was before the replacement.
    pub(crate) fn before(shifts: &[Self], offset: usize) -> usize {
        let behind = shifts.partition_point(|it| it.put <= offset);
        let start = match behind.checked_sub(1) {
            Some(last) => shifts[last],
            None => Self { put: 0, raw: 0 },
        };
        let next = shifts.get(behind).map_or(usize::MAX, |it| it.raw);
        (start.raw + (offset - start.put)).min(next)
    }
}

/// Lines to keep as they are, as JSON writes them.
#[derive(Debug, Default)]
pub(crate) struct KeptLines(Vec<Vec<u8>>);

impl KeptLines {
    /// Returns true if the path at `at` is in one of these lines.
    pub(crate) fn has(&self, bytes: &[u8], at: usize) -> bool {
        let is_at = |line: &[u8], start: usize| {
            let (before, rest) = bytes.split_at(start);
            let starts = before.ends_with(b"\\n") || before.ends_with(b"\"");
            let behind = rest.strip_prefix(line).filter(|_| starts);
            let ends: [&[u8]; 3] = [b"\\n", b"\\r\\n", b"\""];
            behind.is_some_and(|it| ends.iter().any(|end| it.starts_with(end)))
        };
        self.0.iter().any(|line| {
            let first = (at + 1).saturating_sub(line.len());
            (first..=at).any(|start| is_at(line, start))
        })
    }
}

/// How the call that lists a directory begins, if its path is in quotes.
const LS: &[u8] = b"ls '";

/// A path that was found: its position, its length in bytes, and its
/// placeholder.
struct Found {
    at: usize,
    length: usize,
    stand_in: &'static str,
}

impl StandIns {
    pub(crate) fn new<'a>(pairs: impl Iterator<Item = (&'a Path, &'static str)>) -> Self {
        let pairs = pairs.flat_map(|(path, stand_in)| {
            spellings(&path.to_string_lossy()).into_iter().map(move |it| (it, stand_in))
        });
        Self { pairs: pairs.collect() }
    }

    /// Returns the lines that have one of the paths.
    pub(crate) fn kept_lines<'a>(&self, lines: impl Iterator<Item = &'a str>) -> KeptLines {
        let lines = lines.map(escaped).filter(|it| self.next(it, 0, &|_| false).is_some());
        KeptLines(lines.collect())
    }

    /// Replaces every path that is not kept, and returns where each of them
    /// ends.
    pub(crate) fn put(
        &self,
        bytes: &[u8],
        is_kept: impl Fn(usize) -> bool,
    ) -> (Vec<u8>, Vec<Shift>) {
        let mut out = Vec::with_capacity(bytes.len());
        let mut shifts = Vec::new();
        let mut from = 0;
        while let Some(found) = self.next(bytes, from, &is_kept) {
            let end = found.at + found.length;
            let quoted = quoted_rest(&bytes[end..]).filter(|_| bytes[..found.at].ends_with(LS));
            let quote = usize::from(quoted.is_some());
            out.extend_from_slice(&bytes[from..found.at - quote]);
            out.extend_from_slice(found.stand_in.as_bytes());
            out.extend_from_slice(quoted.unwrap_or_default());
            from = end + quoted.map_or(0, <[u8]>::len) + quote;
            shifts.push(Shift { put: out.len(), raw: from });
        }
        out.extend_from_slice(&bytes[from..]);
        (out, shifts)
    }

    /// Returns the next path; when two begin at the same position, the longer
    /// one.
    fn next(&self, bytes: &[u8], from: usize, is_kept: &impl Fn(usize) -> bool) -> Option<Found> {
        let found = self.pairs.iter().filter_map(|(path, stand_in)| {
            let mut places = find(bytes, path, from);
            let at = places.find(|at| !is_kept(*at))?;
            Some(Found { at, length: path.len(), stand_in })
        });
        found.min_by_key(|found| (found.at, Reverse(found.length)))
    }
}

/// Returns the ways in which requests, diagnostics and source names write a
/// path: as it is, on one line, or in a shell's quotes; each also in JSON, and
/// in a tool's input in JSON.
fn spellings(path: &str) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    for text in [path, &*one_line(path), &path.replace('\'', r"'\''")] {
        for text in [text, &*neutralize(text, &[REMINDER_TAG])] {
            let in_json = escaped(text);
            found.insert(escaped(&String::from_utf8_lossy(&in_json)));
            found.insert(in_json);
            found.insert(text.as_bytes().to_vec());
        }
    }
    found
}

/// Returns a text as JSON writes it, without quotes.
pub(crate) fn escaped(text: &str) -> Vec<u8> {
    let json = serde_json::to_string(text).expect("a string is valid JSON");
    json.as_bytes()[1..json.len() - 1].to_vec()
}

/// Returns the rest of a shell word in quotes, if only the path before it needs
/// them: its placeholder needs none.
fn quoted_rest(bytes: &[u8]) -> Option<&[u8]> {
    let (rest, behind) = bytes.split_at(memchr::memchr(b'\'', bytes)?);
    let is_end = !behind.starts_with(br"'\\");
    let is_plain =
        |it: &[u8]| str::from_utf8(it).is_ok_and(|it| matches!(shell_word(it), Cow::Borrowed(_)));
    (is_end && (rest.is_empty() || is_plain(rest))).then_some(rest)
}

/// Finds the whole path: `/srv/shop` is not in `/srv/shopping`, nor in
/// `/my/srv/shop`.
fn find(bytes: &[u8], path: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let places = memchr::memmem::find_iter(&bytes[from..], path);
    places.filter_map(move |at| {
        let at = from + at;
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        // A path may end a sentence.
        let behind = match &bytes[at + path.len()..] {
            [b'.', next, ..] => of_name(next),
            [b'.'] => false,
            [next, ..] => of_name(next),
            [] => false,
        };
        // In JSON a line break is `\n`, whose letter is not part of a name.
        let is_escape = at >= 2 && bytes[at - 2] == b'\\';
        (!behind && (is_escape || !before.is_some_and(of_name))).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let pairs = [("/t/x1", "/scenario"), ("/srv/shop", "/scenario/project")]
            .map(|(path, stand_in)| (Path::new(path), stand_in));
        let stand_ins = StandIns::new(pairs.into_iter());
        let kept = stand_ins.kept_lines(["See /srv/shop/b.", "/srv/shop", "None."].into_iter());
        let (put, shifts) = stand_ins.put(text.as_bytes(), |at| kept.has(text.as_bytes(), at));
        let put = String::from_utf8(put).unwrap();
        assert_eq!(put, expected);
        for marked in ["a", "z"] {
            let (Some(raw), Some(at)) = (text.find(marked), put.find(marked)) else {
                continue;
            };
            assert_eq!(Shift::before(&shifts, at), raw);
        }
    }

    #[test]
    fn lines_of_files_are_kept() {
        check(r#""See /srv/shop/b.\n/srv/shop""#, r#""See /srv/shop/b.\n/srv/shop""#);
        check(r#""In /srv/shop\nz""#, r#""In /scenario/project\nz""#);
        check(
            r#""See /srv/shop/b. x /srv/shop z""#,
            r#""See /scenario/project/b. x /scenario/project z""#,
        );
    }

    #[test]
    fn every_spelling_is_replaced() {
        for path in ["/t/x\"y", r"/t/b\s", "/t/zero\u{200b}width", "/t/a\nb", "/t/it's", "/t/é $x"]
        {
            let stand_ins = StandIns::new([(Path::new(path), "/scenario")].into_iter());
            let texts = [path.to_owned(), one_line(path).into_owned()];
            for text in texts.iter().map(|it| format!("In {it}/a, {it}.")) {
                let once = serde_json::to_string(&text).unwrap();
                let twice = serde_json::to_string(&once).unwrap();
                for text in [text, once, twice] {
                    let put = stand_ins.put(text.as_bytes(), |_| false).0;
                    let put = String::from_utf8(put).unwrap();
                    assert!(put.contains("In /scenario/a, /scenario."), "{put}");
                }
            }
        }
    }

    #[test]
    fn quotes_that_only_the_path_needs_are_left_out() {
        let check = |text: &str, expected: &str| {
            let stand_ins = StandIns::new([(Path::new("/t/a b"), "/scenario")].into_iter());
            let (put, shifts) = stand_ins.put(text.as_bytes(), |_| false);
            assert_eq!(String::from_utf8(put).unwrap(), expected);
            let [raw, at] = [text, expected].map(|it| it.find('z').unwrap());
            assert_eq!(Shift::before(&shifts, at), raw);
        };
        check(r#"ls '/t/a b/docs'\" z"#, r#"ls /scenario/docs\" z"#);
        check(r#"ls '/t/a b'\" z"#, r#"ls /scenario\" z"#);
        check(r#"ls '/t/a b/c d'\" z"#, r#"ls '/scenario/c d'\" z"#);
        check(r#"ls '/t/a b/it'\\''s'\" z"#, r#"ls '/scenario/it'\\''s'\" z"#);
        check("In '/t/a b/docs' z", "In '/scenario/docs' z");
    }

    #[test]
    fn whole_paths_are_replaced() {
        check("a /t/x1/b z", "a /scenario/b z");
        check(r"a\n/srv/shop/b /t/x1 z", r"a\n/scenario/project/b /scenario z");
        check("a /srv/shop. z", "a /scenario/project. z");
        check("/srv/shop", "/scenario/project");
        for text in ["/srv/shopping", "/my/srv/shop", "/srv/shop.d", "/srv/shop-2", "srv/shop", ""]
        {
            check(text, text);
        }
    }
}
