//! The rules of OpenAI's Responses.
//!
//! The file has the rules of parameters and tools; `items` those of single items, and
//! `calls` those of items that belong together.

mod calls;
mod items;

use super::chat::sampling;
use super::finder::Finder;
use super::names;
use super::node::Node;
use super::table;

/// The keys of a request, in the types of the official SDK, and `client_metadata`, which
/// codex sends. Another key is reported as unknown, not as refused, since newer keys may
/// exist.
const KEYS: [&str; 35] = [
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_tool_calls",
    "reasoning",
    "text",
    "store",
    "previous_response_id",
    "client_metadata",
    "conversation",
    "background",
    "include",
    "stream",
    "stream_options",
    "max_output_tokens",
    "metadata",
    "temperature",
    "top_p",
    "top_logprobs",
    "truncation",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "user",
    "service_tier",
    "context_management",
    "moderation",
    "prompt",
    "access_programs",
    "background_options",
    "image",
];

/// Keys that only other wires have, and that the server refuses. They show that a body
/// was written for another wire, in whole or in part.
const FOREIGN_KEYS: [&str; 12] = [
    "messages",
    "system",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "stop_sequences",
    "thinking",
    "response_format",
    "reasoning_effort",
    "functions",
    "contents",
    "generationConfig",
];

/// The values of `reasoning.effort`.
const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
/// The values of `text.verbosity`.
const VERBOSITIES: [&str; 3] = ["low", "medium", "high"];
/// The values of `truncation`.
const TRUNCATIONS: [&str; 2] = ["auto", "disabled"];

/// The smallest `max_output_tokens`.
const MIN_ANSWER_TOKENS: u64 = 16;
/// The maximum number of members of `metadata`.
const MAX_PAIRS: usize = 16;
/// The maximum length of a key of `metadata`, in characters.
const MAX_KEY_CHARS: usize = 64;
/// The maximum length of a value of `metadata`, in characters.
const MAX_VALUE_CHARS: usize = 512;
/// The maximum length of `safety_identifier`, in characters.
const MAX_SAFETY_IDENTIFIER_CHARS: usize = 128;

/// Checks a whole body. Violations are in the order keys, items, calls, tools,
/// parameters.
pub(super) fn check(finder: &mut Finder, root: &Node<'_>) {
    for key in root.keys() {
        let value = root.get(key).map_or_else(String::new, |it| it.excerpt());
        if FOREIGN_KEYS.contains(&key) {
            finder.add(&table::RESPONSES_FOREIGN_KEY, key, value);
        } else if !KEYS.contains(&key) {
            finder.add(&table::RESPONSES_UNKNOWN_KEY, key, value);
        }
    }
    items::check(finder, root);
    calls::check(finder, root);
    tools(finder, root);
    parameters(finder, root);
    by_model(finder, root);
}

/// Checks the function tools, and that a forced one exists.
///
/// ```json
/// {"type": "function", "name": "now", "parameters": {}}
/// {"type": "function", "function": {"name": "now"}}
/// ```
///
/// The second is the form of Chat Completions, which this wire refuses. A forced tool may
/// also be in an `additional_tools` item; with a namespace among the tools every name is
/// accepted.
fn tools(finder: &mut Finder, root: &Node<'_>) {
    let functions: Vec<_> = root
        .list("tools")
        .filter(|tool| tool.text_of("type") == "function")
        .collect();
    for tool in &functions {
        match (tool.get("name"), tool.get("function")) {
            (Some(name), _) => names::openai(finder, &table::RESPONSES_FUNCTION_NAME, &name),
            (None, Some(function)) => {
                finder.add(&table::RESPONSES_TOOL, function.path, "a nested function");
            }
            (None, None) => finder.add(&table::RESPONSES_TOOL, tool.path_of("name"), "no key"),
        }
    }
    finder.skip(
        "tool-schemas",
        functions.len(),
        "whether the server takes the schema of a tool is not checked",
    );
    let choice = root.get("tool_choice");
    let forced = choice.filter(|choice| choice.text_of("type") == "function");
    let Some(forced) = forced.and_then(|choice| choice.get("name")) else {
        return;
    };
    // Tools may also be in the input.
    let is_named = |name: &str| {
        let added = root
            .list("input")
            .filter(|item| item.text_of("type") == "additional_tools")
            .flat_map(|item| item.list("tools"));
        let mut tools = root.list("tools").chain(added);
        tools.any(|tool| tool.text_of("name") == name || tool.text_of("type") == "namespace")
    };
    if !is_named(forced.text().unwrap_or_default()) {
        let found = forced.excerpt();
        finder.add(&table::RESPONSES_TOOL_CHOICE, forced.path, found);
    }
}

/// Checks the limits and the values of parameters. A parameter of another type than
/// expected is not reported here.
fn parameters(finder: &mut Finder, root: &Node<'_>) {
    let limit = root
        .get("max_output_tokens")
        .and_then(|it| it.value.as_u64());
    if let Some(limit) = limit.filter(|limit| *limit < MIN_ANSWER_TOKENS) {
        let (rule, path) = (&table::RESPONSES_ANSWER_LIMIT, "max_output_tokens");
        finder.add(rule, path, limit.to_string());
    }
    if let Some(metadata) = root.get("metadata") {
        let keys: Vec<_> = metadata.keys().collect();
        if keys.len() > MAX_PAIRS {
            let found = format!("{} pairs", keys.len());
            finder.add(&table::RESPONSES_METADATA, "metadata", found);
        }
        for key in keys {
            let is_long = key.chars().count() > MAX_KEY_CHARS
                || metadata.text_of(key).chars().count() > MAX_VALUE_CHARS;
            if is_long {
                let path = metadata.path_of(key);
                finder.add(&table::RESPONSES_METADATA, path, "a longer text");
            }
        }
    }
    let identifier = root.text_of("safety_identifier");
    let length = identifier.chars().count();
    if length > MAX_SAFETY_IDENTIFIER_CHARS {
        let rule = &table::RESPONSES_SAFETY_IDENTIFIER;
        finder.add(rule, "safety_identifier", format!("{length} characters"));
    }
    let effort = root.get("reasoning").and_then(|it| it.get("effort"));
    value(finder, effort, &EFFORTS);
    let verbosity = root.get("text").and_then(|it| it.get("verbosity"));
    value(finder, verbosity, &VERBOSITIES);
    value(finder, root.get("truncation"), &TRUNCATIONS);
}

/// Reports a text that is none of the values.
fn value(finder: &mut Finder, node: Option<Node<'_>>, values: &[&str]) {
    if let Some(node) = node
        && let Some(text) = node.text()
        && !values.contains(&text)
    {
        let found = node.excerpt();
        finder.add(&table::RESPONSES_VALUE, node.path, found);
    }
}

/// Checks the parameters that only some models accept. Without facts nothing is checked.
fn by_model(finder: &mut Finder, root: &Node<'_>) {
    let Some(facts) = finder.facts() else { return };
    let reasoning = root.get("reasoning");
    let effort = reasoning.as_ref().map_or("", |it| it.text_of("effort"));
    sampling(finder, &table::RESPONSES_SAMPLING, root, effort);
    if effort == "none" && facts.effort_none == Some(false) {
        let found = format!("\"none\" for {}", facts.id);
        finder.add(&table::RESPONSES_EFFORT, "reasoning.effort", found);
    }
}
