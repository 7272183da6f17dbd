//! What each MCP server puts into a request.

use std::collections::{BTreeMap, HashSet};

use aside_rules::of::tool::mcp_names;
use serde::Serialize;

use crate::part::{PartKind, RequestPart};
use crate::states::Slots;

/// What one MCP server adds to a request. Its tools have names that begin with
/// `mcp__NAME__`. Tokens are estimates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerShare {
    /// The name of the server.
    pub name: String,
    /// How many tools it has.
    pub tools: usize,
    /// How long their definitions are, in bytes.
    pub bytes: usize,
    /// Their definitions' tokens; a deferred tool has none until a message names it.
    pub tokens: u64,
    /// The tokens in its instructions; 0 if unknown.
    pub instructions: u64,
    /// Tools that the conversation never called, without deferred ones.
    pub never_called: Vec<String>,
    /// The tokens that you save in every request if you defer these.
    pub deferrable_tokens: u64,
}

/// Returns a request's servers, by name.
pub(crate) fn servers(root: &RequestPart, slots: &Slots) -> Vec<ServerShare> {
    let deferred = slots.slots.iter().filter(|it| it.block.loaded_by.is_some());
    let deferred: HashSet<_> = deferred.map(|it| it.path.as_str()).collect();
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
        let Some((name, _)) = mcp_names(&tool.name) else {
            continue;
        };
        let share = servers.entry(name).or_default();
        share.tools += 1;
        share.bytes += tool.bytes;
        share.tokens += tool.tokens();
        let is_loaded = tool.tokens() > 0 && !deferred.contains(tool.path.as_str());
        if is_loaded && !called.contains(tool.name.as_str()) {
            share.never_called.push(tool.name.clone());
            share.deferrable_tokens += tool.tokens();
        }
    }
    let named =
        servers.into_iter().map(|(name, share)| ServerShare { name: name.to_owned(), ..share });
    named.collect()
}
