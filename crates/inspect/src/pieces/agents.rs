//! Instruction files and context in other agents' requests, found by the lines that these agents
//! write around them.
//!
//! ```text
//! # AGENTS.md instructions for /p …                      Codex: file "AGENTS.md for /p"
//! <environment_context> … </environment_context>         Codex: section of the session
//! --- Context from: GEMINI.md --- …                      gemini-cli: file "GEMINI.md"
//! Instructions from: /p/AGENTS.md …                      opencode: file "/p/AGENTS.md"
//! ## /p/AGENTS.md …                                      pi: file "/p/AGENTS.md"
//! ```
//!
//! The lines are from the agents' own requests. If an agent changes its lines, its files are plain
//! text again, and never parts with a wrong name.

use std::ops::Range;
use std::{iter, ptr};

use aside_json::unescape;
use memchr::{memchr_iter, memmem};

use super::{MAX_HEADER_BYTES, Piece, add};
use crate::part::{PartKind, PartLayer};

/// A block of text, by its first line.
struct Mark {
    /// How the line begins.
    start: &'static [u8],
    /// Where the name comes from; this also decides kind and layer.
    name: Name,
    /// The text that ends the block; `None` if the next mark does.
    end: Option<&'static [u8]>,
    /// Text that must come before the block.
    after: Option<&'static [u8]>,
}

/// Where a block's name comes from.
enum Name {
    /// A path, up to this text at the end of the line. The instruction file's text begins this many
    /// lines below the mark.
    File(&'static str, usize),
    /// A directory with instruction files, named after these words. Their text begins this many
    /// lines below the mark.
    FilesOf(&'static str, usize),
    /// A section with this name, in this layer.
    Section(&'static str, PartLayer),
}

/// A section between tags with its name.
macro_rules! tag {
    ($name:literal, $layer:ident) => {
        Mark {
            start: concat!("<", $name, ">").as_bytes(),
            name: Name::Section($name, PartLayer::$layer),
            end: Some(concat!("</", $name, ">").as_bytes()),
            after: None,
        }
    };
}

/// How Cline's system prompt begins.
const CLINE: &[u8] = b"You are Cline";

/// The heading for pi's instruction files.
const PI_HEADING: &[u8] = b"# Project Context";

/// Every mark, by agent. A mark is found only at the start of a text or a line; `\n` is the escape
/// for a line end, since the text is the inside of a JSON string.
static MARKS: [Mark; 22] = [
    // Codex.
    Mark {
        start: b"# AGENTS.md instructions for ",
        name: Name::FilesOf("AGENTS.md for ", 3),
        end: Some(b"</INSTRUCTIONS>"),
        after: None,
    },
    tag!("user_instructions", Project),
    tag!("environment_context", Session),
    tag!("permissions instructions", Session),
    tag!("collaboration_mode", Session),
    tag!("personality_spec", Session),
    tag!("skills_instructions", Project),
    tag!("plugins_instructions", Project),
    tag!("apps_instructions", Project),
    tag!("environments_instructions", Project),
    // gemini-cli.
    Mark {
        start: b"--- Context from: ",
        name: Name::File(" ---", 1),
        end: Some(b"--- End of Context from: "),
        after: None,
    },
    tag!("session_context", Session),
    tag!("global_context", Project),
    tag!("extension_context", Project),
    tag!("project_context", Project),
    // opencode.
    Mark { start: b"Instructions from: ", name: Name::File("", 1), end: None, after: None },
    Mark {
        start: b"Skills provide specialized instructions",
        name: Name::Section("available_skills", PartLayer::Project),
        end: Some(b"</available_skills>"),
        after: None,
    },
    tag!("env", Session),
    // Cline and Roo.
    tag!("environment_details", Session),
    Mark {
        start: br"# Rules\n",
        name: Name::Section("rules", PartLayer::Project),
        end: None,
        after: Some(CLINE),
    },
    // pi.
    Mark { start: b"## /", name: Name::File("", 2), end: None, after: Some(PI_HEADING) },
    Mark {
        start: b"Current date: ",
        name: Name::Section("date", PartLayer::Session),
        end: None,
        after: Some(PI_HEADING),
    },
];

/// Whether a byte is the first of a mark. Few lines begin with one.
static BEGINS_MARK: [bool; 256] = {
    let mut begins = [false; 256];
    let mut index = 0;
    while index < MARKS.len() {
        begins[MARKS[index].start[0] as usize] = true;
        index += 1;
    }
    begins
};

struct Found {
    /// Where the mark is in the text.
    at: usize,
    /// An instruction file or a section.
    kind: PartKind,
    /// The path, or the section's name.
    name: String,
    layer: PartLayer,
    /// Where the block ends, if its mark says so; `None` if the next block ends it.
    end: Option<usize>,
}

/// Splits a range without reminders. The pieces cover it.
///
/// A block inside another ends it, as files inside gemini-cli's context do; the text after them is
/// plain again.
pub(super) fn split(bytes: &[u8], range: Range<usize>, pieces: &mut Vec<Piece>) {
    let text = &bytes[range.clone()];
    let starts = starts(text);
    let is_there = |mark: &&Mark| starts.iter().any(|(_, it)| ptr::eq(*it, *mark));
    let marks = MARKS.iter().filter(is_there);
    let mut found: Vec<Found> = marks.flat_map(|mark| find(text, mark, &starts)).collect();
    found.sort_by_key(|it| it.at);
    let mut at = 0;
    for (index, block) in found.iter().enumerate() {
        if block.at < at {
            continue;
        }
        let next = found.get(index + 1).map_or(text.len(), |it| it.at);
        let end = block.end.map_or(next, |end| end.min(next));
        let absolute = |at: usize| range.start + at;
        let before = absolute(at)..absolute(block.at);
        add(pieces, before, PartKind::Text, "", None);
        let block_range = absolute(block.at)..absolute(end);
        add(pieces, block_range, block.kind, &block.name, Some(block.layer));
        at = end;
    }
    add(pieces, range.start + at..range.end, PartKind::Text, "", None);
}

/// Returns where marks begin, in order. Most texts have none, so this looks once for all of them.
fn starts(text: &[u8]) -> Vec<(usize, &'static Mark)> {
    let line_ends = memchr_iter(b'\\', text).filter(|at| text.get(at + 1) == Some(&b'n'));
    let lines = iter::once(0).chain(line_ends.map(|at| at + 2));
    let may_begin = |at: &usize| text.get(*at).is_some_and(|it| BEGINS_MARK[usize::from(*it)]);
    let marks_at = |at: usize| {
        let found = MARKS.iter().filter(move |mark| text[at..].starts_with(mark.start));
        found.map(move |mark| (at, mark))
    };
    lines.filter(may_begin).flat_map(marks_at).collect()
}

/// Finds a mark's blocks, in order, from where marks begin. Without its end a mark is plain text,
/// and so is one whose line is empty or does not look like its agent's.
fn find<'a>(
    text: &'a [u8],
    mark: &'a Mark,
    starts: &'a [(usize, &Mark)],
) -> impl Iterator<Item = Found> + 'a {
    let first = match mark.after {
        Some(after) => memmem::find(text, after).unwrap_or(text.len()),
        None => 0,
    };
    // A missing end is looked for only once.
    let last_end = match mark.end {
        Some(end) => memmem::rfind(text, end).unwrap_or(0),
        None => text.len(),
    };
    let starts =
        starts.iter().filter(move |(at, it)| *at >= first && ptr::eq(*it, mark)).map(|(at, _)| *at);
    let mut ends = mark.end.map(|end| memmem::find_iter(text, end));
    // The last end that was found, and where its block ends: starts that share an end do not look
    // for it again.
    let mut closing: Option<(usize, usize)> = None;
    let mut end_after = move |at: usize| {
        if closing.is_none_or(|(from, _)| from < at) {
            let from = ends.as_mut()?.find(|from| *from >= at)?;
            closing = Some((from, end_of_block(text, mark, from)));
        }
        closing.map(|(_, end)| end)
    };
    starts.take_while(move |at| *at < last_end).filter_map(move |at| {
        let (kind, name, layer) = match mark.name {
            Name::File(suffix, _) => {
                // A path's slash is part of its mark.
                let slash = usize::from(mark.start.ends_with(b"/"));
                let path = line(&text[at + mark.start.len() - slash..])?;
                let path = path.strip_suffix(suffix)?.to_owned();
                (PartKind::File, path, PartLayer::Project)
            }
            Name::FilesOf(words, _) => {
                let directory = line(&text[at + mark.start.len()..])?;
                (PartKind::File, words.to_owned() + &directory, PartLayer::Project)
            }
            Name::Section(name, layer) => (PartKind::Section, name.to_owned(), layer),
        };
        let end = match mark.end {
            Some(_) => Some(end_after(at)?),
            None => None,
        };
        Some(Found { at, kind, name, layer, end })
    })
}

/// Returns where a block ends whose end mark begins at `from`. An end that begins a line reaches to
/// the line's end.
fn end_of_block(text: &[u8], mark: &Mark, from: usize) -> usize {
    let mark = mark.end.unwrap_or_default();
    let end = from + mark.len();
    if mark.ends_with(b" ") {
        end + memmem::find(&text[end..], br"\n").unwrap_or(text.len() - end)
    } else {
        end
    }
}

/// Returns how many lines come before the text of an instruction file that begins with its header.
///
/// `None` for a section, and for a text that begins with no mark.
pub(super) fn header_lines(text: &[u8]) -> Option<usize> {
    let mark = MARKS.iter().find(|mark| text.starts_with(mark.start))?;
    match mark.name {
        Name::File(_, lines) | Name::FilesOf(_, lines) => Some(lines),
        Name::Section(..) => None,
    }
}

/// Returns the text up to the end of the line; `None` if the line is empty or too long for a
/// header.
///
/// Escapes are resolved and white space at the ends is removed.
fn line(text: &[u8]) -> Option<String> {
    let window = &text[..text.len().min(MAX_HEADER_BYTES)];
    let end = memmem::find(window, br"\n")?;
    let line = unescape(&window[..end]);
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests;
