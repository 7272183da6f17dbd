//! The tools that a request defines, and tool names in its messages.

use std::borrow::Cow;
use std::collections::HashMap;

use super::view::View;
use aside_json::Value;

/// A request's tools, with those that messages define.
///
/// Definitions in all messages count, even those after a reference.
pub(super) struct ToolNames<'t> {
    /// By name: the type.
    tools: HashMap<Cow<'t, str>, Cow<'t, str>>,
    /// MCP server names, from the toolsets' `mcp_server_name`.
    servers: Vec<Cow<'t, str>>,
}

impl<'t> ToolNames<'t> {
    /// Linear in how many blocks there are.
    pub(super) fn of(view: &View<'t>) -> Self {
        let mut names = Self { tools: HashMap::new(), servers: Vec::new() };
        for tool in &view.tools {
            names.add(*tool);
        }
        for (_, definition) in view.definitions() {
            names.add(definition);
        }
        names
    }

    /// An entry without a name, such as a toolset, adds its server only. For
    /// equal names, the last type is kept.
    fn add(&mut self, tool: Value<'t>) {
        if let Some(server) = tool.text_of("mcp_server_name") {
            self.servers.push(server);
        }
        if let Some(name) = tool.text_of("name") {
            self.tools.insert(name, tool.tag());
        }
    }

    /// Returns true for a tool's name, even a deferred tool's.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// Returns true for the name of an MCP server that has a toolset.
    pub(super) fn has_server(&self, name: &str) -> bool {
        self.servers.iter().any(|it| it == name)
    }

    /// Returns true if there are tools for which only the server is named.
    pub(super) fn has_servers(&self) -> bool {
        !self.servers.is_empty()
    }
}
