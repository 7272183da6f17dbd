//! A flat map from bytes to parts.
//!
//! The map is for tools that mark a body byte by byte, such as editors; the
//! tree is for readers.

use std::ops::Range;

use aside_messages::Source;
use serde::Serialize;

use crate::part::{CacheState, PartKind, PartLayer, RequestPart};
use crate::report::Report;

/// Bytes in a body that belong to one part. A source map's segments cover the
/// body without gaps or overlaps.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SourceSegment<'a> {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// What the part is.
    pub kind: PartKind,
    /// The part's path, or that of the part around the JSON.
    pub path: &'a str,
    /// Its name: a tool's, a section's, a file's.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: &'a str,
    /// Its layer.
    pub layer: Option<PartLayer>,
    /// Its state in the cache.
    pub state: CacheState,
    /// Its source, if Aside built the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a Source>,
    /// The source as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'a str>,
}

impl Report {
    /// Returns the body's segments, in order. They cover it.
    ///
    /// ```
    /// use aside_cache_model::Body;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    /// let report = aside_inspect::report(&Body::parse(body)?, None, None);
    /// let map = report.source_map();
    /// assert_eq!((map[0].start, map[map.len() - 1].end), (0, body.len()));
    /// assert!(map.windows(2).all(|it| it[0].end == it[1].start));
    /// # Ok::<(), aside_cache_model::ParseError>(())
    /// ```
    ///
    /// A part whose JSON is in several places has several segments. The cost is
    /// linear in how many parts there are.
    #[must_use]
    pub fn source_map(&self) -> Vec<SourceSegment<'_>> {
        let mut segments = Vec::new();
        add(&self.root, &mut segments);
        segments
    }
}

/// Adds a part's segments: its children's, and the JSON between them. A part
/// without children is one segment.
fn add<'a>(part: &'a RequestPart, to: &mut Vec<SourceSegment<'a>>) {
    let json = part.children.iter().find(|it| it.kind == PartKind::Json);
    let mut at = part.range.start;
    for child in part.children.iter().filter(|it| it.kind != PartKind::Json) {
        if let Some(json) = json {
            push(json, at..child.range.start, to);
        }
        add(child, to);
        at = child.range.end;
    }
    push(json.unwrap_or(part), at..part.range.end, to);
}

/// Adds a segment, unless it is empty.
fn push<'a>(part: &'a RequestPart, range: Range<usize>, to: &mut Vec<SourceSegment<'a>>) {
    if range.is_empty() {
        return;
    }
    to.push(SourceSegment {
        start: range.start,
        end: range.end,
        kind: part.kind,
        path: &part.path,
        name: &part.name,
        layer: part.layer,
        state: part.state,
        source: part.source.as_ref(),
        origin: part.origin.as_deref(),
    });
}
