//! Where a changed byte comes from: a tool, an instruction file, a section or a
//! reminder.
//!
//! There are two ways to find out. The body itself names some sources: a tool
//! by its `name`, an instruction file by the line `Contents of …` before it, a
//! section by its heading. The source map that `aside render --source-map`
//! writes names each range's source, and the reason for it. A file found in the
//! text takes precedence over the map, which knows only the entry that holds
//! all files. For everything else, the map takes precedence.

use std::path::Path;

use anyhow::Context;
use aside_cache_model::{Body, Difference};
use aside_inspect::{PartKind, RequestPart, parts_at};
use aside_json::unescape;
use aside_text::one_line;
use aside_user_files::json;
use serde::{Deserialize, Serialize};

use crate::input;

/// The largest source map to read, in bytes.
const MAX_MAP_BYTES: u64 = 64 * input::MIB;

/// How far back to look for a heading, in bytes.
const MAX_HEADING_BYTES: usize = 64 * 1024;

/// Where a byte comes from. In text output:
/// `source: file CLAUDE.md, line 12 (why)`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ByteSource {
    /// `file`, `tool`, `section`, or the source map's kind, such as `reminder`.
    kind: String,
    /// A file path, a tool or section name, a reminder id, or a heading.
    name: String,
    /// The line in an instruction file or a section, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Why it is in the request: its `origin` in the source map.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// A range in a source map from `aside render`; ranges do not overlap.
///
/// ```json
/// {"start": 80, "end": 154, "source": {"kind": "section", "name": "identity"},
///  "origin": "before the prompt, the same in every session of a project"}
/// ```
#[derive(Debug, Deserialize)]
struct Range {
    /// Where it starts in the body, in bytes.
    start: usize,
    /// Where it ends in the body, in bytes, exclusive.
    end: usize,
    /// Which part these bytes belong to; absent for JSON between parts.
    #[serde(default)]
    source: Option<MappedSource>,
    /// Why they are in the request, as a phrase.
    #[serde(default)]
    origin: Option<String>,
}

#[derive(Debug, Deserialize)]
struct MappedSource {
    /// Such as `section` or `reminder`.
    kind: String,
    #[serde(default)]
    name: Option<String>,
    /// A reminder's id; it has no `name`.
    #[serde(default)]
    id: Option<String>,
}

impl MappedSource {
    fn name(&self) -> Option<&String> {
        let id = self.id.as_ref().filter(|_| self.kind == "reminder");
        self.name.as_ref().or(id)
    }
}

/// The later body's source map, in file order.
#[derive(Debug)]
pub(super) struct SourceMap(Vec<Range>);

impl SourceMap {
    /// Reads a source map, up to 64 MiB. Unused keys are ignored.
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = input::text(file, MAX_MAP_BYTES)?;
        let ranges = json::read(&text).map_err(|error| anyhow::anyhow!("{error}"));
        ranges.map(Self).with_context(|| format!("failed to read {}", file.display()))
    }

    /// Returns the range that contains the first changed byte. An added part
    /// begins with JSON between parts, so its first range with a source counts.
    /// Takes time linear in the number of ranges.
    fn at(&self, difference: &Difference) -> Option<&Range> {
        let start = difference.byte_offset?;
        let is_added = difference.before.bytes == 0;
        let end = start + if is_added { difference.after.bytes.max(1) } else { 1 };
        let mut ranges = self.0.iter().filter(|it| it.start < end && start < it.end);
        let first = ranges.next()?;
        let is_named = |it: &&Range| it.source.is_some();
        Some(first).filter(is_named).or_else(|| ranges.find(is_named)).or(Some(first))
    }
}

impl ByteSource {
    /// Finds where the later body's first changed byte comes from: the file or
    /// tool that the surrounding text names, or the heading above it. A source
    /// map adds the section. `None` for a model that only the request's path names.
    pub(super) fn of(
        difference: &Difference,
        request: &Body,
        map: Option<&SourceMap>,
    ) -> Option<Self> {
        let offset = difference.byte_offset?;
        let found = parts_at(request, offset);
        let location = found.at_byte(offset, request)?;
        let by_text = by_parts(&location.parts, location.line, request, offset);
        let Some(range) = map.and_then(|map| map.at(difference)) else {
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
        // A file is only part of its context entry.
        let is_file = by_text.as_ref().is_some_and(|it| it.kind == "file");
        let found = if is_file { by_text.or(by_map) } else { by_map.or(by_text) };
        let why = range.origin.clone();
        found.map(|found| Self { why, ..found })
    }

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

/// Finds a byte's source by the parts that contain it, from the request down to
/// the smallest.
///
/// A file takes precedence over a tool, and a tool over a section. Only the
/// system prompt and reminders are searched for sections: in other messages, a
/// heading is text from the user or a tool. The search goes back at most
/// `MAX_HEADING_BYTES`.
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
    // Use the whole block, since a reminder may be split at its headings.
    let block = parts.iter().rev().find(|it| it.path.ends_with(']'))?;
    let start = block.range.start.max(offset.saturating_sub(MAX_HEADING_BYTES));
    let before = unescape(&request.as_bytes()[start..offset]);
    let after = unescape(&request.as_bytes()[offset..block.range.end.min(offset + 256)]);
    let (name, line) = heading(&before, &after)?;
    Some(ByteSource { kind: "section".to_owned(), name, line: Some(line), why: None })
}

/// Returns the last heading (`# ` or `## `) before the end, and the line number
/// at the end, from 1 at the heading.
///
/// `after` is the text from the byte on: when the byte is within a heading, it
/// completes the name. Returns `None` when there is no heading.
fn heading(before: &str, after: &str) -> Option<(String, usize)> {
    let rest = after.lines().next().unwrap_or_default();
    let lines: Vec<&str> = before.split('\n').collect();
    let is_heading = |line: &&str| line.starts_with("# ") || line.starts_with("## ");
    let at = lines.iter().rposition(is_heading)?;
    let is_last = at + 1 == lines.len();
    let name = if is_last { format!("{}{rest}", lines[at]) } else { lines[at].to_owned() };
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
