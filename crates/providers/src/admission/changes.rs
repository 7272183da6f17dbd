//! References of messages to tools that they add or remove.

use std::collections::HashSet;
use std::sync::Arc;

use aside_messages::wire::{ContentBlock, Tool};
use aside_rules::of::tool::{ChangedTool, unresolved};
use aside_rules::table;
use serde_json::Value;

use super::at::At;
use super::findings::{Findings, text_of};

/// The tool changes in some messages, with the tools that they name or define.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolChanges(Arc<Vec<(At, Value)>>);

impl ToolChanges {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Reads a block, if it adds or removes a tool.
    ///
    /// ```json
    /// {"type":"tool_addition","tool":{"type":"tool_reference","name":"Grep"}}
    /// ```
    pub(super) fn read(&mut self, at: At, block: &ContentBlock) {
        if let ContentBlock::Other(other) = block
            && matches!(other.kind(), "tool_addition" | "tool_removal")
            && let Ok(mut block) = serde_json::from_str::<Value>(other.raw().get())
        {
            Arc::make_mut(&mut self.0).push((at, block["tool"].take()));
        }
    }
}

/// Checks all changes of a request: a message may refer to a tool that another one defines.
pub(super) fn check(found: &mut Findings<'_>, tools: &[Tool], changes: [&ToolChanges; 2]) {
    let all = || changes.into_iter().flat_map(|it| it.0.iter());
    let names_at = |key: &'static str| {
        let defined = all().filter_map(move |(_, tool)| tool["definition"][key].as_str());
        defined.map(str::to_owned)
    };
    let names = tools.iter().map(|tool| tool.name.clone());
    let names: HashSet<_> = names.chain(names_at("name")).collect();
    let servers = tools.iter();
    let servers = servers.filter_map(|tool| text_of(&tool.extra, "mcp_server_name"));
    let servers: HashSet<_> = servers.chain(names_at("mcp_server_name")).collect();
    for (at, tool) in all() {
        if tool.get("definition").is_some() {
            let path = format!("{at}.tool");
            found.add(&table::INLINE_TOOLS_PLATFORM, path, "an inline tool");
            continue;
        }
        let text = |key: &str| tool[key].as_str().unwrap_or_default();
        let changed =
            ChangedTool { kind: text("type"), name: text("name"), server: text("server_name") };
        let fault = unresolved(changed, |it| names.contains(it), |it| servers.contains(it));
        if let Some((rule, key, value)) = fault {
            found.add(rule, format!("{at}.tool.{key}"), value);
        }
    }
}
