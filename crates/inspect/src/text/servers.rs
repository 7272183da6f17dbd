//! The lines about MCP servers.

use std::fmt::Write;

use aside_text::one_line;

use super::figures::wrap;
use super::{TextOptions, Tone, bytes_of, tokens_of};
use crate::report::Report;

/// How many tool names to show in a line.
const MAX_NAMES: usize = 5;

impl Report {
    /// Empty without tools from MCP servers.
    pub(super) fn server_lines(&self, options: &TextOptions) -> String {
        if self.servers.is_empty() {
            return String::new();
        }
        let mut out = options.paint(Tone::Strong, "\nMCP servers, in every request\n");
        for share in &self.servers {
            let tokens = tokens_of(share.tokens + share.instructions);
            let (name, bytes) = (one_line(&share.name), bytes_of(share.bytes));
            let mut line = format!("{tokens:>9}  {name}: {} tools, {bytes}", share.tools);
            if share.instructions > 0 {
                let _ = write!(line, ", instructions {}", tokens_of(share.instructions));
            }
            let names = &share.never_called;
            if !names.is_empty() {
                let shown = names.iter().take(MAX_NAMES).map(|name| one_line(name));
                let more = match names.len().saturating_sub(MAX_NAMES) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let _ = write!(
                    line,
                    "; {} never called, deferring saves {}: {}{more}",
                    names.len(),
                    tokens_of(share.deferrable_tokens),
                    shown.collect::<Vec<_>>().join(", ")
                );
            }
            out.push_str(&wrap(&line, options.width, 11));
        }
        out
    }
}
