//! The rules of OpenAI's Responses.
//!
//! The file has the rules of parameters and tools; `items` those of single items, and
//! `calls` those of items that belong together.

mod calls;
mod items;

use std::borrow::Cow;

use crate::chat::sampling;
use crate::checker::Checker;
use crate::node::Node;
use crate::table;

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
const MIN_ANSWER_TOKENS: i64 = 16;
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
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    for member in root.members() {
        let (key, value) = (member.path.as_str(), member.excerpt());
        if FOREIGN_KEYS.contains(&key) {
            checker.add(&table::FOREIGN_KEY, key, value);
        } else if !KEYS.contains(&key) {
            checker.add(&table::UNKNOWN_KEY, key, value);
        }
    }
    items::check(checker, root);
    calls::check(checker, root);
    tools(checker, root);
    parameters(checker, root);
    by_model(checker, root);
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
fn tools(checker: &mut Checker, root: &Node<'_>) {
    let functions: Vec<_> = root
        .list("tools")
        .filter(|tool| tool.text_of("type") == "function")
        .collect();
    for tool in &functions {
        match (tool.get("name"), tool.get("function")) {
            (Some(name), _) => checker.tool_name(&name),
            (None, Some(function)) => {
                checker.add(&table::TOOL_FORM, function.path, "a nested function");
            }
            (None, None) => checker.add(&table::TOOL_FORM, tool.path_of("name"), "no key"),
        }
    }
    checker.skip(
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
    if !is_named(&forced.text().unwrap_or_default()) {
        let found = forced.excerpt();
        checker.add(&table::TOOL_CHOICE, forced.path, found);
    }
}

/// Checks the limits and the values of parameters. A parameter of another type than
/// expected is not reported here.
fn parameters(checker: &mut Checker, root: &Node<'_>) {
    let limit = root
        .get("max_output_tokens")
        .and_then(|it| it.value.integer());
    if let Some(limit) = limit.filter(|limit| *limit < MIN_ANSWER_TOKENS) {
        let (rule, path) = (&table::MAX_TOKENS, "max_output_tokens");
        checker.add(rule, path, limit.to_string());
    }
    if let Some(metadata) = root.get("metadata") {
        let pairs: Vec<_> = metadata.members().collect();
        if pairs.len() > MAX_PAIRS {
            let found = format!("{} pairs", pairs.len());
            checker.add(&table::METADATA, "metadata", found);
        }
        let is_longer =
            |text: Option<Cow<'_, str>>, limit| text.is_some_and(|it| it.chars().count() > limit);
        for pair in pairs {
            let value = pair.value;
            if is_longer(value.key(), MAX_KEY_CHARS) || is_longer(value.text(), MAX_VALUE_CHARS) {
                checker.add(&table::METADATA, pair.path, "a longer text");
            }
        }
    }
    let identifier = root.text_of("safety_identifier");
    let length = identifier.chars().count();
    if length > MAX_SAFETY_IDENTIFIER_CHARS {
        let rule = &table::SAFETY_IDENTIFIER;
        checker.add(rule, "safety_identifier", format!("{length} characters"));
    }
    let effort = root.get("reasoning").and_then(|it| it.get("effort"));
    value(checker, effort, &EFFORTS);
    let verbosity = root.get("text").and_then(|it| it.get("verbosity"));
    value(checker, verbosity, &VERBOSITIES);
    value(checker, root.get("truncation"), &TRUNCATIONS);
}

/// Reports a text that is none of the values.
fn value(checker: &mut Checker, node: Option<Node<'_>>, values: &[&str]) {
    if let Some(node) = node
        && let Some(text) = node.text()
        && !values.contains(&&*text)
    {
        let found = node.excerpt();
        checker.add(&table::VALUE, node.path, found);
    }
}

/// Checks the parameters that only some models accept. Without facts nothing is checked.
fn by_model(checker: &mut Checker, root: &Node<'_>) {
    let Some(facts) = checker.facts else { return };
    let reasoning = root.get("reasoning");
    let effort = reasoning.map(|it| it.text_of("effort"));
    let effort = effort.as_deref().unwrap_or_default();
    sampling(checker, root, effort);
    if effort == "none" && facts.effort_none == Some(false) {
        let found = format!("\"none\" for {}", facts.id);
        checker.add(&table::EFFORT_MODEL, "reasoning.effort", found);
    }
}
