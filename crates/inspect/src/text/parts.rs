//! The parts below a layer.
//!
//! Parts are listed in request order. When there are more than [`MAX_PARTS`],
//! those with the most tokens are shown.
//!
//! ```text
//!   tool Read  tools[0]                                           ~420   12 %
//!   tool Write  tools[1]                                          ~390   11 %
//!   and 3 more, ~90 tokens
//! ```

use aside_text::{columns, cut, one_line};

use super::{TextOptions, Tone, percent, tokens_of};
use crate::named::label;
use crate::part::{PartLayer, RequestPart};
use crate::report::Report;

/// How many parts to show in one list.
const MAX_PARTS: usize = 40;

/// Appends a layer's parts, `options.depth` levels deep.
///
/// Parts without tokens are left out.
pub(super) fn list(report: &Report, layer: PartLayer, options: &TextOptions, out: &mut String) {
    let parts = report.parts_of(layer);
    add(&parts, report.root.tokens(), 1, options, out);
}

/// Appends a list and, down to the depth, its parts' lists. `level` is how deep
/// the list is, 1 below a layer; `total` is the request's tokens.
fn add(parts: &[&RequestPart], total: u64, level: usize, options: &TextOptions, out: &mut String) {
    let mut shown: Vec<&RequestPart> = parts.iter().copied().filter(|it| it.tokens() > 0).collect();
    let hidden = shown.len().saturating_sub(MAX_PARTS);
    if hidden > 0 {
        // The largest, in request order.
        let mut sizes: Vec<u64> = shown.iter().map(|it| it.tokens()).collect();
        sizes.sort_unstable_by_key(|it| std::cmp::Reverse(*it));
        let least = sizes[MAX_PARTS - 1];
        shown.retain(|it| it.tokens() >= least);
        shown.truncate(MAX_PARTS);
    }
    let indent = "  ".repeat(level);
    for part in &shown {
        let name = format!("{indent}{}  {}", one_line(&label(part)), one_line(&part.path));
        let width = options.width.saturating_sub(20).max(20);
        let name = cut(&name, width);
        let padding = " ".repeat(width.saturating_sub(columns(&name)));
        let line = format!(
            "{name}{padding}{:>11}{:>7}",
            tokens_of(part.tokens()),
            percent(part.tokens() as f64 / total.max(1) as f64)
        );
        out.push_str(&options.paint(Tone::Faint, line.trim_end()));
        out.push('\n');
        if level < options.depth {
            let children: Vec<&RequestPart> = part.children.iter().collect();
            add(&children, total, level + 1, options, out);
        }
    }
    if hidden > 0 {
        let all: u64 = parts.iter().map(|it| it.tokens()).sum();
        let listed: u64 = shown.iter().map(|it| it.tokens()).sum();
        out.push_str(&format!(
            "{indent}and {hidden} more, {} tokens\n",
            tokens_of(all.saturating_sub(listed))
        ));
    }
}
