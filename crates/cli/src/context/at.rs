//! `aside context --at`: the parts that contain a byte or a JSON path, and their source.
//!
//! ```text
//! byte 900, line 1 of the text
//!   request  8760 bytes, ~2726 tokens, written 5m
//!     system prompt system  system  2460 bytes, ~861 tokens, written 5m
//!       text  system[0]  2449 bytes, ~861 tokens, written 5m
//! layer: system
//! text:  is 10:53. Read before you write. Run th▸e tests after each change.
//! ```

use anyhow::anyhow;
use aside_cache_model::Body;
use aside_inspect::{ByteLocation, Report, RequestPart};
use aside_json::unescape;
use aside_messages::Source;
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::output;

/// How many bytes to show before and after the one asked for: with its label, they fit 80 columns.
const EXCERPT_BYTES: usize = 34;

/// The object that `--json` prints.
#[derive(Serialize)]
struct Found<'a> {
    /// The offset of the byte in the body; for a path, that of its value.
    offset: usize,
    /// The line within the text of the smallest part, from 1; `null` outside of a text.
    line: Option<usize>,
    /// The parts that contain the byte, from the whole request to the smallest.
    parts: Vec<PartOf<'a>>,
    /// The source of the smallest part that has one, such as a section or a file.
    source: Option<String>,
    /// Why that part is in the request.
    why: Option<&'a str>,
}

/// A part that contains the byte.
#[derive(Serialize)]
struct PartOf<'a> {
    /// Its kind, such as `system`, `text` or `tool`.
    kind: aside_inspect::PartKind,
    /// Its name; empty if it has none.
    name: &'a str,
    /// Its JSON path; empty for the request.
    path: &'a str,
    /// The offset of its first byte.
    start: usize,
    /// The offset of the byte after its last one.
    end: usize,
    /// Its length in bytes.
    bytes: usize,
    /// Its estimated tokens.
    tokens: u64,
    /// Its state in the cache: read, written, or neither.
    state: aside_inspect::CacheState,
    /// The layer that it belongs to, if it is known.
    layer: Option<aside_inspect::PartLayer>,
}

/// Prints the location of a byte, if `place` is a number, or of the value at a JSON path.
///
/// # Errors
/// A place that the body does not have is a usage error, with the length of the body if
/// it is a number.
pub(super) fn run(place: &str, request: &Body, report: &Report, json: bool) -> Result<(), Failure> {
    let found = match place.parse::<usize>() {
        Ok(offset) => report.at_byte(offset, request).ok_or_else(|| {
            anyhow!(
                "byte {offset} is after the end: the body has {} bytes",
                report.root.bytes
            )
        }),
        Err(_) => report
            .at_path(place, request)
            .ok_or_else(|| anyhow!("the body has no value at {}", one_line(place))),
    };
    let found = found.map_err(Failure::usage)?;
    if json {
        output::json(&Found::of(&found))?;
    } else {
        output::text(&lines(&found, request))?;
    }
    Ok(())
}

impl<'a> Found<'a> {
    fn of(found: &ByteLocation<'a>) -> Self {
        let part = |it: &&'a RequestPart| PartOf {
            kind: it.kind,
            name: &it.name,
            path: &it.path,
            start: it.range.start,
            end: it.range.end,
            bytes: it.bytes,
            tokens: it.tokens(),
            state: it.state,
            layer: it.layer,
        };
        let (source, why) = origin(found);
        Self {
            offset: found.offset,
            line: found.line,
            parts: found.parts.iter().map(part).collect(),
            source: source.map(ToString::to_string),
            why,
        }
    }
}

/// Returns the source of the smallest part that has one, and its origin.
fn origin<'a>(found: &ByteLocation<'a>) -> (Option<&'a Source>, Option<&'a str>) {
    let parts = || found.parts.iter().rev();
    let source = parts().find_map(|it| it.source.as_ref());
    let why = parts().find_map(|it| it.origin.as_deref());
    (source, why)
}

/// Returns the text output. Control characters are escaped, and the indent is kept.
fn lines(found: &ByteLocation<'_>, request: &Body) -> String {
    let mut lines = Vec::new();
    let place = match found.line {
        Some(line) => format!("byte {}, line {line} of the text", found.offset),
        None => format!("byte {}", found.offset),
    };
    lines.push(place);
    for (level, part) in found.parts.iter().enumerate() {
        let mut name = part.kind.as_str().to_owned();
        for more in [Some(part.name.as_str()), part.detail.as_deref()] {
            if let Some(more) = more.filter(|it| !it.is_empty() && *it != name) {
                name.push_str(&format!(" {more}"));
            }
        }
        let path = match part.path.as_str() {
            "" => String::new(),
            path => format!("  {path}"),
        };
        lines.push(format!(
            "{}{name}{path}  {} bytes, ~{} tokens, {}",
            "  ".repeat(level + 1),
            part.bytes,
            part.tokens(),
            part.state.as_str()
        ));
    }
    let (source, why) = origin(found);
    if let Some(layer) = found.parts.iter().rev().find_map(|it| it.layer) {
        lines.push(format!("layer: {}", layer.as_str()));
    }
    if let Some(source) = source {
        lines.push(format!("source: {source}"));
    }
    if let Some(why) = why {
        lines.push(format!("why: {why}"));
    }
    lines.push(excerpt(found.offset, request));
    lines
        .iter()
        .map(|it| one_line_indented(it) + "\n")
        .collect()
}

/// Escapes a line, and keeps the spaces at its start.
fn one_line_indented(line: &str) -> String {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    " ".repeat(spaces) + &one_line(&line[spaces..])
}

/// Returns the text around a byte, with `▸` before it. Escapes of JSON are resolved, and
/// characters that are cut at either end are left out.
fn excerpt(offset: usize, request: &Body) -> String {
    let bytes = request.as_bytes();
    let start = offset.saturating_sub(EXCERPT_BYTES);
    let end = bytes.len().min(offset + EXCERPT_BYTES);
    let text = |part: &[u8]| unescape(part).replace(char::REPLACEMENT_CHARACTER, "");
    format!(
        "text: {}▸{}",
        text(&bytes[start..offset]),
        text(&bytes[offset..end])
    )
}
