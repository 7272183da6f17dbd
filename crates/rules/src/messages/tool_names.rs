//! The tools that a request defines, and tool names in its messages.

use std::borrow::Cow;
use std::collections::HashSet;

use super::view::View;
use aside_json::Value;

/// A request's tools, with those that messages define.
///
/// Definitions in all messages count, even those after a reference.
pub(super) struct ToolNames<'t> {
    tools: HashSet<Cow<'t, str>>,
    /// MCP server names, from the toolsets' `mcp_server_name`.
    servers: HashSet<Cow<'t, str>>,
}

impl<'t> ToolNames<'t> {
    /// Linear in how many blocks there are. An entry without a name, such as a toolset, adds its
    /// server only.
    pub(super) fn of(view: &View<'t>) -> Self {
        let definitions = view.definitions().map(|(_, definition)| definition);
        let all: Vec<Value<'t>> = view.tools.iter().copied().chain(definitions).collect();
        let texts = |key: &str| all.iter().filter_map(|tool| tool.text_of(key)).collect();
        Self { tools: texts("name"), servers: texts("mcp_server_name") }
    }

    /// Returns true for a tool's name, even a deferred tool's.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.contains(name)
    }

    /// Returns true for the name of an MCP server that has a toolset.
    pub(super) fn has_server(&self, name: &str) -> bool {
        self.servers.contains(name)
    }

    /// Returns true if there are tools for which only the server is named.
    pub(super) fn has_servers(&self) -> bool {
        !self.servers.is_empty()
    }
}
