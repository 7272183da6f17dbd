//! Instruction files and context in the requests of other agents, found by the
//! lines that these agents write around them.
//!
//! The lines were taken from the agents' own requests; an agent that changes
//! its lines is shown as plain text again, never wrongly.

use std::ops::Range;

use aside_cache_model::unescape_json;
use memchr::memmem;

use super::{MAX_HEADER_BYTES, Piece, add};
use crate::part::{PartKind, PartLayer};

/// A block of text by the line that it begins with.
struct Mark {
    /// The beginning of the line.
    start: &'static [u8],
    name: Name,
    /// The text that ends the block; `None` if the next mark does.
    end: Option<&'static [u8]>,
    /// Text that has to precede the block.
    after: Option<&'static [u8]>,
}

/// The source of the name of a block.
enum Name {
    /// A path, up to this text at the end of the line: an instruction file, which
    /// begins so many lines below.
    File(&'static str, usize),
    /// The directory of instruction files, with these words before it; they
    /// begin so many lines below.
    FilesOf(&'static str, usize),
    /// A section of this layer.
    Section(&'static str, PartLayer),
}

/// A section between tags of its name.
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

/// The beginning of the system prompt of Cline.
const CLINE: &[u8] = b"You are Cline";

/// The heading of the instruction files of pi.
const PI_HEADING: &[u8] = b"# Project Context";

const MARKS: [Mark; 22] = [
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
    Mark {
        start: b"Instructions from: ",
        name: Name::File("", 1),
        end: None,
        after: None,
    },
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
    Mark {
        start: b"## /",
        name: Name::File("", 2),
        end: None,
        after: Some(PI_HEADING),
    },
    Mark {
        start: b"Current date: ",
        name: Name::Section("date", PartLayer::Session),
        end: None,
        after: Some(PI_HEADING),
    },
];

/// A mark in a text.
struct Found {
    at: usize,
    kind: PartKind,
    name: String,
    layer: PartLayer,
    /// The end by the mark itself.
    end: Option<usize>,
}

/// Splits a range without reminders. The pieces cover it.
pub(super) fn split(bytes: &[u8], range: Range<usize>, pieces: &mut Vec<Piece>) {
    let text = &bytes[range.clone()];
    let mut found: Vec<Found> = MARKS.iter().flat_map(|mark| find(text, mark)).collect();
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
        add(
            pieces,
            block_range,
            block.kind,
            &block.name,
            Some(block.layer),
        );
        at = end;
    }
    add(
        pieces,
        range.start + at..range.end,
        PartKind::Text,
        "",
        None,
    );
}

/// Finds the blocks of a mark. A block whose end is missing is none.
fn find<'a>(text: &'a [u8], mark: &'a Mark) -> impl Iterator<Item = Found> + 'a {
    let first = match mark.after {
        Some(after) => memmem::find(text, after).unwrap_or(text.len()),
        None => 0,
    };
    // An end that is missing is looked for once.
    let last_end = match mark.end {
        Some(end) => memmem::rfind(text, end).unwrap_or(0),
        None => text.len(),
    };
    let starts = memmem::find_iter(&text[first..], mark.start)
        .map(move |at| first + at)
        .filter(move |at| *at == 0 || text[..*at].ends_with(br"\n"));
    starts
        .take_while(move |at| *at < last_end)
        .filter_map(move |at| {
            let (kind, name, layer) = match mark.name {
                Name::File(suffix, _) => {
                    // The slash of a path is a part of its mark.
                    let slash = usize::from(mark.start.ends_with(b"/"));
                    let path = line(&text[at + mark.start.len() - slash..])?;
                    let path = path.strip_suffix(suffix)?.to_owned();
                    (PartKind::File, path, PartLayer::Project)
                }
                Name::FilesOf(words, _) => {
                    let directory = line(&text[at + mark.start.len()..])?;
                    (
                        PartKind::File,
                        words.to_owned() + &directory,
                        PartLayer::Project,
                    )
                }
                Name::Section(name, layer) => (PartKind::Section, name.to_owned(), layer),
            };
            let end = match mark.end {
                Some(end) => Some(at + memmem::find(&text[at..], end)? + end.len()),
                None => None,
            };
            // An end that is the beginning of a line goes to the end of it.
            let end = end.map(|end| match mark.end.is_some_and(|it| it.ends_with(b" ")) {
                true => end + memmem::find(&text[end..], br"\n").unwrap_or(text.len() - end),
                false => end,
            });
            Some(Found {
                at,
                kind,
                name,
                layer,
                end,
            })
        })
}

/// Returns the number of lines before the text of an instruction file that begins
/// with its header.
pub(super) fn header_lines(text: &[u8]) -> Option<usize> {
    let mark = MARKS.iter().find(|mark| text.starts_with(mark.start))?;
    match mark.name {
        Name::File(_, lines) | Name::FilesOf(_, lines) => Some(lines),
        Name::Section(..) => None,
    }
}

/// Returns the text up to the end of the line; `None` if the line is empty or
/// too long for a header.
fn line(text: &[u8]) -> Option<String> {
    let window = &text[..text.len().min(MAX_HEADER_BYTES)];
    let end = memmem::find(window, br"\n")?;
    let line = unescape_json(&window[..end]);
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests;
