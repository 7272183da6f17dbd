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
    /// A path, up to this text at the end of the line: an instruction file.
    File(&'static str),
    /// The directory of instruction files, with these words before it.
    FilesOf(&'static str),
    /// A section of the project.
    Project(&'static str),
    /// A section of the session.
    Session(&'static str),
}

const fn mark(start: &'static [u8], name: Name, end: Option<&'static [u8]>) -> Mark {
    Mark {
        start,
        name,
        end,
        after: None,
    }
}

const MARKS: [Mark; 13] = [
    // Codex.
    mark(
        b"# AGENTS.md instructions for ",
        Name::FilesOf("AGENTS.md for "),
        Some(b"</INSTRUCTIONS>"),
    ),
    mark(
        b"<user_instructions>",
        Name::Project("user_instructions"),
        Some(b"</user_instructions>"),
    ),
    mark(
        b"<environment_context>",
        Name::Session("environment_context"),
        Some(b"</environment_context>"),
    ),
    // gemini-cli.
    mark(
        b"--- Context from: ",
        Name::File(" ---"),
        Some(b"--- End of Context from: "),
    ),
    mark(
        b"<session_context>",
        Name::Session("session_context"),
        Some(b"</session_context>"),
    ),
    mark(
        b"<global_context>",
        Name::Project("global_context"),
        Some(b"</global_context>"),
    ),
    mark(
        b"<extension_context>",
        Name::Project("extension_context"),
        Some(b"</extension_context>"),
    ),
    mark(
        b"<project_context>",
        Name::Project("project_context"),
        Some(b"</project_context>"),
    ),
    // opencode.
    mark(b"Instructions from: ", Name::File(""), None),
    mark(b"<env>", Name::Session("env"), Some(b"</env>")),
    // Cline and Roo.
    mark(
        b"<environment_details>",
        Name::Session("environment_details"),
        Some(b"</environment_details>"),
    ),
    // pi.
    Mark {
        start: b"## /",
        name: Name::File(""),
        end: None,
        after: Some(b"# Project Context"),
    },
    Mark {
        start: b"Current date: ",
        name: Name::Session("date"),
        end: None,
        after: Some(b"# Project Context"),
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
                Name::File(suffix) => {
                    // The slash of a path is a part of its mark.
                    let slash = usize::from(mark.start.ends_with(b"/"));
                    let path = line(&text[at + mark.start.len() - slash..])?;
                    let path = path.strip_suffix(suffix)?.to_owned();
                    (PartKind::File, path, PartLayer::Project)
                }
                Name::FilesOf(words) => {
                    let directory = line(&text[at + mark.start.len()..])?;
                    (
                        PartKind::File,
                        words.to_owned() + &directory,
                        PartLayer::Project,
                    )
                }
                Name::Project(name) => (PartKind::Section, name.to_owned(), PartLayer::Project),
                Name::Session(name) => (PartKind::Section, name.to_owned(), PartLayer::Session),
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
