//! The table of a report: its columns, and a line for each layer.

use std::fmt::Write;

use aside_text::cut;

use super::{TextOptions, Tone, figures, money, percent, thousands, tokens_of, tone_of};
use crate::part::{CacheState, PartLayer};
use crate::report::{LayerSum, Report};

/// The table's columns, as wide as the terminal allows.
pub(super) struct Columns {
    width: usize,
    bar: usize,
    has_bytes: bool,
    has_cost: bool,
}

/// How wide the columns with layer, tokens and share are together.
const FIGURES_WIDTH: usize = 14 + 11 + 7;

/// How wide the column with the state in the cache is.
const STATE_WIDTH: usize = 19;

impl Columns {
    pub(super) fn of(options: &TextOptions) -> Self {
        let mut rest = options.width.saturating_sub(FIGURES_WIDTH + STATE_WIDTH);
        let has_bytes = rest >= 12 + 10;
        rest -= if has_bytes { 12 } else { 0 };
        let has_cost = rest >= 11 + 10;
        rest -= if has_cost { 11 } else { 0 };
        Self { width: options.width, bar: rest.saturating_sub(2).min(40), has_bytes, has_cost }
    }

    fn line(&self, name: &str, tokens: &str, share: &str, bar: &str, rest: [&str; 3]) -> String {
        let [bytes, cost, state] = rest;
        let mut line = format!("{name:<14}{tokens:>11}{share:>7}");
        if self.bar > 0 {
            let width = self.bar;
            let _ = write!(line, "  {bar:<width$}");
        }
        if self.has_bytes {
            let _ = write!(line, "{bytes:>12}");
        }
        if self.has_cost {
            let _ = write!(line, "{cost:>11}");
        }
        if !state.is_empty() {
            let _ = write!(line, "  {state}");
        }
        cut(line.trim_end(), self.width).into_owned()
    }

    pub(super) fn heading(&self, options: &TextOptions) -> String {
        let line = self.line("layer", "tokens", "share", "", ["bytes", "a request", "cache"]);
        options.paint(Tone::Faint, &line) + "\n"
    }

    pub(super) fn row(
        &self,
        layer: &LayerSum,
        total: u64,
        largest: u64,
        options: &TextOptions,
        report: &Report,
    ) -> String {
        let tokens = layer.tokens;
        let share = tokens as f64 / total.max(1) as f64;
        let state = state_of(layer, report);
        let is_prompt = !matches!(layer.layer, PartLayer::Parameters | PartLayer::Json);
        let (tokens_text, share_text, cost) = if is_prompt {
            (tokens_of(tokens), percent(share), money(layer.cost))
        } else {
            ("-".to_owned(), String::new(), String::new())
        };
        let bar = figures::bar(tokens, largest, self.bar);
        let line = self.line(
            layer.layer.as_str(),
            &tokens_text,
            &share_text,
            &bar,
            [&thousands(layer.bytes as u64), &cost, &state],
        );
        let tone = if is_prompt { state_tone(layer, report) } else { Tone::Faint };
        match (options.is_coloured, bar.is_empty()) {
            (true, false) => line.replacen(&bar, &options.paint(tone, &bar), 1) + "\n",
            (true, true) => options.paint(Tone::Faint, &line) + "\n",
            _ => line + "\n",
        }
    }

    pub(super) fn total(&self, report: &Report, options: &TextOptions) -> String {
        let share = match report.root.tokens() {
            0 => 0.0,
            _ => 1.0,
        };
        let line = self.line(
            "total",
            &tokens_of(report.root.tokens()),
            &percent(share),
            "",
            [&thousands(report.root.bytes as u64), &money(report.root.cost), ""],
        );
        options.paint(Tone::Strong, &line) + "\n"
    }
}

fn state_tone(layer: &LayerSum, report: &Report) -> Tone {
    match CacheState::of_usage(layer.usage) {
        Some(CacheState::Plain) if report.root.state == CacheState::Automatic => Tone::Cached,
        Some(state) => tone_of(state),
        None => Tone::Cached,
    }
}

/// Says in words what state a layer is in, or which share is read or written if
/// its parts differ.
fn state_of(layer: &LayerSum, report: &Report) -> String {
    let usage = layer.usage;
    if usage.input() == 0 {
        return match layer.bytes {
            0 => String::new(),
            _ => CacheState::NotShown.as_str().to_owned(),
        };
    }
    match CacheState::of_usage(usage) {
        Some(CacheState::Plain) if report.root.state == CacheState::Automatic => {
            CacheState::Automatic.as_str().to_owned()
        }
        Some(state) => state.as_str().to_owned(),
        None => {
            let cached = usage.cached();
            let share = cached as f64 / usage.input() as f64;
            match usage.read {
                0 => format!("{} written", percent(share)),
                _ => format!("{} read", percent(usage.read as f64 / usage.input() as f64)),
            }
        }
    }
}
