//! A page's data: figures, parts as rows, and their texts.
//!
//! The data is one object with figures, tables and rows, and one list of texts.
//! The page parses the list when a part is opened, so a long session is shown
//! before its texts are read.
//!
//! ```json
//! {"model": "claude-opus-5-5", "wire": "…", "bytes": 912, "tokens": 240, "window": 1000000,
//!  "layers": [{"name": "tools", "prompt": true, "bytes": 300, "usage": {…}, "cost": "$0.0005",
//!              "parts": 1}],
//!  "parts": {"shapes": […], "details": […], "rows": […]},
//!  "markers": [[path, ttl, tokens, window_start, effect]],
//!  "hints": [[kind, message, tokens, paths]],
//!  "steps": […], "redacted": false}
//! ```
//!
//! The script reads these keys by name, and the arrays by position: if you
//! change something here, change `page.js`.

use aside_cache_model::{Body, Usage};
use aside_json::unescape;
use aside_models::{Date, Wire};
use serde::Serialize;

use super::PageOptions;
use super::rows::{LastPath, RowFacts, Rows};
use crate::hints::Hint;
use crate::part::{PartKind, PartLayer, RequestPart};
use crate::report::Report;
use crate::timeline::Step;

/// A page's two JSON blocks.
pub(super) struct Data {
    /// Figures, tables and rows.
    pub(super) parts: String,
    /// The texts, in the order of the rows that have one; `null` if there are
    /// none.
    pub(super) texts: String,
}

/// Writes a page's data. Without texts, hint messages are left out, too,
/// because they quote names of files and commands.
///
/// The parts' rows are in layer order. Both results can go into a script
/// element as they are.
pub(super) fn of(report: &Report, request: &Body, steps: &[Step], options: &PageOptions) -> Data {
    let mut writer = Writer {
        bytes: request.as_bytes(),
        texts: options.has_texts.then(Vec::new),
        rows: Rows::default(),
    };
    let mut layers = Vec::new();
    for sum in report.layers() {
        let parts = report.parts_of(sum.layer);
        writer.list(&parts, "");
        layers.push(LayerData {
            name: sum.layer.as_str(),
            prompt: !matches!(sum.layer, PartLayer::Parameters | PartLayer::Json),
            bytes: sum.bytes,
            usage: sum.usage,
            cost: sum.cost.map(|it| it.to_string()),
            parts: parts.len(),
        });
    }
    let root = &report.root;
    let markers = report.markers.iter();
    let markers = markers.map(|it| (&it.path, it.ttl, it.tokens, it.window_start, it.effect));
    // A hint's message has names of files and commands.
    let message =
        |it: &Hint| if options.has_texts { it.message.clone() } else { it.rule.to_owned() };
    let hints = report.hints.iter();
    let hints = hints.map(|it| (it.rule, message(it), it.tokens, &it.paths));
    let data = PageData {
        model: &report.model,
        wire: report.wire,
        bytes: root.bytes,
        json_bytes: report.json_bytes(),
        tokens: root.tokens(),
        exact: report.exact_tokens,
        measured: report.measured_error_percent(),
        error: report.estimate_error_percent(),
        usage: root.usage,
        automatic: root.state == crate::part::CacheState::Automatic,
        first: report.is_first,
        window: report.window,
        cost: root.cost.map(|it| it.to_string()),
        price: root.cost.map(aside_cache_model::Cost::dollars),
        priced: report.billed.prices_as_of,
        layers,
        parts: writer.rows,
        markers: markers.collect::<Vec<_>>(),
        hints: hints.collect::<Vec<_>>(),
        steps,
        redacted: !options.has_texts,
    };
    Data {
        parts: escape(&serde_json::to_string(&data).unwrap_or_default()),
        texts: escape(&serde_json::to_string(&writer.texts).unwrap_or_default()),
    }
}

/// A page's data, except for its texts.
#[derive(Serialize)]
struct PageData<'a, M, H> {
    model: &'a Option<String>,
    wire: Wire,
    bytes: usize,
    json_bytes: usize,
    tokens: u64,
    exact: Option<u64>,
    measured: Option<f64>,
    error: Option<u8>,
    usage: Usage,
    automatic: bool,
    first: bool,
    window: Option<u64>,
    cost: Option<String>,
    price: Option<f64>,
    /// From which day these prices are.
    priced: Option<Date>,
    layers: Vec<LayerData>,
    parts: Rows,
    markers: M,
    hints: H,
    steps: &'a [Step],
    redacted: bool,
}

/// A layer in the request, whose parts are the next rows.
#[derive(Serialize)]
struct LayerData {
    name: &'static str,
    prompt: bool,
    bytes: usize,
    usage: Usage,
    cost: Option<String>,
    parts: usize,
}

/// Collects a page's rows and texts while it walks the tree.
struct Writer<'a> {
    /// The body, where the texts are.
    bytes: &'a [u8],
    /// `None` if the page has none.
    texts: Option<Vec<String>>,
    rows: Rows,
}

impl Writer<'_> {
    /// Adds a list's parts, which are in the part at the path `parent`.
    fn list(&mut self, parts: &[&RequestPart], parent: &str) {
        let mut last = LastPath::default();
        for part in parts {
            self.part(part, parent, &mut last);
        }
    }

    /// Adds a part and the parts in it. JSON around content has no row: its
    /// bytes are those of the part that no child has.
    ///
    /// A block with a single text is one row with that text, so that you need
    /// not open two levels.
    fn part(&mut self, part: &RequestPart, parent: &str, last: &mut LastPath) {
        let solid = || part.children.iter().filter(|it| it.kind != PartKind::Json);
        let children: Vec<&RequestPart> = solid().collect();
        // A block with one text is that text.
        let (leaf, children) = match &children[..] {
            [] => (Some(part), Vec::new()),
            [only] if only.children.is_empty() && part.kind != PartKind::Message => {
                (Some(*only), Vec::new())
            }
            _ => (None, children),
        };
        let facts = RowFacts {
            parent,
            detail: part.detail.as_deref().filter(|_| self.texts.is_some()),
            origin: part.origin.clone().or_else(|| leaf?.origin.clone()),
            has_text: leaf.is_some_and(|leaf| self.text(leaf)),
            children: children.len(),
        };
        self.rows.push(part, facts, last);
        self.list(&children, &part.path);
    }

    /// Adds a part's text. Returns false if it has none: image data,
    /// signatures, JSON, and everything in a page without texts.
    ///
    /// Strings are unescaped, other values are shown as written.
    fn text(&mut self, part: &RequestPart) -> bool {
        let Some(texts) = &mut self.texts else {
            return false;
        };
        if matches!(part.kind, PartKind::Data | PartKind::Signature | PartKind::Json) {
            return false;
        }
        let raw = &self.bytes[part.range.clone()];
        let is_string = part.kind.is_text()
            || part.range.start.checked_sub(1).is_some_and(|before| self.bytes[before] == b'"');
        texts.push(if is_string {
            unescape(raw)
        } else {
            String::from_utf8_lossy(raw).into_owned()
        });
        true
    }
}

/// Escapes JSON so that it ends no script element and begins no markup.
///
/// These escapes are valid only in JSON strings, and these characters occur
/// nowhere else in JSON. Line separators are escaped since old scripts end a
/// line there.
fn escape(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_is_the_same_value_without_markup() {
        let value = serde_json::json!({"</script>": "<!--<script>&amp;\u{2028}"});
        let escaped = escape(&value.to_string());
        assert!(!escaped.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).ok(), Some(value));
    }
}
