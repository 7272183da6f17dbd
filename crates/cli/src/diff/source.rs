//! The source of a changed byte: which tool, instruction file, section or reminder it
//! belongs to.
//!
//! There are two ways to find it. The body itself names some sources: a tool by its
//! `name`, an instruction file by the line `Contents of …` before it, a section by its
//! heading. The source map that `aside render --source-map` writes names the source of
//! every range, and the reason for it. A file found in the text has precedence over the
//! map, which knows only the entry that holds all files; otherwise the map has
//! precedence.

use std::path::Path;

use anyhow::Context;
use aside_cache_model::{Body, Difference};
use aside_inspect::{PartKind, RequestPart, report};
use aside_json::unescape;
use aside_text::one_line;
use aside_user_files::json;
use serde::{Deserialize, Serialize};

use crate::input;

/// The longest source map that is read, in bytes.
const MAX_MAP_BYTES: u64 = 64 * input::MIB;

/// The distance before a byte in which its heading is searched, in bytes.
const MAX_HEADING_BYTES: usize = 64 * 1024;

/// The source of a byte. In the text output: `source: file CLAUDE.md, line 12 (why)`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ByteSource {
    /// `file`, `tool`, `section`, or the kind that the source map has, such as
    /// `reminder`.
    kind: String,
    /// The path of a file, the name of a tool or section, the id of a reminder, or a
    /// heading.
    name: String,
    /// The line in an instruction file or a section, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Why it is in the request: the `origin` of its range in the source map.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// A range of a source map of `aside render`; ranges do not overlap.
///
/// ```json
/// {"start": 80, "end": 154, "source": {"kind": "section", "name": "identity"},
///  "origin": "before the prompt, the same in every session of a project"}
/// ```
#[derive(Debug, Deserialize)]
struct Range {
    /// The offset of its first byte in the body.
    start: usize,
    /// The offset of the byte after its last one.
    end: usize,
    /// The part with the bytes; absent for the JSON between the parts.
    #[serde(default)]
    source: Option<MappedSource>,
    /// Why they are in the request, as a phrase.
    #[serde(default)]
    origin: Option<String>,
}

/// The source of a range.
#[derive(Debug, Deserialize)]
struct MappedSource {
    /// The kind of the source, such as `section` or `reminder`.
    kind: String,
    #[serde(default)]
    name: Option<String>,
    /// The id of a reminder, which has no `name`.
    #[serde(default)]
    id: Option<String>,
}

impl MappedSource {
    /// Returns the name, or the id of a reminder; `None` if it has neither.
    fn name(&self) -> Option<&String> {
        let id = self.id.as_ref().filter(|_| self.kind == "reminder");
        self.name.as_ref().or(id)
    }
}

/// The source map of the later body: its ranges in the order of the file.
#[derive(Debug)]
pub(super) struct SourceMap(Vec<Range>);

impl SourceMap {
    /// Reads a source map of at most 64 MiB; keys that it does not use are ignored.
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = input::text(file, MAX_MAP_BYTES)?;
        let ranges = json::read(&text).map_err(|error| anyhow::anyhow!("{error}"));
        ranges
            .map(Self)
            .with_context(|| format!("failed to read {}", file.display()))
    }

    /// Returns the range that contains a byte of the body. Linear in the number of
    /// ranges.
    fn at(&self, offset: usize) -> Option<&Range> {
        let mut ranges = self.0.iter();
        ranges.find(|it| (it.start..it.end).contains(&offset))
    }
}

impl ByteSource {
    /// Finds the source of the first changed byte of the later body: the file or
    /// the tool that the text around it names, or the heading above it. A source
    /// map also has the section.
    pub(super) fn of(
        difference: &Difference,
        request: &Body,
        map: Option<&SourceMap>,
    ) -> Option<Self> {
        let offset = difference.byte_offset;
        let found = report(request, None, None);
        let location = found.at_byte(offset, request)?;
        let by_text = by_parts(&location.parts, location.line, request, offset);
        let Some(range) = map.and_then(|map| map.at(offset)) else {
            return by_text;
        };
        let by_map = range.source.as_ref().and_then(|source| {
            Some(Self {
                kind: source.kind.clone(),
                name: source.name()?.clone(),
                line: None,
                why: None,
            })
        });
        // A file is a part of the entry of the context.
        let is_file = by_text.as_ref().is_some_and(|it| it.kind == "file");
        let found = if is_file {
            by_text.or(by_map)
        } else {
            by_map.or(by_text)
        };
        let why = range.origin.clone();
        found.map(|found| Self { why, ..found })
    }

    /// Returns the line of the output.
    pub(super) fn line(&self) -> String {
        let mut text = format!("source: {}", self.kind);
        if !self.name.is_empty() {
            text.push(' ');
            text.push_str(&one_line(&self.name));
        }
        if let Some(line) = self.line {
            text.push_str(&format!(", line {line}"));
        }
        if let Some(why) = &self.why {
            text.push_str(&format!(" ({})", one_line(why)));
        }
        text
    }
}

/// Finds the source of a byte by the parts of the body that contain it, from the request
/// down to the smallest.
///
/// A file has precedence over a tool, and a tool over a section. A section is searched
/// only in the system prompt and in reminders, because a heading in other messages is
/// text of the user or of a tool. The search goes back at most `MAX_HEADING_BYTES` from
/// the byte.
fn by_parts(
    parts: &[&RequestPart],
    line: Option<usize>,
    request: &Body,
    offset: usize,
) -> Option<ByteSource> {
    let named = |kind: PartKind| {
        let mut parts = parts.iter().rev();
        parts.find(|it| it.kind == kind && !it.name.is_empty())
    };
    for kind in [PartKind::File, PartKind::Tool] {
        if let Some(part) = named(kind) {
            return Some(ByteSource {
                kind: kind.as_str().to_owned(),
                name: part.name.clone(),
                line: line.filter(|_| kind == PartKind::File),
                why: None,
            });
        }
    }
    let of_kind = |kind: PartKind| parts.iter().any(|it| it.kind == kind);
    let text = parts.last()?;
    let is_prompt = of_kind(PartKind::System) || of_kind(PartKind::Reminder);
    if !is_prompt || text.range.end <= offset {
        return None;
    }
    // The block, since a reminder may be split at its headings.
    let block = parts.iter().rev().find(|it| it.path.ends_with(']'))?;
    let start = block
        .range
        .start
        .max(offset.saturating_sub(MAX_HEADING_BYTES));
    let before = unescape(&request.as_bytes()[start..offset]);
    let after = unescape(&request.as_bytes()[offset..block.range.end.min(offset + 256)]);
    let (name, line) = heading(&before, &after)?;
    Some(ByteSource {
        kind: "section".to_owned(),
        name,
        line: Some(line),
        why: None,
    })
}

/// Returns the last heading (`# ` or `## `) before the end of a text, and the number of
/// the line at its end, from 1 at the heading.
///
/// `after` is the text from the byte on: if the byte is within a heading, the rest of its
/// line completes the name. Returns `None` if there is no heading.
fn heading(before: &str, after: &str) -> Option<(String, usize)> {
    let rest = after.lines().next().unwrap_or_default();
    let lines: Vec<&str> = before.split('\n').collect();
    let is_heading = |line: &&str| line.starts_with("# ") || line.starts_with("## ");
    let at = lines.iter().rposition(is_heading)?;
    let is_last = at + 1 == lines.len();
    let name = match is_last {
        true => format!("{}{rest}", lines[at]),
        false => lines[at].to_owned(),
    };
    let name = name.trim_start_matches('#').trim().to_owned();
    Some((name, lines.len() - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, expected: Option<(&str, usize)>) {
        let expected = expected.map(|(name, line)| (name.to_owned(), line));
        assert_eq!(heading(before, "end\nmore"), expected, "{before:?}");
    }

    #[test]
    fn the_last_heading_before_a_byte() {
        check("intro", None);
        check("intro\n# Tone\n\nBe kind, ", Some(("Tone", 3)));
        check("# Tone\n## Length of ", Some(("Length of end", 1)));
        check("#hashtag", None);
    }
}
