//! `aside context --at`: which parts contain a byte or a JSON path, and where
//! they come from.
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

/// How many bytes to show before and after the requested one: with the label,
/// they fit 80 columns.
const EXCERPT_BYTES: usize = 34;

/// The object that `--json` prints.
#[derive(Serialize)]
struct Found<'a> {
    /// The byte's offset in the body; for a path, where its value starts.
    offset: usize,
    /// The line within the smallest part's text, from 1; `null` outside a text.
    line: Option<usize>,
    /// Which parts contain the byte, from the whole request to the smallest.
    parts: Vec<PartOf<'a>>,
    /// Where the smallest part comes from, such as a section or a file; parts
    /// without a source are passed over.
    source: Option<String>,
    /// Why this part is in the request.
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct PartOf<'a> {
    /// Such as `system`, `text` or `tool`.
    kind: aside_inspect::PartKind,
    /// Empty when it has no name.
    name: &'a str,
    /// Its JSON path; empty for the request.
    path: &'a str,
    /// Where it starts in the body, in bytes.
    start: usize,
    /// Where it ends in the body, in bytes, exclusive.
    end: usize,
    bytes: usize,
    tokens: u64,
    /// Whether the cache reads it, writes it, or neither.
    state: aside_inspect::CacheState,
    /// The layer that it belongs to, when known.
    layer: Option<aside_inspect::PartLayer>,
}

/// Prints where a byte is, when `place` is a number, or where the value at a
/// JSON path is.
///
/// # Errors
/// When the body has no such place, this is a usage error, and for a number it
/// names the body length.
pub(super) fn run(place: &str, request: &Body, report: &Report, json: bool) -> Result<(), Failure> {
    let found = match place.parse::<usize>() {
        Ok(offset) => report.at_byte(offset, request).ok_or_else(|| {
            anyhow!("byte {offset} is after the end: the body has {} bytes", report.root.bytes)
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

/// Returns the source and origin to report: from the smallest part that has
/// one.
fn origin<'a>(found: &ByteLocation<'a>) -> (Option<&'a Source>, Option<&'a str>) {
    let parts = || found.parts.iter().rev();
    let source = parts().find_map(|it| it.source.as_ref());
    let why = parts().find_map(|it| it.origin.as_deref());
    (source, why)
}

/// Returns the text output. Control characters are escaped, and the indent is
/// kept.
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
    lines.iter().map(|it| one_line_indented(it) + "\n").collect()
}

/// Escapes a line, but keeps its leading spaces.
fn one_line_indented(line: &str) -> String {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    " ".repeat(spaces) + &one_line(&line[spaces..])
}

/// Returns the text around a byte, with `▸` before it. This resolves JSON
/// escapes, and leaves out characters that are cut at either end.
fn excerpt(offset: usize, request: &Body) -> String {
    let bytes = request.as_bytes();
    let start = offset.saturating_sub(EXCERPT_BYTES);
    let end = bytes.len().min(offset + EXCERPT_BYTES);
    let text = |part: &[u8]| unescape(part).replace(char::REPLACEMENT_CHARACTER, "");
    format!("text: {}▸{}", text(&bytes[start..offset]), text(&bytes[offset..end]))
}
