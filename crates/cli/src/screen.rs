//! The screen that text has to fit: its width, and the one place that breaks
//! lines.

use std::sync::OnceLock;

use aside_host::{EnvVars, terminal_width};
use aside_text::{columns, wrap};

/// How wide to print without a terminal, in columns.
const DEFAULT_COLUMNS: usize = 80;

/// The narrowest width to lay tables out for, in columns.
const MIN_COLUMNS: usize = 40;

/// The terminal's width. Looked up once.
static TERMINAL: OnceLock<Option<usize>> = OnceLock::new();

/// Returns the terminal's width, if there is one. A `COLUMNS` environment
/// variable counts as one.
pub(crate) fn terminal() -> Option<usize> {
    *TERMINAL.get_or_init(|| {
        let columns = terminal_width(EnvVars::of_process().get("COLUMNS"));
        columns.map(|columns| usize::from(columns).max(MIN_COLUMNS))
    })
}

/// Returns how wide a line may be: the terminal's width, or 80 columns without
/// one.
pub(crate) fn width() -> usize {
    terminal().unwrap_or(DEFAULT_COLUMNS)
}

/// Breaks lines wider than `width`. Continuation lines are indented two columns
/// more, and continue a tree's guides.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        if columns(line) > width {
            out.push_str(&wrap(line, width, &indent(line)));
        } else {
            out.push_str(line);
        }
        out.push_str(end);
    }
    out
}

/// Returns how to start the lines that continue this one.
fn indent(line: &str) -> String {
    let guides = line.chars().map_while(|c| match c {
        ' ' | '│' => Some(c),
        '├' => Some('│'),
        '└' | '─' => Some(' '),
        _ => None,
    });
    guides.collect::<String>() + "  "
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_continues_below() {
        let check = |text: &str, expected: &str| assert_eq!(fit(text, 12), expected);
        check("short\n\nshort", "short\n\nshort");
        check("  fix: a long line\nnext\n", "  fix: a\n    long\n    line\nnext\n");
        check("│  ├─ a.md long\n", "│  ├─ a.md\n│  │    long\n");
        check("└─ file.md long\n", "└─ file.md\n     long\n");
    }
}
