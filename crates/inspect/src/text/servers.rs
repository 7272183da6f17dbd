//! The lines about MCP servers.

use std::fmt::Write;

use aside_text::one_line;

use super::{TextOptions, bytes_of, tokens_of};
use crate::named::listed;
use crate::report::Report;

impl Report {
    /// Empty without tools from MCP servers.
    pub(super) fn server_lines(&self, options: &TextOptions) -> String {
        let lines = self.servers.iter().map(|share| {
            let tokens = tokens_of(share.tokens + share.instructions);
            let (name, bytes) = (one_line(&share.name), bytes_of(share.bytes));
            let mut line = format!("{tokens:>9}  {name}: {} tools, {bytes}", share.tools);
            if share.instructions > 0 {
                let _ = write!(line, ", instructions {}", tokens_of(share.instructions));
            }
            let names = &share.never_called;
            if !names.is_empty() {
                let _ = write!(
                    line,
                    "; {} never called, deferring saves {}: {}",
                    names.len(),
                    tokens_of(share.deferrable_tokens),
                    listed(names.iter().map(|name| one_line(name)))
                );
            }
            line
        });
        options.section("\nMCP servers, in every request\n", lines)
    }
}
