//! The request as one line, in proportion to tokens, with markers and their
//! look-back windows below.
//!
//! ```text
//! tools     system                  conversation
//! ▓▓▓▓▓▓▓▓▓▓░░░░░░░░░░░░░░░░░░░░░░░░▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//! ┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈▲5m
//! ```
//!
//! A marker finds an entry only inside its window, the dotted line.

use std::fmt::Write;

use super::{TextOptions, Tone};
use crate::report::Report;

/// Returns the strip; empty for a request without tokens.
///
/// Layers without tokens have no place in it, and a name is left out if its
/// layer is too narrow. The strip has at most 120 columns.
pub(super) fn strip(report: &Report, options: &TextOptions) -> String {
    let total = report.root.tokens();
    let width = options.width.saturating_sub(2).min(120);
    if total == 0 {
        return String::new();
    }
    let column = |tokens: u64| (tokens as f64 / total as f64 * width as f64).round() as usize;
    let (mut names, mut line) = (String::new(), String::new());
    let mut at = 0;
    let mut used = 0;
    let layers = report.layers();
    let prompt = layers.iter().filter(|it| it.usage.input() > 0);
    for (index, layer) in prompt.enumerate() {
        at += layer.usage.input();
        let end = column(at);
        let cells = end.saturating_sub(used);
        let fill = if index % 2 == 0 { "▓" } else { "░" };
        line.push_str(&fill.repeat(cells));
        let name = layer.layer.as_str();
        if name.len() < cells {
            let _ = write!(names, "{name:<cells$}");
        } else {
            names.push_str(&" ".repeat(cells));
        }
        used = end;
    }
    let mut out = format!("{}\n{line}\n", options.paint(Tone::Faint, names.trim_end()));
    for marker in &report.markers {
        let place = column(marker.tokens).clamp(1, width);
        let start = column(marker.window_start).min(place - 1);
        let mut window = " ".repeat(start);
        window.push_str(&"┈".repeat(place - 1 - start));
        window.push('▲');
        let ttl = marker.ttl.to_string();
        if place + ttl.len() <= width {
            window.push_str(&ttl);
        } else {
            // No room on the right.
            let keep = place.saturating_sub(1 + ttl.len());
            window = window.chars().take(keep).collect::<String>() + &ttl + "▲";
        }
        out.push_str(&options.paint(Tone::Marker, &window));
        out.push('\n');
    }
    out
}
