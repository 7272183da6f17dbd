//! A report for a terminal: a table by layer with bars, where the markers are,
//! the largest parts, the hints.
//!
//! The table leaves out columns that do not fit, bytes first. It has colours
//! only on request.

mod columns;
mod figures;
mod parts;
mod servers;
mod strip;

use std::collections::HashMap;
use std::fmt::Write;

use aside_cache_model::Effect;
use aside_text::{cut, one_line};

use crate::hints::Hint;
use crate::part::{CacheState, PartLayer, RequestPart};
use crate::report::{Report, ReportMarker};

pub(crate) use aside_models::percent;
use columns::Columns;
pub(crate) use figures::{bytes_of, tokens_of, wrap};
pub use figures::{money, prices_of, thousands};

/// How to write a report for a terminal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextOptions {
    /// How wide a line may be, in columns.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub is_coloured: bool,
    /// How many levels of parts to show below the layers.
    pub depth: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 80, is_coloured: false, depth: 0 }
    }
}

impl TextOptions {
    /// Sets another width, in columns.
    #[must_use]
    pub fn with_width(mut self, columns: usize) -> Self {
        self.width = columns.clamp(40, 200);
        self
    }

    /// Uses ANSI colours.
    #[must_use]
    pub fn coloured(mut self) -> Self {
        self.is_coloured = true;
        self
    }

    /// Shows `depth` levels of parts.
    #[must_use]
    pub fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Writes a section with a heading; nothing without lines. What is wrapped is indented.
    pub(crate) fn section(&self, heading: &str, lines: impl Iterator<Item = String>) -> String {
        let lines: String = lines.map(|line| wrap(&line, self.width, 11)).collect();
        if lines.is_empty() { lines } else { self.paint(Tone::Strong, heading) + &lines }
    }

    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Cached => "32",
            Tone::Plain => "33",
            Tone::Marker => "36",
        };
        if self.is_coloured && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// What a piece of text in the report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Strong,
    Faint,
    Cached,
    Plain,
    Marker,
}

pub(crate) fn tone_of(state: CacheState) -> Tone {
    match state {
        CacheState::Read
        | CacheState::Write1h
        | CacheState::Write5m
        | CacheState::Write12h
        | CacheState::WriteOther
        | CacheState::Automatic => Tone::Cached,
        CacheState::Plain | CacheState::Volatile | CacheState::Mixed => Tone::Plain,
        CacheState::NotShown => Tone::Faint,
    }
}

/// How many of the largest parts to list.
const MAX_LARGEST_PARTS: usize = 5;

impl Report {
    /// Writes the report as text, each line with its newline.
    ///
    /// ```
    /// use aside_cache_model::Body;
    /// use aside_inspect::TextOptions;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","system":"Be brief.","messages":[
    ///     {"role":"user","content":"Hi"}]}"#;
    /// let report = aside_inspect::report(&Body::parse(body)?, None, None);
    /// let text = report.to_text(&TextOptions::default());
    /// assert!(text.contains("system"));
    /// # Ok::<(), aside_cache_model::ParseError>(())
    /// ```
    #[must_use]
    pub fn to_text(&self, options: &TextOptions) -> String {
        let mut out = self.headline(options);
        out.push('\n');
        out.push_str(&self.table(options));
        out.push('\n');
        out.push_str(&strip::strip(self, options));
        out.push_str(&self.largest_parts(options));
        out.push_str(&self.hint_lines(options));
        out.push_str(&self.disk_lines(options));
        out.push_str(&self.server_lines(options));
        out
    }

    /// Returns the first lines: model, tokens with their error, share of the
    /// window, cost.
    fn headline(&self, options: &TextOptions) -> String {
        let model = self.model.as_deref().unwrap_or("no model");
        let mut line = one_line(model).into_owned();
        let model_length = line.len();
        let _ = write!(line, ", {}, ", wire_name(self.wire));
        match self.exact_tokens {
            Some(exact) => {
                let estimate = tokens_of(self.root.tokens());
                let _ = write!(line, "{} tokens (estimated {estimate}", thousands(exact));
                let _ = match self.measured_error_percent() {
                    Some(error) => write!(line, ", {error:+.1} %)"),
                    None => write!(line, ")"),
                };
            }
            None => {
                let _ = write!(line, "{} tokens", tokens_of(self.root.tokens()));
                let _ = match self.estimate_error_percent() {
                    Some(error) => write!(line, " (±{error} %)"),
                    None => write!(line, " (error not measured)"),
                };
            }
        }
        let mut second = match (self.window, self.window_share()) {
            (Some(window), Some(share)) => {
                format!("{} of the window of {}, ", percent(share), thousands(window))
            }
            _ => "window not known, ".to_owned(),
        };
        let is_automatic = self.root.state == CacheState::Automatic;
        let usage = self.recorded.unwrap_or(self.root.usage);
        let share = |tokens: u64| percent(tokens as f64 / usage.input().max(1) as f64);
        let _ = match is_automatic && self.recorded.is_none() {
            true => write!(second, "cached by the provider if a request repeats it"),
            false if self.is_first && self.recorded.is_none() => {
                write!(second, "{} would be cached", share(usage.cached()))
            }
            false => {
                let (read, written) = (share(usage.read), share(usage.written()));
                write!(second, "{read} read from the cache, {written} written")
            }
        };
        let cost = match self.recorded {
            Some(usage) => usage.cost(self.billed),
            None => self.root.cost,
        };
        if let Some(cost) = cost {
            let day = prices_of(self.billed.prices_as_of);
            let _ = write!(second, ", {cost} a request{day}");
        }
        if self.recorded.is_some() {
            second.push_str("; recorded by the log, the parts below are predicted");
        }
        let first = wrap(&line, options.width, 0);
        let first = match first.get(..model_length) {
            Some(model) => options.paint(Tone::Strong, model) + &first[model_length..],
            None => first,
        };
        first + &wrap(&second, options.width, 0)
    }

    /// Returns the layer table, each layer with its markers below it.
    fn table(&self, options: &TextOptions) -> String {
        let layers = self.layers();
        let largest = layers.iter().map(|it| it.usage.input()).max().unwrap_or(0);
        let columns = Columns::of(options);
        let mut out = columns.heading(options);
        let marked = self.marker_layers();
        for layer in &layers {
            out.push_str(&columns.row(layer, self.root.tokens(), largest, options, self));
            if options.depth > 0 {
                parts::list(self, layer.layer, options, &mut out);
            }
            for (marker, _) in marked.iter().filter(|it| it.1 == layer.layer) {
                let ttl = marker.ttl;
                let effect = marker.effect.map_or("", effect_name);
                let line = format!(
                    "  ▲ {} {ttl}, {} tokens up to here{effect}",
                    one_line(&marker.path),
                    tokens_of(marker.tokens)
                );
                out.push_str(&options.paint(Tone::Marker, &cut(&line, options.width)));
                out.push('\n');
            }
        }
        out.push_str(&columns.total(self, options));
        let json = self.json_bytes();
        let share = json as f64 / self.root.bytes.max(1) as f64;
        let note = format!("{} of the bytes are JSON syntax: {}", percent(share), bytes_of(json));
        out.push_str(&options.paint(Tone::Faint, &cut(&note, options.width)));
        out.push('\n');
        out
    }

    /// Returns the markers, each with the layer in which its block ends.
    fn marker_layers(&self) -> Vec<(&ReportMarker, PartLayer)> {
        let markers = self.markers.iter();
        // By path, since a body may have a marker on every block.
        let mut layers: HashMap<&str, Option<PartLayer>> =
            markers.clone().map(|it| (it.path.as_str(), None)).collect();
        if !layers.is_empty() {
            self.root.walk(&mut |part| {
                if let Some(found) = layers.get_mut(part.path.as_str()) {
                    *found = found.or_else(|| last_layer(part));
                }
            });
        }
        let layer_of = |path: &str| layers.get(path).copied().flatten();
        markers.map(|it| (it, layer_of(&it.path).unwrap_or(PartLayer::Conversation))).collect()
    }

    /// Lists the parts with the most tokens.
    fn largest_parts(&self, options: &TextOptions) -> String {
        let parts = self.largest(MAX_LARGEST_PARTS);
        if parts.is_empty() {
            return String::new();
        }
        let mut out = options.paint(Tone::Strong, "\nlargest parts\n");
        for part in parts {
            let line = format!(
                "{:>9}  {:>5}  {}  {}",
                tokens_of(part.tokens()),
                percent(part.tokens() as f64 / self.root.tokens().max(1) as f64),
                one_line(&crate::named::label(part)),
                one_line(&part.path),
            );
            out.push_str(&cut(&line, options.width));
            out.push('\n');
        }
        out
    }

    /// Returns a line for each skill, agent, style and hook; nothing without
    /// any.
    fn disk_lines(&self, options: &TextOptions) -> String {
        let lines = self.on_disk.iter().map(|source| {
            let tokens = source.tokens.map_or_else(|| "–".to_owned(), tokens_of);
            let command = source.command.iter();
            let command = command.map(|it| format!(", not run: {}", one_line(it)));
            format!(
                "{tokens:>9}  {} {}{}  {}",
                source.kind,
                one_line(&source.name),
                command.collect::<String>(),
                one_line(&source.file)
            )
        });
        options.section("\non disk\n", lines)
    }

    fn hint_lines(&self, options: &TextOptions) -> String {
        let lines = merged(&self.hints).into_iter();
        let lines =
            lines.map(|hint| format!("{:>9}  {}", tokens_of(hint.tokens), one_line(&hint.message)));
        options.section("\nhints\n", lines)
    }
}

/// How many hints of one kind to list.
const MAX_HINTS: usize = 3;

/// Returns the hints, with many of one kind as one.
fn merged(hints: &[Hint]) -> Vec<Hint> {
    let mut merged: Vec<Hint> = Vec::new();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for hint in hints {
        let count = match counts.iter_mut().find(|(rule, _)| *rule == hint.rule) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                counts.push((hint.rule, 1));
                1
            }
        };
        if count <= MAX_HINTS {
            merged.push(hint.clone());
        }
    }
    for (rule, count) in counts.into_iter().filter(|(_, count)| *count > MAX_HINTS) {
        let of_kind = hints.iter().filter(|it| it.rule == rule).skip(MAX_HINTS);
        merged.push(Hint {
            rule,
            message: format!("{} more hints {rule} (see --json)", count - MAX_HINTS),
            tokens: of_kind.map(|it| it.tokens).sum(),
            paths: Vec::new(),
        });
    }
    merged
}

/// Returns the layer of a part's last text.
fn last_layer(part: &RequestPart) -> Option<PartLayer> {
    let texts = part.children.iter().rev().filter(|it| !it.kind.is_unread());
    part.layer.or_else(|| texts.filter_map(last_layer).next())
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Hit => ", read",
        Effect::Wrote => ", written",
        Effect::BelowMinimum => ", too short to be cached",
        _ => ", useless",
    }
}

fn wire_name(wire: aside_models::Wire) -> &'static str {
    match wire {
        aside_models::Wire::Messages => "Messages API",
        aside_models::Wire::Responses => "Responses API",
        aside_models::Wire::ChatCompletions => "Chat Completions",
        _ => "generateContent",
    }
}
