//! `aside context --at`: the source of a byte or of a JSON path.

use anyhow::anyhow;
use aside_cache_model::{RequestBytes, unescape_json};
use aside_inspect::{ByteLocation, Report, RequestPart};
use aside_messages::Source;
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::output;

/// The text around a byte, in bytes before and after it.
const EXCERPT_BYTES: usize = 60;

#[derive(Serialize)]
struct Found<'a> {
    offset: usize,
    line: Option<usize>,
    parts: Vec<PartOf<'a>>,
    source: Option<String>,
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct PartOf<'a> {
    kind: aside_inspect::PartKind,
    name: &'a str,
    path: &'a str,
    start: usize,
    end: usize,
    bytes: usize,
    tokens: u64,
    state: aside_inspect::CacheState,
    layer: Option<aside_inspect::PartLayer>,
}

pub(super) fn run(
    place: &str,
    request: &RequestBytes,
    report: &Report,
    json: bool,
) -> Result<(), Failure> {
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
    let text = match json {
        true => serde_json::to_string_pretty(&Found::of(&found))? + "\n",
        false => lines(&found, request),
    };
    output::print([text.as_bytes()])?;
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

fn lines(found: &ByteLocation<'_>, request: &RequestBytes) -> String {
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

fn one_line_indented(line: &str) -> String {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    " ".repeat(spaces) + &one_line(&line[spaces..])
}

fn excerpt(offset: usize, request: &RequestBytes) -> String {
    let bytes = request.as_bytes();
    let start = offset.saturating_sub(EXCERPT_BYTES);
    let end = bytes.len().min(offset + EXCERPT_BYTES);
    let text = |part: &[u8]| unescape_json(part).replace(char::REPLACEMENT_CHARACTER, "");
    format!(
        "text: {}▸{}",
        text(&bytes[start..offset]),
        text(&bytes[offset..end])
    )
}
