//! Placeholders for directories whose real path differs between machines.
//!
//! A request's bytes contain a temporary directory's path. It is replaced
//! before a comparison, as a whole path only: `/tmp/x1` is not replaced in
//! `/tmp/x10`. A text by a person that names such a path is the same on every
//! machine, so it is kept.

use std::cmp::Reverse;
use std::path::Path;

pub(crate) struct StandIns {
    /// Each path as JSON writes it.
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

/// A path that was found: its position, its length in bytes, and its
/// placeholder.
struct Found {
    at: usize,
    length: usize,
    stand_in: &'static str,
}

impl StandIns {
    pub(crate) fn new<'a>(pairs: impl Iterator<Item = (&'a Path, &'static str)>) -> Self {
        let pairs = pairs.map(|(path, stand_in)| (escaped(&path.to_string_lossy()), stand_in));
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
            out.extend_from_slice(&bytes[from..found.at]);
            out.extend_from_slice(found.stand_in.as_bytes());
            from = found.at + found.length;
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

/// Returns a text as JSON writes it, without quotes.
pub(crate) fn escaped(text: &str) -> Vec<u8> {
    let json = serde_json::to_string(text).expect("a string is valid JSON");
    json.as_bytes()[1..json.len() - 1].to_vec()
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
