//! The tools and the tool choice.
//!
//! - `tool-name`: `"name":"my.tool"`, or more than 64 characters. Refusal:
//!   `tools.0.custom.name: String should match pattern …`.
//! - `doubled-tool`: two tools of one name. Refusal: `Tool names must be
//!   unique`.
//! - `tool-schema`: `"input_schema":{}`. Valid: `{"type":"object"}`.
//! - `all-deferred`: each tool has `"defer_loading":true`. Refusal: `At least
//!   one tool must have defer_loading=false`.
//! - `deferred-search`: the tool search tool is deferred itself.
//! - `tool-choice`: `"tool_choice":{"type":"tool","name":"Grep"}` without a
//!   tool `Grep`.
//! - `forced-tool-model`: `any` or `tool` with Opus 5.5. Refusal: `tool_choice:
//!   type "tool" and "any" are not supported for this model` (observed, October
//!   2026). Valid: `auto` and `none`.
//! - `forced-tool-thinking`: `any` or `tool` with a budget of thinking. Valid:
//!   with adaptive thinking, if the model takes it.
//! - `domains`: `allowed_domains` and `blocked_domains` together.
//! - `mcp-toolset`, `mcp-url`: a server without a toolset or with two, a
//!   toolset without a server; a URL with `http:`.
//! - `computer-tool`: `computer_20251124` with Opus 5.5. Refusal: `does not
//!   support tool types: computer_20251124` (observed, October 2026).
//! - `advisor-model`: an advisor of another version than 5.2 for Fable 5.2.
//!
//! Sources: the documentation of errors and tool use, and the types of the SDK.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::context::Context;
use super::table::{
    ADVISOR_MODEL, ALL_DEFERRED, COMPUTER_TOOL, DEFERRED_SEARCH, DOMAINS, DOUBLED_TOOL,
    FORCED_TOOL_MODEL, FORCED_TOOL_THINKING, MARKER_PLACE, MCP_TOOLSET, MCP_URL, TOOL_CHOICE,
    TOOL_NAME, TOOL_SCHEMA,
};
use super::tool_names::ToolNames;
use super::view::View;
use crate::wire::{RawJson, Tool};
use aside_json::{Value, excerpt};

/// Checks each tool by itself, then all of them with the tool choice and the
/// MCP servers.
pub(super) fn check(context: &mut Context, view: &View<'_>) {
    let mut names = HashSet::new();
    for (index, tool) in view.tools.iter().enumerate() {
        let at = |key: &str| format!("tools[{index}].{key}");
        if let Some(name) = tool.text_of("name") {
            if !is_name(&name) {
                context.add(&TOOL_NAME, at("name"), format!("{name:?}"));
            }
            if !names.insert(name.clone()) {
                context.add(&DOUBLED_TOOL, at("name"), format!("{name:?} again"));
            }
        }
        let kind = tool.tag();
        schema(context, *tool, &kind, at("input_schema"));
        let is_deferred = tool.get("defer_loading").is_some_and(Value::is_true);
        if is_deferred && tool.given("cache_control").is_some() {
            context.add(
                &MARKER_PLACE,
                at("cache_control"),
                "a marker on a deferred tool",
            );
        }
        if is_deferred && kind.starts_with("tool_search_tool") {
            context.add(&DEFERRED_SEARCH, at("defer_loading"), "true");
        }
        let domains = ["allowed_domains", "blocked_domains"];
        if domains.iter().all(|key| tool.given(key).is_some()) {
            context.add(&DOMAINS, at("blocked_domains"), "both keys");
        }
        computer(context, &kind, at("type"));
        advisor(context, *tool, at("model"));
    }
    deferred(context, view);
    choice(context, view);
    servers(context, view);
}

/// Returns true for 1 to 64 bytes of `[a-zA-Z0-9_-]`.
fn is_name(name: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_valid)
}

/// Checks that a tool of the caller has a schema of the type `object`. Tools of
/// other types have none. `path` is that of the schema.
pub(super) fn schema(context: &mut Context, tool: Value<'_>, kind: &str, path: String) {
    if !matches!(kind, "" | "custom") {
        return;
    }
    let Some(schema) = tool.given("input_schema") else {
        return context.add(&TOOL_SCHEMA, path, "none");
    };
    if !schema.raw().starts_with('{') {
        context.add(&TOOL_SCHEMA, path, excerpt(schema.raw()));
    } else if schema.text_of("type").as_deref() != Some("object") {
        let found = format!("{}, without the type \"object\"", excerpt(schema.raw()));
        context.add(&TOOL_SCHEMA, path, found);
    }
}

/// `kind` is the type of the tool, such as `computer_20251124`.
fn computer(context: &mut Context, kind: &str, path: String) {
    let is_computer = kind.starts_with("computer_");
    let Some(facts) = context.facts.filter(|_| is_computer) else {
        return;
    };
    if let Some(support) = facts.computer_tool(kind)
        && context.supports(|_| support) == Some(false)
    {
        let found = context.on_model(&format!("{kind:?}"));
        context.add(&COMPUTER_TOOL, path, found);
    }
}

/// An advisor that the catalogue does not have is not judged.
fn advisor(context: &mut Context, tool: Value<'_>, path: String) {
    let is_advisor = tool.tag() == "advisor_20260301";
    let Some(facts) = context.facts.filter(|_| is_advisor) else {
        return;
    };
    let advisor = tool.text_of("model").unwrap_or_default();
    let generation = aside_models::find(&advisor).facts.generation;
    let needs_5_2 = facts.line == "fable" && facts.generation == (5, 2);
    if needs_5_2 && generation != (0, 0) && generation != (5, 2) {
        context.add(&ADVISOR_MODEL, path, format!("{advisor:?}"));
    }
}

/// A toolset defers each tool by its configuration; with one in the list,
/// nothing is reported.
fn deferred(context: &mut Context, view: &View<'_>) {
    let is_deferred = |tool: &Value<'_>| {
        // Toolsets defer each of their tools by itself.
        let config = tool.given("default_config").unwrap_or(*tool);
        config.get("defer_loading").is_some_and(Value::is_true)
    };
    let is_toolset = |tool: &Value<'_>| tool.given("name").is_none();
    let all = view.tools.iter().all(is_deferred);
    if !view.tools.is_empty() && all && !view.tools.iter().any(is_toolset) {
        context.add(&ALL_DEFERRED, "tools", "only deferred tools");
    }
}

/// The tools of toolsets are not in the body, so that with a toolset any name
/// is accepted.
fn choice(context: &mut Context, view: &View<'_>) {
    let Some(choice) = view.root.given("tool_choice") else {
        return;
    };
    let kind = choice.tag();
    if view.tools.is_empty() {
        context.add(
            &TOOL_CHOICE,
            "tool_choice",
            format!("{kind:?} without tools"),
        );
    } else if let Some(name) = choice.text_of("name").filter(|_| kind == "tool")
        && !ToolNames::of(view).has(&name)
        && !view.has_tool("mcp_toolset")
        && !view.has_tool("computer_toolset")
        && !view.has_tool("browser_toolset")
    {
        context.add(&TOOL_CHOICE, "tool_choice.name", format!("{name:?}"));
    }
    if !view.forces_tool() {
        return;
    }
    let found = context.on_model(&format!("{kind:?}"));
    if context.facts.and_then(|facts| facts.forced_tool_choice) == Some(false) {
        context.add(&FORCED_TOOL_MODEL, "tool_choice.type", found);
    } else if view.thinking() == "enabled" {
        let found = format!("{kind:?}, with a budget");
        context.add(&FORCED_TOOL_THINKING, "tool_choice.type", found);
    }
}

/// Checks that every MCP server has one toolset, and every toolset a server.
/// The first version of the connector, which has no toolsets, is recognized by
/// its beta or by `tool_configuration`.
fn servers(context: &mut Context, view: &View<'_>) {
    let servers: Vec<_> = view
        .root
        .given("mcp_servers")
        .into_iter()
        .flat_map(Value::items)
        .collect();
    // The first version of the connector has no toolsets.
    let has_toolsets = view.has_tool("mcp_toolset");
    let is_first_version = servers
        .iter()
        .any(|it| it.given("tool_configuration").is_some())
        || context.has_beta(&["mcp-client-2025-04-04"]) == Some(true);
    for (index, server) in servers.iter().enumerate() {
        let path = |key: &str| format!("mcp_servers[{index}].{key}");
        if let Some(url) = server.text_of("url")
            && !url.starts_with("https://")
        {
            context.add(&MCP_URL, path("url"), format!("{url:?}"));
        }
        let name = server.text_of("name").unwrap_or_default();
        let toolsets = view
            .tools
            .iter()
            .filter(|it| it.text_of("mcp_server_name").as_ref() == Some(&name));
        let count = toolsets.count();
        let is_known = has_toolsets || context.has_beta(&[]).is_some();
        if count != 1 && is_known && !is_first_version {
            let found = format!("{name:?}, with {count} toolsets");
            context.add(&MCP_TOOLSET, path("name"), found);
        }
    }
    for (index, tool) in view.tools.iter().enumerate() {
        let Some(name) = tool.text_of("mcp_server_name") else {
            continue;
        };
        if !servers
            .iter()
            .any(|server| server.text_of("name").as_ref() == Some(&name))
        {
            let path = format!("tools[{index}].mcp_server_name");
            context.add(&MCP_TOOLSET, path, format!("{name:?}, no server"));
        }
    }
}

/// Returns true if the values of the schema are objects.
fn is_of_objects(schema: &RawJson) -> bool {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(borrow, rename = "type", default)]
        kind: Option<&'a RawValue>,
    }
    match serde_json::from_str::<Typed<'_>>(schema.get()) {
        Ok(Typed { kind }) => kind.is_some_and(|kind| {
            serde_json::from_str::<String>(kind.get()).is_ok_and(|kind| kind == "object")
        }),
        // With a duplicate key, the last value may be an object.
        Err(_) => true,
    }
}

impl Tool {
    /// Returns true if the caller runs it, so that it has an input schema.
    fn is_custom(&self) -> bool {
        matches!(self.kind.as_deref(), None | Some("custom"))
    }

    /// Returns true if the API takes its schema: one of the type `object`. A
    /// tool that the API runs needs none.
    #[must_use]
    pub fn has_valid_schema(&self) -> bool {
        match &self.input_schema {
            Some(schema) if self.is_custom() => schema.is_object() && is_of_objects(schema),
            Some(schema) => schema.is_object(),
            None => !self.is_custom(),
        }
    }

    /// Returns true if the API takes its name: `[a-zA-Z0-9_-]{1,64}`.
    #[must_use]
    pub fn has_valid_name(&self) -> bool {
        is_name(&self.name)
    }
}
