//! The form for machines: see `report.schema.json`.
//!
//! The structs borrow from the report and mirror the schema, field by field.

use aside_cache_model::{CacheLifetime, Cost, Effect, InputTokens};
use aside_messages::Source;
use aside_models::Wire;
use serde::Serialize;

use crate::hints::Hint;
use crate::part::{CacheState, PartKind, PartLayer, RequestPart};
use crate::report::{Report, ReportMarker};

/// A report for serde.
#[derive(Debug, Serialize)]
pub struct ReportView<'a> {
    wire: Wire,
    model: Option<&'a str>,
    bytes: usize,
    tokens: u64,
    tokens_exact: Option<u64>,
    tokens_error_percent: Option<u8>,
    measured_error_percent: Option<f64>,
    usage: InputTokens,
    cost: Option<Cost>,
    window: Option<u64>,
    window_share: Option<f64>,
    cached_share: f64,
    json_bytes: usize,
    is_first: bool,
    layers: Vec<LayerView>,
    markers: Vec<MarkerView<'a>>,
    hints: &'a [Hint],
    parts: PartView<'a>,
}

/// The sums of one layer.
#[derive(Debug, Serialize)]
struct LayerView {
    layer: PartLayer,
    bytes: usize,
    tokens: u64,
    usage: InputTokens,
    cost: Option<Cost>,
}

/// A cache marker.
#[derive(Debug, Serialize)]
struct MarkerView<'a> {
    path: &'a str,
    ttl: CacheLifetime,
    tokens: u64,
    window_start: u64,
    effect: Option<Effect>,
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
    end: usize,
    bytes: usize,
    tokens: u64,
    state: CacheState,
    layer: Option<PartLayer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<PartView<'a>>,
}

/// A source, as `{"kind": …}`.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum SourceView<'a> {
    Tool { name: &'a str },
    Section { name: &'a str },
    Entry { id: String, part: usize },
    Reminder { id: &'a str },
    Envelope,
}

impl<'a> SourceView<'a> {
    pub(crate) fn of(source: &'a Source) -> Self {
        match source {
            Source::Tool { name } => Self::Tool { name },
            Source::Section { name } => Self::Section { name },
            Source::Entry { id, part } => Self::Entry {
                id: id.to_string(),
                part: *part,
            },
            Source::Reminder { id } => Self::Reminder { id },
            _ => Self::Envelope,
        }
    }
}

impl Report {
    /// Returns the form for machines. Parts deeper than `depth` are left out;
    /// those that are there still sum to the whole.
    ///
    /// ```
    /// use aside_cache_model::RequestBytes;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    /// let report = aside_inspect::report(&RequestBytes::parse(body)?, None, None);
    /// let json = serde_json::to_value(report.view(usize::MAX))?;
    /// assert_eq!(json["bytes"], body.len());
    /// assert_eq!(json["parts"]["children"][1]["path"], "messages");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn view(&self, depth: usize) -> ReportView<'_> {
        let layers = self.layers().into_iter().map(|it| LayerView {
            layer: it.layer,
            bytes: it.bytes,
            tokens: it.usage.input(),
            usage: it.usage,
            cost: it.cost,
        });
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
            window: self.window,
            window_share: self.window_share(),
            cached_share: self.cached_share(),
            json_bytes: self.json_bytes(),
            is_first: self.is_first,
            layers: layers.collect(),
            markers: self.markers.iter().map(MarkerView::of).collect(),
            hints: &self.hints,
            parts: PartView::of(&self.root, depth),
        }
    }
}

impl<'a> MarkerView<'a> {
    fn of(marker: &'a ReportMarker) -> Self {
        Self {
            path: &marker.path,
            ttl: marker.ttl,
            tokens: marker.tokens,
            window_start: marker.window_start,
            effect: marker.effect,
        }
    }
}

impl<'a> PartView<'a> {
    fn of(part: &'a RequestPart, depth: usize) -> Self {
        let children = match depth {
            0 => Vec::new(),
            _ => part
                .children
                .iter()
                .map(|it| Self::of(it, depth - 1))
                .collect(),
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
            source: part.source.as_ref().map(SourceView::of),
            origin: part.origin.as_deref(),
            cost: part.cost,
            children,
        }
    }
}
