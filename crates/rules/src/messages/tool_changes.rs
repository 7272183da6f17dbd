//! Tools that messages add and remove, and references to tools.
//!
//! ```json
//! {"role": "system", "content": [
//!   {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "Grep"}}]}
//! ```
//!
//! Source: the documentation on tool changes; the names in parentheses are the
//! codes in `error.details.error_code`.
//!
//! - `tool-change-reference`: `Grep` is not in `tools`
//!   (`tool_reference_unresolved`). Valid: `Grep` is in `tools`, usually with
//!   `"defer_loading":true`, or is defined in a message.
//! - `tool-change-conflict`: `Grep` is an MCP server's name
//!   (`tool_name_conflict`). Valid: an `mcp_toolset_reference`.
//! - `tool-changes-model`, `inline-tools-platform`: the model does not take
//!   changes; a definition outside the Claude API.
//! - `inline-tool-kind`: a computer tool's definition.
//! - `tool-change-marker`: `cache_control` on the block and in the definition.
//! - `change-after-pause`: a change right after a response that ends in a
//!   server tool's result. Valid: after the next user message.
//! - `available-tools`: too many tools for later
//!   (`available_tools_limit_exceeded`).
//! - `result-reference`: a `tool_reference` in a tool result names a tool that
//!   the request does not have.

use super::tool_names::ToolNames;
use super::tools;
use super::view::{Block, View};
use crate::checker::Checker;
use crate::of::tool::{ChangedTool, unresolved};
use crate::table::{
    AVAILABLE_TOOLS, CHANGE_AFTER_PAUSE, INLINE_TOOL_KIND, INLINE_TOOLS_PLATFORM, MCP_INLINE_BETA,
    RESULT_REFERENCE, TOOL_CHANGE_MARKER, TOOL_CHANGES_MODEL,
};
use aside_json::Value;

/// How types begin that a message cannot define.
const NOT_INLINE: [&str; 2] = ["computer_", "browser_toolset"];

/// How many deferred tools there may be, and how many tools messages may
/// define.
const MAX_AVAILABLE_TOOLS: usize = 10_000;

/// How many bytes the definitions in messages may have.
const MAX_DEFINITION_BYTES: usize = 4 << 20;

/// Checks references in tool results too, because they name the same tools.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    available(checker, view);
    let names = ToolNames::of(view);
    let pauses = pauses(view);
    for block in view.all_blocks_of(&["tool_addition", "tool_removal", "tool_reference"]) {
        match &*block.kind {
            "tool_addition" | "tool_removal" => {
                change(checker, view, block, &names);
                if pauses.get(block.message) == Some(&true) {
                    checker.add(&CHANGE_AFTER_PAUSE, block.path(), "a tool change");
                }
            }
            // The tools of a continued thread are not in the body.
            "tool_reference" if !view.continues_thread() => referenced(checker, block, &names),
            _ => {}
        }
    }
}

/// Checks the limits for tools that the model may get later.
///
/// Definitions count with their bytes as written in the body.
fn available(checker: &mut Checker, view: &View<'_>) {
    let is_deferred = |it: &&Value<'_>| it.get("defer_loading").is_some_and(Value::is_true);
    let deferred = view.tools.iter().filter(is_deferred).count();
    if deferred > MAX_AVAILABLE_TOOLS {
        checker.add(&AVAILABLE_TOOLS, "tools", format!("{deferred} deferred"));
    }
    let (mut defined, mut bytes) = (0, 0);
    for (_, definition) in view.definitions() {
        defined += 1;
        bytes += definition.raw().len();
    }
    if defined > MAX_AVAILABLE_TOOLS || bytes > MAX_DEFINITION_BYTES {
        let found = format!("{defined} definitions of {bytes} bytes");
        checker.add(&AVAILABLE_TOOLS, "messages", found);
    }
}

/// Checks one change's reference or definition. A `tool_removal` has references
/// only, which the walk checks.
fn change(checker: &mut Checker, view: &View<'_>, block: &Block<'_>, names: &ToolNames<'_>) {
    checker.require(&TOOL_CHANGES_MODEL, |facts| facts.tool_changes, block.path(), "a tool change");
    let Some(tool) = block.value.get("tool") else {
        return;
    };
    if let Some(definition) = tool.get("definition") {
        return inline(checker, block, definition);
    }
    let changed = ChangedTool {
        kind: &tool.tag(),
        name: &tool.text_of("name").unwrap_or_default(),
        server: &tool.text_of("server_name").unwrap_or_default(),
    };
    let fault = unresolved(changed, |it| names.has(it), |it| names.has_server(it));
    if let Some((rule, key, found)) = fault.filter(|_| !view.continues_thread()) {
        checker.add(rule, block.at(&format!("tool.{key}")), found);
    }
}

/// A definition follows the rules for an entry in `tools`, and three of its
/// own: the platform, the type, and one marker for block and definition.
fn inline(checker: &mut Checker, block: &Block<'_>, definition: Value<'_>) {
    let at = |key: &str| block.at(&format!("tool.definition.{key}"));
    let kind = definition.tag();
    checker.add(&INLINE_TOOLS_PLATFORM, block.at("tool"), "an inline tool");
    if NOT_INLINE.iter().any(|it| kind.starts_with(it)) {
        checker.add(&INLINE_TOOL_KIND, at("type"), format!("{kind:?}"));
    }
    tools::one(checker, definition, at);
    if kind == "mcp_toolset" {
        checker.add(&MCP_INLINE_BETA, at("type"), format!("{kind:?}"));
    }
    let is_marked = definition.given("cache_control").is_some();
    if is_marked && block.value.given("cache_control").is_some() {
        checker.add(&TOOL_CHANGE_MARKER, at("cache_control"), "a second marker");
    }
}

/// Returns for each message whether the one before it, system messages aside,
/// ends in a server tool's result: the response is paused.
fn pauses(view: &View<'_>) -> Vec<bool> {
    let mut is_paused = false;
    let each = view.messages.iter().map(|message| {
        let before = is_paused;
        if !message.is_system() {
            is_paused = message.ends_in_server_result();
        }
        before
    });
    each.collect()
}

/// A reference in a tool result names a tool in the request.
///
/// An MCP server's tools are not in the body, so that with a toolset the name
/// cannot be decided.
fn referenced(checker: &mut Checker, block: &Block<'_>, names: &ToolNames<'_>) {
    let Some(name) = block.value.text_of("tool_name") else {
        return;
    };
    if names.has(&name) {
        return;
    }
    if names.has_servers() {
        let reason = "the tools of MCP servers are not in the body";
        return checker.skip("mcp-tools", 1, reason);
    }
    checker.add(&RESULT_REFERENCE, block.at("tool_name"), format!("{name:?}"));
}
