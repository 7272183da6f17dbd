//! Splits a body's text into reminders, instruction files and the rest, and by
//! source.
//!
//! The text is the inside of a JSON string, so line ends and quotes are escapes
//! and a bracket may be one. Reminders are recognized in any agent's requests,
//! since several write the same tag.
//!
//! ```text
//! text        <system-reminder>\nContents of /a/CLAUDE.md:\n\nBe brief.\n# currentDate\n…
//! reminder    <system-reminder>\n
//! file        Contents of /a/CLAUDE.md:\n\nBe brief.\n
//! section     # currentDate\n…
//! ```

mod agents;

use std::ops::Range;

use aside_json::unescape;
use aside_prompt_sections::SESSION_SECTIONS;
use memchr::memmem;

use crate::part::{PartKind, PartLayer};
use crate::sources::{BodySources, FilesIn};

/// A range in a text that means one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it is in the body.
    pub(crate) range: Range<usize>,
    /// A text, a reminder, an instruction file or a section.
    pub(crate) kind: PartKind,
    /// A file's path, or a section's name; else empty.
    pub(crate) name: String,
    /// The layer, if the piece's header decides it.
    pub(crate) layer: Option<PartLayer>,
}

/// The tag's name, which never has escapes.
const TAG: &[u8] = b"system-reminder";

/// How an instruction file's header begins.
const CONTENTS_OF: &[u8] = b"Contents of ";

/// The headings that a session's context begins with, in any agent's requests.
/// In Aside's, sections follow.
const CONTEXT: [&str; 2] = ["currentDate", "gitStatus"];

/// `Contents of PATH:` and an empty line.
const HEADER_LINES: usize = 2;

/// How long an instruction file's header may be, in bytes.
const MAX_HEADER_BYTES: usize = 4096;

/// Splits the inside of a JSON string. The pieces cover the range.
///
/// An empty range has no pieces. With `sources`, only they decide which instruction files a reminder
/// has: a file's text may look like another one's header.
pub(crate) fn split(
    bytes: &[u8],
    range: &Range<usize>,
    sources: Option<&BodySources>,
) -> Vec<Piece> {
    let split_text = |text, pieces: &mut Vec<Piece>| match sources {
        // No text in it is another agent's.
        Some(_) => add(pieces, text, PartKind::Text, "", None),
        None => agents::split(bytes, text, pieces),
    };
    let mut pieces = Vec::new();
    let mut at = range.start;
    for reminder in reminders(&bytes[range.clone()]) {
        let reminder = range.start + reminder.start..range.start + reminder.end;
        split_text(at..reminder.start, &mut pieces);
        at = reminder.end;
        split_reminder(bytes, reminder, sources, &mut pieces);
    }
    split_text(at..range.end, &mut pieces);
    pieces
}

/// Splits the inside of a system prompt's JSON string, which may explain what
/// reminders are.
pub(crate) fn split_system(bytes: &[u8], range: &Range<usize>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    agents::split(bytes, range.clone(), &mut pieces);
    pieces
}

/// Adds a piece, unless it is empty.
fn add(
    pieces: &mut Vec<Piece>,
    range: Range<usize>,
    kind: PartKind,
    name: &str,
    layer: Option<PartLayer>,
) {
    if !range.is_empty() {
        pieces.push(Piece { range, kind, name: name.to_owned(), layer });
    }
}

/// Returns a text's reminders, tags included. One that is not closed ends with
/// the text.
fn reminders(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for name in memmem::find_iter(text, TAG) {
        let before = &text[..name];
        if let (Some(start), None) = (tag_start(before, b""), open) {
            open = Some(start);
        } else if let (Some(_), Some(start)) = (tag_start(before, b"/"), open) {
            found.push(start..tag_end(text, name + TAG.len()));
            open = None;
        }
    }
    found.extend(open.map(|start| start..text.len()));
    found
}

/// Returns where a tag starts whose name follows; its bracket may be escaped.
fn tag_start(before: &[u8], slash: &[u8]) -> Option<usize> {
    let before = before.strip_suffix(slash)?;
    let rest = before
        .strip_suffix(b"<")
        .or_else(|| before.strip_suffix(br"\u003c"))
        .or_else(|| before.strip_suffix(br"\u003C"))?;
    Some(rest.len())
}

/// Returns where a tag ends after its name; the name's end if no bracket
/// follows.
fn tag_end(text: &[u8], after_name: usize) -> usize {
    let rest = &text[after_name..];
    for close in [&b">"[..], br"\u003e", br"\u003E"] {
        if rest.starts_with(close) {
            return after_name + close.len();
        }
    }
    after_name
}

/// Splits a reminder at the headers of instruction files and of a session's
/// context.
///
/// The text before the first header stays a reminder, and gets that header's
/// layer. A reminder without headers is one piece.
fn split_reminder(
    bytes: &[u8],
    range: Range<usize>,
    sources: Option<&BodySources>,
    pieces: &mut Vec<Piece>,
) {
    let text = &bytes[range.clone()];
    let files = match sources.map(|it| (it, it.files_in(&range))) {
        None => headers(text).map(|(at, path)| (at..at, path)).collect(),
        Some((sources, Some(files_in))) => known_files(text, sources, files_in),
        Some((_, None)) => {
            add(pieces, range, PartKind::Reminder, "", None);
            return;
        }
    };
    let is_in_file = |at: usize| {
        let before = files.partition_point(|(file, _)| file.start <= at);
        before.checked_sub(1).is_some_and(|last| files[last].0.contains(&at))
    };
    let mut cuts: Vec<(usize, PartKind, String, Option<PartLayer>)> = Vec::new();
    for (file, path) in &files {
        cuts.push((file.start, PartKind::File, path.clone(), Some(PartLayer::Project)));
    }
    let context = CONTEXT.iter().flat_map(|name| headings(text, name));
    let context: Vec<_> = context.filter(|(at, _)| !is_in_file(*at)).collect();
    if let Some(start) = context.iter().map(|(at, _)| *at).min() {
        // Before it, the same line may be a heading in an instruction file.
        let sections = SESSION_SECTIONS.iter().flat_map(|name| headings(text, name));
        let sections = sections.filter(|(at, _)| *at > start && !is_in_file(*at)).chain(context);
        cuts.extend(
            sections.map(|(at, name)| {
                (at, PartKind::Section, name.to_owned(), Some(PartLayer::Session))
            }),
        );
    }
    cuts.sort_by_key(|(at, ..)| *at);
    let Some((first, ..)) = cuts.first() else {
        add(pieces, range, PartKind::Reminder, "", None);
        return;
    };
    let head = range.start..range.start + first;
    add(pieces, head, PartKind::Reminder, "", cuts[0].3);
    let ends: Vec<usize> = cuts.iter().skip(1).map(|(at, ..)| *at).collect();
    let ends = ends.into_iter().chain([text.len()]);
    for ((start, kind, name, layer), end) in cuts.iter().zip(ends) {
        let piece = range.start + start..range.start + end;
        add(pieces, piece, *kind, name, *layer);
    }
}

/// Returns the lines that look like an instruction file's header, with the file's path.
fn headers(text: &[u8]) -> impl Iterator<Item = (usize, String)> {
    let found = memmem::find_iter(text, CONTENTS_OF);
    found.filter_map(|at| Some((at, file_of_header(text, at)?)))
}

/// Returns the instruction files in a reminder that Aside wrote. What looks like a header in a
/// file's text is not one.
fn known_files(
    text: &[u8],
    sources: &BodySources,
    files_in: FilesIn,
) -> Vec<(Range<usize>, String)> {
    let mut known: Vec<(Range<usize>, String)> = Vec::new();
    let mut end = 0;
    for (at, path) in headers(text) {
        let is_file = at >= end
            && match (files_in, sources.lines_of_file(&path)) {
                (FilesIn::Listed, Some(lines)) => {
                    let after = line_ends(&text[at..]).nth(HEADER_LINES + lines - 1);
                    end = after.map_or(text.len(), |after| at + after);
                    true
                }
                (FilesIn::Listed, None) => false,
                (FilesIn::FirstLine, _) => {
                    end = text.len();
                    line_ends(text).next() == Some(at)
                }
            };
        if is_file {
            known.push((at..end, path));
        }
    }
    known
}

/// Returns where the lines after the first one begin.
fn line_ends(text: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += memchr::memchr(b'\\', text.get(at..)?)? + 2;
            if text.get(at - 1) == Some(&b'n') {
                return Some(at);
            }
        }
    })
}

/// Returns where lines begin that are the heading of this name.
fn headings<'a>(text: &[u8], name: &'a str) -> Vec<(usize, &'a str)> {
    let line = format!(r"# {name}\n");
    let found = memmem::find_iter(text, line.as_bytes()).filter(|at| is_line_start(text, *at));
    found.map(|at| (at, name)).collect()
}

/// Returns how many header lines come before an instruction file's text. `text`
/// begins with the header.
pub(crate) fn header_lines(text: &[u8]) -> usize {
    agents::header_lines(text).unwrap_or(HEADER_LINES)
}

/// Returns true after an escaped line end. The start of a text is none.
fn is_line_start(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(br"\n")
}

/// Returns a header's path: `Contents of PATH (whose):` or `Contents of PATH:`
/// on its own line.
fn file_of_header(text: &[u8], at: usize) -> Option<String> {
    if !is_line_start(text, at) {
        return None;
    }
    let start = at + CONTENTS_OF.len();
    let window = &text[start..text.len().min(start + MAX_HEADER_BYTES)];
    let line = &window[..memmem::find(window, br"\n")?];
    let header = unescape(line);
    let header = header.strip_suffix(':')?;
    let path = match header.rfind(" (") {
        Some(end) if header.ends_with(')') => &header[..end],
        _ => header,
    };
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks each piece's kind, name and text.
    #[track_caller]
    pub(super) fn check(text: &str, expected: &[(PartKind, &str, &str)]) {
        let pieces = split(text.as_bytes(), &(0..text.len()), None);
        let found: Vec<_> =
            pieces.iter().map(|it| (it.kind, it.name.as_str(), &text[it.range.clone()])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn reminders_are_found_with_and_without_escapes() {
        use PartKind::{Reminder, Text};
        check("plain", &[(Text, "", "plain")]);
        check(
            "a<system-reminder>b</system-reminder>c",
            &[
                (Text, "", "a"),
                (Reminder, "", "<system-reminder>b</system-reminder>"),
                (Text, "", "c"),
            ],
        );
        let escaped = r"\u003csystem-reminder\u003eb\u003c/system-reminder\u003e";
        check(escaped, &[(Reminder, "", escaped)]);
        let open = "<system-reminder>b";
        check(open, &[(Reminder, "", open)]);
        check("a system-reminder", &[(Text, "", "a system-reminder")]);
    }

    #[test]
    fn instruction_files_are_found_by_their_headers() {
        use PartKind::{File, Reminder, Section};
        check(
            r"<system-reminder>\nContext\n\nContents of /a/CLAUDE.md (project instructions):\n\nBe brief.\n# currentDate\nToday</system-reminder>",
            &[
                (Reminder, "", r"<system-reminder>\nContext\n\n"),
                (
                    File,
                    "/a/CLAUDE.md",
                    r"Contents of /a/CLAUDE.md (project instructions):\n\nBe brief.\n",
                ),
                (Section, "currentDate", r"# currentDate\nToday</system-reminder>"),
            ],
        );
        check(
            r"<system-reminder>\n# environment\nMine\n# currentDate\nToday\n\n# environment\nlinux\n\n# gitStatus\nclean</system-reminder>",
            &[
                (Reminder, "", r"<system-reminder>\n# environment\nMine\n"),
                (Section, "currentDate", r"# currentDate\nToday\n\n"),
                (Section, "environment", r"# environment\nlinux\n\n"),
                (Section, "gitStatus", r"# gitStatus\nclean</system-reminder>"),
            ],
        );
        // No header: in the middle of a line.
        let text = r"<system-reminder>the Contents of a box:\n</system-reminder>";
        check(text, &[(Reminder, "", text)]);
    }
}
