//! What each MCP server puts into a request.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use aside_text::one_line;
use serde::Serialize;

use crate::part::{PartKind, RequestPart};
use crate::report::Report;
use crate::text::{TextOptions, Tone, bytes_of, tokens_of, wrap};

/// The maximum number of names of tools in a line.
const MAX_NAMES: usize = 5;

/// The share of one MCP server of a request. Its tools are those whose names
/// begin with `mcp__NAME__`. Tokens are estimates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerShare {
    /// The name of the server.
    pub name: String,
    /// The number of its tools.
    pub tools: usize,
    /// The length of their definitions in bytes.
    pub bytes: usize,
    /// The tokens of their definitions; deferred tools have none.
    pub tokens: u64,
    /// The tokens of the server's instructions; 0 if they are not known.
    pub instructions: u64,
    /// The tools that the conversation never called, without deferred ones.
    pub never_called: Vec<String>,
    /// The tokens of these, which deferring them would save in every request.
    pub deferrable_tokens: u64,
}

/// Returns the servers of a request, by name.
pub(crate) fn servers(root: &RequestPart) -> Vec<ServerShare> {
    let (mut tools, mut called) = (Vec::new(), HashSet::new());
    root.walk(&mut |part| match part.kind {
        PartKind::Tool if part.children.iter().all(|it| it.kind != PartKind::Tool) => {
            tools.push(part);
        }
        PartKind::ToolUse => {
            called.insert(part.name.as_str());
        }
        _ => {}
    });
    let mut servers: BTreeMap<&str, ServerShare> = BTreeMap::new();
    for tool in tools {
        let name = tool.name.strip_prefix("mcp__");
        let Some((name, _)) = name.and_then(|name| name.split_once("__")) else {
            continue;
        };
        let share = servers.entry(name).or_default();
        share.tools += 1;
        share.bytes += tool.bytes;
        share.tokens += tool.tokens();
        if !called.contains(tool.name.as_str()) && tool.tokens() > 0 {
            share.never_called.push(tool.name.clone());
            share.deferrable_tokens += tool.tokens();
        }
    }
    let named = servers.into_iter().map(|(name, share)| ServerShare {
        name: name.to_owned(),
        ..share
    });
    named.collect()
}

impl Report {
    /// Returns the report with the tokens of the instructions of a server, which
    /// a program knows that has connected to it.
    #[must_use]
    pub fn with_server_instructions(mut self, name: &str, tokens: u64) -> Self {
        match self.servers.iter_mut().find(|share| share.name == name) {
            Some(share) => share.instructions = tokens,
            None => self.servers.push(ServerShare {
                name: name.to_owned(),
                instructions: tokens,
                ..ServerShare::default()
            }),
        }
        self
    }

    /// Returns the lines about MCP servers; none without their tools.
    pub(crate) fn server_lines(&self, options: &TextOptions) -> String {
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
