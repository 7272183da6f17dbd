//! The report for machines: see `report.schema.json`.
//!
//! The structs borrow from the report and mirror the schema, field by field.
//!
//! ```json
//! {"wire": "…", "model": "claude-opus-5-5", "bytes": 912, "tokens": 240, "tokens_exact": null,
//!  "usage": {"read": 0, "write_5m": 0, "write_1h": 0, "uncached": 240}, "cost": 0.00096,
//!  "window": 1000000, "cached_share": 0.0, "json_bytes": 120, "is_first": true,
//!  "layers": […], "markers": […], "hints": […], "servers": […],
//!  "parts": {"kind": "body", "path": "", "start": 0, "end": 912, "bytes": 912, "tokens": 240,
//!            "state": "mixed", "layer": null, "children": […]}}
//! ```
//!
//! Money is in US dollars, lengths are in bytes, shares are from 0 to 1. An
//! unknown value is null; in a part, empty and unknown values are left out.

use aside_cache_model::{Cost, Usage};
use aside_messages::Source;
use aside_models::{Date, Wire};
use serde::{Serialize, Serializer};

use crate::hints::Hint;
use crate::on_disk::DiskSource;
use crate::part::{CacheState, PartKind, PartLayer, RequestPart};
use crate::report::{LayerSum, Report, ReportMarker};
use crate::servers::ServerShare;

/// A report for serde.
///
/// Get one with [`Report::view`]; all you can do is write it.
#[derive(Debug, Serialize)]
pub struct ReportView<'a> {
    wire: Wire,
    model: Option<&'a str>,
    /// The body's length.
    bytes: usize,
    /// Estimated tokens.
    tokens: u64,
    /// How many tokens the provider counted, if it was asked.
    tokens_exact: Option<u64>,
    /// How far this model's estimates may be off, in percent.
    tokens_error_percent: Option<u8>,
    /// How far this estimate is off from the count, in percent.
    measured_error_percent: Option<f64>,
    /// Estimated tokens by price class.
    usage: Usage,
    cost: Option<Cost>,
    /// From which day these prices are.
    prices_as_of: Option<Date>,
    /// The model's context window, in tokens.
    window: Option<u64>,
    /// The share of the window; above 1 if the request does not fit.
    window_share: Option<f64>,
    /// Which share of the tokens is read or written.
    cached_share: f64,
    /// How many bytes are JSON around content.
    json_bytes: usize,
    /// True if the cache states are for a first request.
    is_first: bool,
    layers: Vec<LayerSum>,
    markers: &'a [ReportMarker],
    hints: &'a [Hint],
    #[serde(skip_serializing_if = "<[DiskSource]>::is_empty")]
    on_disk: &'a [DiskSource],
    servers: &'a [ServerShare],
    /// The body with its parts, as deep as asked.
    parts: PartView<'a>,
}

/// A part with its children.
#[derive(Debug, Serialize)]
struct PartView<'a> {
    kind: PartKind,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    path: &'a str,
    start: usize,
    /// The byte after the last one.
    end: usize,
    /// The length; for JSON, of the bytes that no other child covers.
    bytes: usize,
    tokens: u64,
    state: CacheState,
    layer: Option<PartLayer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a Source>,
    /// The source as text, as in `the user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    #[serde(skip_serializing_if = "Children::is_empty")]
    children: Children<'a>,
}

/// A part's children down to a depth. Their views are made while they are
/// written: all at once would be as large as the report.
#[derive(Debug)]
struct Children<'a> {
    parts: &'a [RequestPart],
    /// How deep the views below these go.
    depth: usize,
}

impl Children<'_> {
    fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

impl Serialize for Children<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.parts.iter().map(|it| PartView::of(it, self.depth)))
    }
}

impl Report {
    /// Returns the report for machines. Parts deeper than `depth` are left out;
    /// those that are there still add up to the whole.
    ///
    /// ```
    /// use aside_cache_model::Body;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    /// let report = aside_inspect::report(&Body::parse(body)?, None, None);
    /// let json = serde_json::to_value(report.view(usize::MAX))?;
    /// assert_eq!(json["bytes"], body.len());
    /// assert_eq!(json["parts"]["children"][1]["path"], "messages");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn view(&self, depth: usize) -> ReportView<'_> {
        ReportView {
            wire: self.wire,
            model: self.model.as_deref(),
            bytes: self.root.bytes,
            tokens: self.root.tokens(),
            tokens_exact: self.exact_tokens,
            tokens_error_percent: self.estimate_error_percent(),
            measured_error_percent: self.measured_error_percent(),
            usage: self.root.usage,
            cost: self.root.cost,
            prices_as_of: self.billed.prices_as_of,
            window: self.window,
            window_share: self.window_share(),
            cached_share: self.cached_share(),
            json_bytes: self.json_bytes(),
            is_first: self.is_first,
            layers: self.layers(),
            markers: &self.markers,
            hints: &self.hints,
            on_disk: &self.on_disk,
            servers: &self.servers,
            parts: PartView::of(&self.root, depth),
        }
    }
}

impl<'a> PartView<'a> {
    /// Children below the depth are left out, and their sums stay in the part.
    fn of(part: &'a RequestPart, depth: usize) -> Self {
        let children = Children {
            parts: if depth == 0 { &[] } else { &part.children },
            depth: depth.saturating_sub(1),
        };
        Self {
            kind: part.kind,
            name: &part.name,
            detail: part.detail.as_deref(),
            path: &part.path,
            start: part.range.start,
            end: part.range.end,
            bytes: part.bytes,
            tokens: part.tokens(),
            state: part.state,
            layer: part.layer,
            source: part.source.as_ref(),
            origin: part.origin.as_deref(),
            cost: part.cost,
            children,
        }
    }
}
