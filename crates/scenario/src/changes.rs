//! Finding all differences between a request's expected and actual bytes, by
//! the lines of its readable form.

use std::fmt;
use std::ops::Range;

use aside_inspect::{BodyLine, body_lines, without_indices};
use aside_messages::{Layer, one_line};
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::instruction_file::WRAPPERS;
use crate::mismatch::Mismatch;
use crate::readable::{PinnedLine, SourcedLine, pinned_lines};
use crate::sourced::SourcedBody;

/// How many characters of a line to show before and after a difference.
const WINDOW_CHARS: usize = 60;

/// How long each side of a change in a few words may be.
const SHORT_CHARS: usize = 22;

/// How many lines of a side to show.
const MAX_LINES: usize = 8;

/// How an object's heading begins.
const HEADING: &str = "== ";

/// Lines in a request that differ from the expected ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Where in the actual request: `byte 848, at system[1]`, or the line in a
    /// readable form.
    pub place: String,
    /// The JSON path of the value, or of the new object; empty for the request
    /// itself.
    pub path: String,
    /// Where it comes from: a section, a tool, an instruction file,
    /// `conversation`; empty for the format itself.
    pub source: String,
    /// Which requests share the block, if known.
    pub layer: Option<Layer>,
    /// The expected lines that are gone.
    pub before: Vec<String>,
    /// The actual lines in their place.
    pub after: Vec<String>,
    /// An instruction file that held these lines and no longer loads, and why;
    /// empty without one.
    pub note: String,
    /// Whether it is the whole request, which had no file or has none any more.
    pub is_whole: bool,
}

impl Change {
    /// For a request whose file is new, or gone.
    pub(crate) fn of_file(place: &str, before: Vec<String>, after: Vec<String>) -> Self {
        Self {
            place: one_line(place).into_owned(),
            before,
            after,
            is_whole: true,
            ..Self::default()
        }
    }

    /// Returns the difference in a few words, on one line.
    pub(crate) fn in_short(&self) -> String {
        let (Some(before), Some(after)) = (self.before.first(), self.after.first()) else {
            let (sign, lines) =
                if self.after.is_empty() { ('-', &self.before) } else { ('+', &self.after) };
            let first = lines.first().map_or("", String::as_str);
            return format!("{sign} {}", clipped(first, 0, SHORT_CHARS));
        };
        let (old, new) = differing_words(before, after);
        let short = |words| clipped(words, 0, SHORT_CHARS / 2);
        let more = match self.before.len().max(self.after.len()) - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{} → {}{more}", short(old), short(new))
    }

    /// Returns a text that is equal for the same change in another request,
    /// also on another wire.
    pub(crate) fn key(&self) -> String {
        let (source, before, after) = (&self.source, &self.before, &self.after);
        let mut lines = before.iter().chain(after);
        let is_text = !source.is_empty() || lines.any(|it| it.starts_with('|'));
        let path = if is_text { String::new() } else { without_indices(&self.path) };
        let path = if self.is_whole { self.place.clone() } else { path };
        // The same block may be at another index.
        let lines = |lines: &[String]| -> Vec<String> {
            let is_heading = |line: &String| line.starts_with(HEADING);
            let key = |it| if is_heading(it) { without_indices(it) } else { it.clone() };
            lines.iter().map(key).collect()
        };
        format!("{path}\n{source}\n{:?}\n{:?}", lines(before), lines(after))
    }
}

/// Compares pinned texts, whose lines have their sources in the margin. Neighbouring lines of two
/// sources are two changes.
pub(crate) fn text_changes(expected: &str, found: &str) -> Vec<Change> {
    let (old, new) = (pinned_lines(expected), pinned_lines(found));
    let mut changes = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (gone, added) = (op.old_range(), op.new_range());
        let line = |source: &str| {
            let of = |lines: &[PinnedLine], range: &Range<usize>| {
                let mut lines = range.clone().filter(|at| lines[*at].source == source);
                lines.next()
            };
            of(&new, &added).or(of(&old, &gone)).map_or(0, |at| at + 1)
        };
        let lines = |lines: &[PinnedLine], source: &str| -> Vec<String> {
            let own = lines.iter().filter(|it| it.source == source);
            own.map(|it| it.shown.clone()).collect()
        };
        let both = old[gone.clone()].iter().chain(&new[added.clone()]);
        let mut sources: Vec<&str> = Vec::new();
        for source in both.map(|it| it.source.as_str()) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        changes.extend(sources.into_iter().map(|source| Change {
            place: format!("line {}", line(source)),
            source: source.to_owned(),
            before: lines(&old[gone.clone()], source),
            after: lines(&new[added.clone()], source),
            ..Change::default()
        }));
    }
    changes
}

/// Compares a request; returns nothing if the bytes are equal. The sources of
/// expected lines are known only if they were made, and not read.
pub(crate) fn changes(
    expected: &[u8],
    sources: Option<&[SourcedLine]>,
    (body, found): (&SourcedBody, &[SourcedLine]),
) -> Vec<Change> {
    let origin = |at: usize| body.origin(at).label();
    let Some(first) = Mismatch::find(expected, &body.bytes, origin) else {
        return Vec::new();
    };
    let expected = body_lines(expected);
    let (old, new) = match sources {
        Some(sources) => (keys(sources), keys(found)),
        None => (
            expected.iter().map(BodyLine::key).collect(),
            found.iter().map(|it| it.line.key()).collect(),
        ),
    };
    let mut all = Vec::new();
    // A body that is no request is one line.
    if expected.len() > 1 && found.len() > 1 {
        let mut same = 0;
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal { len, .. } = op {
                same = len;
            } else {
                let (mut gone, mut range) = (op.old_range(), op.new_range());
                let up = match (gone.is_empty(), range.is_empty()) {
                    (true, _) => lines_to_heading(&new, &range, same),
                    (_, true) => lines_to_heading(&old, &gone, same),
                    _ => 0,
                };
                for range in [&mut gone, &mut range] {
                    *range = range.start - up..range.end - up;
                }
                let sources = sources.and_then(|it| it.get(gone.clone()));
                all.extend(changes_of(&expected[gone], sources, found, range));
            }
        }
    }
    if all.is_empty() {
        all.push(Change {
            place: first.place(),
            path: first.path,
            source: first.source,
            before: vec![first.expected],
            after: vec![first.found],
            ..Change::default()
        });
    }
    all
}

/// Returns a text for each line that is equal for equal lines of the same source. Lines of two
/// files are not the same, and a blank line is the same only between the same sources: it would
/// split a file that is gone and join its parts with those of another.
fn keys(lines: &[SourcedLine]) -> Vec<String> {
    let mut below = "";
    let mut keys: Vec<String> = Vec::new();
    for line in lines.iter().rev() {
        let key = line.line.key();
        keys.push(if line.line.is_blank() {
            format!("{key}\n{}\n{below}", line.label)
        } else if line.is_file {
            format!("{key}\n{}", line.label)
        } else {
            key
        });
        if !line.line.is_blank() {
            below = &line.label;
        }
    }
    keys.reverse();
    keys
}

/// Returns how far to move a range of lines up so that it begins with a heading: the lines that
/// enter are equal to those that leave, so an object that is new or gone is shown as a whole.
/// `same` is the number of equal lines before the range.
fn lines_to_heading(lines: &[String], range: &Range<usize>, same: usize) -> usize {
    let is_equal = |up: &usize| *up == 0 || lines[range.start - up] == lines[range.end - up];
    let mut equal = (0..=same).take_while(is_equal);
    equal.find(|up| lines[range.start - up].starts_with(HEADING)).unwrap_or(0)
}

/// Returns the changes where lines took the place of others.
fn changes_of(
    old: &[BodyLine],
    sources: Option<&[SourcedLine]>,
    found: &[SourcedLine],
    range: Range<usize>,
) -> Vec<Change> {
    let groups = groups(&found[range.clone()]);
    if let Some(gone) = sources {
        return changes_by_source(gone, &groups);
    }
    let before = old.iter().map(BodyLine::shown).collect();
    let Some((first, rest)) = groups.split_first() else {
        // Without sources, lines that are gone get the source of the line
        // above, unless they were another object.
        let above = &found[range.start.saturating_sub(1).min(found.len() - 1)];
        let mut gone = change(above, before, &[]);
        if let Some(heading) = old.first().filter(|it| it.is_heading()) {
            gone.path = heading.full_path();
            gone.place = place(heading, found.get(range.start).unwrap_or(above).line.start);
            gone.source.clear();
        }
        return vec![gone];
    };
    let rest = rest.iter().map(|it| change(named(it), Vec::new(), it));
    std::iter::once(replaced(&old.iter().collect::<Vec<_>>(), first)).chain(rest).collect()
}

/// Returns a change for each source of the lines that are gone, and for each group of new lines.
fn changes_by_source(gone: &[SourcedLine], new: &[&[SourcedLine]]) -> Vec<Change> {
    let gone = groups(gone);
    let is_new = |label: &str| new.iter().any(|it| named(it).label == label);
    // Lines around a file that is gone go with it, and those without a source with their
    // neighbours.
    let joins = |it: &SourcedLine, other: &SourcedLine| match it.label.as_str() {
        "" => !is_new(""),
        label => WRAPPERS.contains(&label) && other.is_file && !is_new(&other.label),
    };
    let mut owners: Vec<&SourcedLine> = gone.iter().map(|it| named(it)).collect();
    for at in (1..owners.len()).rev() {
        if joins(owners[at - 1], owners[at]) {
            owners[at - 1] = owners[at];
        }
    }
    for at in 1..owners.len() {
        if joins(owners[at], owners[at - 1]) {
            owners[at] = owners[at - 1];
        }
    }
    let mut old: Vec<(&SourcedLine, Vec<&BodyLine>)> = Vec::new();
    for (owner, group) in owners.into_iter().zip(&gone) {
        let lines = group.iter().map(|it| &it.line);
        match old.iter_mut().find(|it| it.0.label == owner.label) {
            Some((_, known)) => known.extend(lines),
            None => old.push((owner, lines.collect())),
        }
    }
    let added: Vec<Change> = new
        .iter()
        .map(|group| {
            let label = &named(group).label;
            let same = old.iter().position(|it| it.0.label == *label);
            replaced(&same.map(|at| old.remove(at).1).unwrap_or_default(), group)
        })
        .collect();
    let shown = |lines: &[&BodyLine]| lines.iter().map(|it| it.shown()).collect();
    let gone = old.iter().map(|(owner, lines)| change(owner, shown(lines), &[]));
    gone.chain(added).collect()
}

/// Returns the change where a group of new lines took the place of others.
fn replaced(old: &[&BodyLine], new: &[SourcedLine]) -> Change {
    let mut changed = change(named(new), old.iter().map(|it| it.shown()).collect(), new);
    if let ([old], [new]) = (old, new) {
        changed.place = place(&new.line, new.line.first_difference(old));
    }
    changed
}

/// Splits lines where an object or a source begins.
fn groups(lines: &[SourcedLine]) -> Vec<&[SourcedLine]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for at in 1..lines.len() {
        let named = named(&lines[start..at]);
        let is_other = !lines[start..at].iter().all(|it| it.line.is_blank())
            && !lines[at].label.is_empty()
            && !named.label.is_empty()
            && lines[at].label != named.label;
        if is_other || lines[at].line.is_heading() {
            groups.push(&lines[start..at]);
            start = at;
        }
    }
    if !lines.is_empty() {
        groups.push(&lines[start..]);
    }
    groups
}

/// Returns the first line that has a source, else the first one. A blank line
/// has that of the line above, which may not be in the group.
fn named(group: &[SourcedLine]) -> &SourcedLine {
    let mut named = group.iter().filter(|it| !it.label.is_empty());
    named.clone().find(|it| !it.line.is_blank()).or(named.next()).unwrap_or(&group[0])
}

fn change(at: &SourcedLine, before: Vec<String>, after: &[SourcedLine]) -> Change {
    Change {
        place: place(&at.line, after.first().unwrap_or(at).line.start),
        path: at.line.full_path(),
        source: at.label.clone(),
        layer: at.layer,
        before,
        after: after.iter().map(|it| it.line.shown()).collect(),
        ..Change::default()
    }
}

fn place(line: &BodyLine, byte: usize) -> String {
    match line.full_path().as_str() {
        "" => format!("byte {byte}, at the top level"),
        path => format!("byte {byte}, at {path}"),
    }
}

impl fmt::Display for Change {
    /// Writes the place, then the lines; long ones only around the difference.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if !self.source.is_empty() {
            write!(f, ", from {}", self.source)?;
        }
        if !self.note.is_empty() {
            write!(f, "\n  {}", self.note)?;
        }
        let window = match (&self.before[..], &self.after[..]) {
            ([before], [after]) => common(before, after),
            _ => 0,
        };
        let most = match (self.is_whole, self.before.is_empty()) {
            (false, _) => MAX_LINES,
            (true, true) => usize::MAX,
            // The place says that it is gone.
            (true, false) => return Ok(()),
        };
        for (sign, lines) in [('-', &self.before), ('+', &self.after)] {
            for line in lines.iter().take(most) {
                write!(f, "\n  {sign} {}", clipped(line, window, WINDOW_CHARS))?;
            }
            if lines.len() > most {
                write!(f, "\n  {sign} … and {} more", lines.len() - most)?;
            }
        }
        Ok(())
    }
}

/// Returns how many characters two lines have in common at their start.
fn common(before: &str, after: &str) -> usize {
    let pairs = before.chars().zip(after.chars());
    pairs.take_while(|(a, b)| a == b).count()
}

/// Returns the words in which two lines differ, without common ones at either
/// end.
fn differing_words<'a>(before: &'a str, after: &'a str) -> (&'a str, &'a str) {
    let (old, new) = (words(before), words(after));
    let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old[first..].iter().rev().zip(new[first..].iter().rev());
    let last = rest.take_while(|(a, b)| a == b).count();
    let part = |line: &'a str, words: &[&str]| {
        let bytes = |words: &[&str]| words.iter().map(|it| it.len()).sum::<usize>();
        line[bytes(&words[..first])..line.len() - bytes(&words[words.len() - last..])].trim()
    };
    (part(before, &old), part(after, &new))
}

/// Splits after each space.
fn words(line: &str) -> Vec<&str> {
    line.split_inclusive(' ').collect()
}

/// Returns part of a line around a character.
fn clipped(line: &str, at: usize, width: usize) -> String {
    let start = at.saturating_sub(width);
    let mut shown: String = line.chars().skip(start).take(2 * width).collect();
    if start > 0 {
        shown.insert(0, '…');
    }
    if line.chars().nth(start + 2 * width).is_some() {
        shown.push('…');
    }
    shown
}
