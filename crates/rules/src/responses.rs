//! Rules for OpenAI's Responses.
//!
//! This file has the rules for parameters and tools; `items` those for single items, and `calls`
//! those for items that belong together.

mod calls;
mod items;

use aside_models::{ModelFacts, estimate};

use crate::chat::{effort_by_model, metadata, output_schema, sampling, stream_options, strictness};
use crate::checker::Checker;
use crate::node::Node;
use crate::{shapes, table};

/// The shortest prefix that OpenAI caches.
const MIN_CACHED_TOKENS: u64 = 1_024;
/// What names an MCP tool's server: one of these.
const MCP_SERVERS: [&str; 3] = ["server_url", "connector_id", "tunnel_id"];

/// Checks a whole body. Violations are in this order: shapes, items, calls, tools, parameters.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    shapes::check(checker, "Request", root.value);
    // A stored prompt may name the model.
    if root.get("prompt").is_none() {
        checker.model_required(root);
    }
    items::check(checker, root);
    calls::check(checker, root);
    tools(checker, root);
    metadata(checker, root);
    stream_options(checker, root);
    let is_set = |key: &'static str| root.get(key).is_some_and(|it| !it.value.is_null());
    if is_set("conversation") && is_set("previous_response_id") {
        let found = "previous_response_id next to conversation";
        checker.add(&table::EXCLUSIVE_KEYS, "previous_response_id", found);
    }
    by_model(checker, root);
}

/// Checks functions and custom tools, and that those in a tool choice exist.
///
/// ```json
/// {"type": "function", "name": "now", "parameters": {}}
/// {"type": "function", "function": {"name": "now"}}
/// ```
///
/// The second is the Chat Completions form, which this wire refuses. A chosen tool may also be in
/// an `additional_tools` item; with a namespace or a tool search every name is accepted.
fn tools(checker: &mut Checker, root: &Node<'_>) {
    checker.tool_count(root, "tools");
    let added = root.list("input").filter(|item| item.text_of("type") == "additional_tools");
    let added = added.flat_map(|item| item.list("tools"));
    let tools: Vec<_> = root.list("tools").chain(added).collect();
    for tool in &tools {
        let is_set = |key: &&'static str| tool.get(key).is_some();
        if tool.text_of("type") == "mcp" && !MCP_SERVERS.iter().any(is_set) {
            let (path, expected) = (tool.at(MCP_SERVERS[0]), MCP_SERVERS.join(" or "));
            checker.add_expecting(&table::MISSING_KEY, path, "no key", expected);
        }
    }
    let all = tools.iter().flat_map(|tool| match &*tool.text_of("type") {
        "namespace" => tool.list("tools").collect(),
        _ => vec![tool.clone()],
    });
    for tool in all {
        let (kind, name) = (tool.text_of("type"), tool.get("name"));
        let is_function = kind == "function";
        if let Some(name) = name.as_ref().filter(|_| is_function || kind == "custom") {
            checker.tool_name(name);
        }
        if !is_function {
            continue;
        }
        checker.function_schema(strictness(&tool), tool.get("parameters"));
        match (name, tool.get("function")) {
            (Some(_), _) => {}
            (None, Some(function)) => {
                checker.add(&table::TOOL_FORM, function.path(), "a nested function");
            }
            (None, None) => checker.add(&table::TOOL_FORM, tool.at("name"), "no key"),
        }
    }
    let mode = root.get("reasoning").map(|it| it.text_of("mode"));
    if mode.as_deref() == Some("pro")
        && let Some(update) = updates(root).next()
    {
        let found = "a configuration_update next to reasoning.mode pro";
        checker.add(&table::EXCLUSIVE_KEYS, update.path(), found);
    }
    for config in updates(root).chain([root.clone()]) {
        if let Some(format) = config.get("text").and_then(|it| it.get("format")) {
            output_schema(checker, &format);
        }
    }
    let Some(choice) = root.get("tool_choice") else {
        return;
    };
    let is_named = |name: &str| {
        tools.iter().any(|tool| {
            tool.text_of("name") == name
                || matches!(&*tool.text_of("type"), "namespace" | "tool_search")
        })
    };
    let allowed: Vec<_> = choice.list("tools").collect();
    for chosen in allowed.iter().chain([&choice]) {
        if matches!(&*chosen.text_of("type"), "function" | "custom")
            && let Some(name) = chosen.get("name")
            && !is_named(&name.text().unwrap_or_default())
        {
            checker.add(&table::TOOL_CHOICE, name.path(), name.excerpt());
        }
    }
}

/// Returns the items that set parameters again, in the middle of the input.
fn updates<'a>(root: &Node<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let is_update = |it: &Node<'_>| it.text_of("type") == "configuration_update";
    root.list("input").filter(is_update)
}

/// Checks parameters that only some models accept. Without facts nothing is checked.
fn by_model(checker: &mut Checker, root: &Node<'_>) {
    let Some(facts) = checker.facts else { return };
    let reasoning = root.get("reasoning");
    let effort = reasoning.map(|it| it.text_of("effort"));
    let effort = effort.as_deref().unwrap_or_default();
    sampling(checker, root, effort);
    instructions(checker, root, facts);
    for config in updates(root).chain([root.clone()]) {
        let effort = config.get("reasoning").and_then(|it| it.get("effort"));
        effort_by_model(checker, facts, effort);
    }
}

/// Reports instructions that are long enough to cache on a model that never caches them.
fn instructions(checker: &mut Checker, root: &Node<'_>, facts: &ModelFacts) {
    if facts.turn_scoped_instructions != Some(true) {
        return;
    }
    let text = root.text_of("instructions");
    let minimum = facts.cache_minimum.unwrap_or(MIN_CACHED_TOKENS);
    // A token has at least one byte.
    if (text.len() as u64) < minimum {
        return;
    }
    let tokens = estimate(&text, facts.estimated_tokenizer()).tokens();
    if tokens >= minimum {
        let found = format!("~{tokens} tokens in each request for {}", facts.id);
        checker.add(&table::INSTRUCTIONS_UNCACHED, "instructions", found);
    }
}
