//! Tools and the tool choice.
//!
//! - `tool-name`: `"name":"my.tool"`, or more than 64 characters. Refusal:
//!   `tools.0.custom.name: String should match pattern …`.
//! - `doubled-tool`: two tools with one name. Refusal: `Tool names must be
//!   unique`.
//! - `tool-schema`: `"input_schema":{}`. Valid: `{"type":"object"}`.
//!   `schema-keyword`: `anyOf` at its top.
//! - `all-deferred`: each tool has `"defer_loading":true`. Refusal: `At least
//!   one tool must have defer_loading=false`.
//! - `deferred-search`: the tool search tool is deferred itself.
//! - `tool-choice`: `"tool_choice":{"type":"tool","name":"Grep"}` without a
//!   tool `Grep`.
//! - `forced-tool-model`: `any` or `tool` with Opus 5.5. Refusal: `tool_choice:
//!   type "tool" and "any" are not supported for this model` (observed, October
//!   2026). Valid: `auto` and `none`.
//! - `forced-tool-thinking`: `any` or `tool` with a thinking budget. Valid:
//!   with adaptive thinking, if the model takes it.
//! - `domains`: `allowed_domains` and `blocked_domains` together.
//! - `mcp-toolset`, `mcp-url`: a server without a toolset or with two, a
//!   toolset without a server; a URL with `http:`.
//! - `computer-tool`: `computer_20251124` with Opus 5.5. Refusal: `does not
//!   support tool types: computer_20251124` (observed, October 2026).
//! - `advisor-model`: for Fable 5.2, an advisor of another version than 5.2.
//!
//! Sources: the documentation on errors and tool use, and the SDK's types.

use std::collections::HashSet;

use super::tool_names::ToolNames;
use super::view::View;
use crate::checker::Checker;
use crate::node::Node;
use crate::of::schema::SchemaUse;
use crate::of::tool::{fault_of_schema, takes_name};
use crate::table::{
    ADVISOR_MODEL, ALL_DEFERRED, COMPUTER_TOOL, DEFERRED_SEARCH, DOMAINS, DOUBLED_TOOL,
    FORCED_TOOL_MODEL, FORCED_TOOL_THINKING, MARKER_PLACE, MCP_TOOLSET, MCP_URL, TOOL_CHOICE,
    TOOL_NAME, TOOL_SCHEMA,
};
use aside_json::Value;
use aside_models::Wire;

/// Checks each tool by itself, then all of them with the tool choice and the
/// MCP servers.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let mut names = HashSet::new();
    for (index, tool) in view.tools.iter().enumerate() {
        let at = |key: &str| format!("tools[{index}].{key}");
        one(checker, *tool, at);
        if let Some(name) = tool.text_of("name")
            && !names.insert(name.clone())
        {
            checker.add(&DOUBLED_TOOL, at("name"), format!("{name:?} again"));
        }
    }
    deferred(checker, view);
    choice(checker, view);
    servers(checker, view);
}

/// Checks a tool in `tools` or in a message. `at` gives the path of one of its keys.
pub(super) fn one(checker: &mut Checker, tool: Value<'_>, at: impl Fn(&str) -> String) {
    if let Some(name) = tool.text_of("name")
        && !takes_name(Wire::Messages, &name)
    {
        checker.add(&TOOL_NAME, at("name"), format!("{name:?}"));
    }
    let kind = tool.tag();
    schema(checker, tool, &kind, at("input_schema"));
    let is_deferred = tool.get("defer_loading").is_some_and(Value::is_true);
    if is_deferred && tool.given("cache_control").is_some() {
        checker.add(&MARKER_PLACE, at("cache_control"), "a marker on a deferred tool");
    }
    if is_deferred && kind.starts_with("tool_search_tool") {
        checker.add(&DEFERRED_SEARCH, at("defer_loading"), "true");
    }
    let domains = ["allowed_domains", "blocked_domains"];
    if domains.iter().all(|key| tool.given(key).is_some()) {
        checker.add(&DOMAINS, at("blocked_domains"), "both keys");
    }
    computer(checker, &kind, at("type"));
    advisor(checker, tool, at("model"));
}

/// Checks that a caller's tool has a schema with the type `object`, without
/// keywords that the API refuses. Other types of tools have none. `path` is the
/// schema's.
fn schema(checker: &mut Checker, tool: Value<'_>, kind: &str, path: String) {
    let schema = tool.given("input_schema");
    if let Some(found) = fault_of_schema(kind, schema) {
        checker.add(&TOOL_SCHEMA, path, found);
    } else if let Some(schema) = schema {
        checker.schema(SchemaUse::MessagesTool, schema);
    }
}

/// `kind` is the tool's type, such as `computer_20251124`.
fn computer(checker: &mut Checker, kind: &str, path: String) {
    let is_computer = kind.starts_with("computer_");
    let Some(facts) = checker.facts.filter(|_| is_computer) else {
        return;
    };
    if let Some(support) = facts.computer_tool(kind)
        && checker.supports(|_| support) == Some(false)
    {
        checker.add(&COMPUTER_TOOL, path, checker.on_model(&format!("{kind:?}")));
    }
}

/// An advisor that is not in the catalogue is not judged.
fn advisor(checker: &mut Checker, tool: Value<'_>, path: String) {
    let is_advisor = tool.tag() == "advisor_20260301";
    let Some(facts) = checker.facts.filter(|_| is_advisor) else {
        return;
    };
    let advisor = tool.text_of("model").unwrap_or_default();
    let generation = aside_models::find(&advisor).facts.generation;
    let needs_5_2 = facts.line == "fable" && facts.generation == (5, 2);
    if needs_5_2 && generation != (0, 0) && generation != (5, 2) {
        checker.add(&ADVISOR_MODEL, path, format!("{advisor:?}"));
    }
}

/// A toolset defers each tool by its configuration; with one in the list,
/// nothing is reported.
fn deferred(checker: &mut Checker, view: &View<'_>) {
    let is_deferred = |tool: &Value<'_>| {
        // Toolsets defer each of their tools by itself.
        let config = tool.given("default_config").unwrap_or(*tool);
        config.get("defer_loading").is_some_and(Value::is_true)
    };
    let is_toolset = |tool: &Value<'_>| tool.given("name").is_none();
    let all = view.tools.iter().all(is_deferred);
    if !view.tools.is_empty() && all && !view.tools.iter().any(is_toolset) {
        checker.add(&ALL_DEFERRED, "tools", "only deferred tools");
    }
}

/// Toolsets' tools are not in the body, so that with a toolset any name is
/// accepted.
fn choice(checker: &mut Checker, view: &View<'_>) {
    let Some(choice) = view.root.given("tool_choice") else {
        return;
    };
    let kind = choice.tag();
    // The tools of a continued thread are not in the body.
    let is_decided = !view.continues_thread();
    if view.tools.is_empty() && is_decided {
        checker.add(&TOOL_CHOICE, "tool_choice", format!("{kind:?} without tools"));
    } else if let Some(name) = choice.text_of("name").filter(|_| kind == "tool")
        && is_decided
        && !ToolNames::of(view).has(&name)
        && !view.has_tool("mcp_toolset")
        && !view.has_tool("computer_toolset")
        && !view.has_tool("browser_toolset")
    {
        checker.add(&TOOL_CHOICE, "tool_choice.name", format!("{name:?}"));
    }
    if !view.forces_tool() {
        return;
    }
    let found = checker.on_model(&format!("{kind:?}"));
    if checker.facts.and_then(|facts| facts.forced_tool_choice) == Some(false) {
        checker.add(&FORCED_TOOL_MODEL, "tool_choice.type", found);
    } else if view.thinking() == "enabled" {
        let found = format!("{kind:?}, with a budget");
        checker.add(&FORCED_TOOL_THINKING, "tool_choice.type", found);
    }
}

/// Checks that every MCP server has one toolset, and every toolset a server.
/// A message may define the toolset, and again later, which replaces it. The
/// connector's first version, which has no toolsets, is recognized by its beta
/// or by `tool_configuration`.
fn servers(checker: &mut Checker, view: &View<'_>) {
    let servers: Vec<_> = Node::root(view.root).list("mcp_servers").collect();
    let inline: Vec<_> = view
        .definitions()
        .filter_map(|(block, it)| {
            Some((block.at("tool.definition.mcp_server_name"), it.text_of("mcp_server_name")?))
        })
        .collect();
    // The connector's first version has no toolsets.
    let has_toolsets = view.has_tool("mcp_toolset") || !inline.is_empty();
    let is_first_version = servers.iter().any(|it| it.get("tool_configuration").is_some())
        || checker.has_beta(&["mcp-client-2025-04-04"]) == Some(true);
    let mut names = HashSet::new();
    for server in &servers {
        let name = server.text_of("name");
        if !name.is_empty() && !names.insert(name.clone()) {
            let found = format!("{name:?} again");
            checker.add(&MCP_TOOLSET, server.at("name"), found);
        }
        if let Some(url) = server.value.text_of("url")
            && !url.starts_with("https://")
        {
            checker.add(&MCP_URL, server.at("url"), format!("{url:?}"));
        }
        let toolsets =
            view.tools.iter().filter(|it| it.text_of("mcp_server_name").as_ref() == Some(&name));
        let is_inline = inline.iter().any(|(_, it)| *it == name);
        let count = toolsets.count().max(usize::from(is_inline));
        let is_known = has_toolsets || checker.has_beta(&[]).is_some();
        let is_known = is_known && !view.continues_thread();
        if count != 1 && is_known && !is_first_version {
            let found = format!("{name:?}, with {count} toolsets");
            checker.add(&MCP_TOOLSET, server.at("name"), found);
        }
    }
    let listed = view.tools.iter().enumerate().filter_map(|(index, tool)| {
        Some((format!("tools[{index}].mcp_server_name"), tool.text_of("mcp_server_name")?))
    });
    for (path, name) in listed.chain(inline) {
        if !servers.iter().any(|server| server.value.text_of("name").as_ref() == Some(&name)) {
            checker.add(&MCP_TOOLSET, path, format!("{name:?}, no server"));
        }
    }
}
