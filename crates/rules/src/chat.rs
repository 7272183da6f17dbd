//! Rules for OpenAI's Chat Completions.
//!
//! This file has the rules for parameters and tools; `conversation` has those for messages.

mod conversation;

use std::borrow::Cow;

use aside_models::{Effort, ModelFacts, Sampling, ToolSupport, Vendor, Wire};

use crate::checker::Checker;
use crate::node::Node;
use crate::of::schema::SchemaUse;
use crate::{shapes, table};

/// Where tools are: the older form is `functions`.
const TOOL_KEYS: [&str; 2] = ["tools", "functions"];
const MAX_STOPS: usize = 4;
/// How many members `metadata` may have.
const MAX_PAIRS: usize = 16;
/// How long a `metadata` key may be, in characters.
const MAX_KEY_CHARS: usize = 64;
/// How long a `metadata` value may be, in characters.
const MAX_VALUE_CHARS: usize = 512;

/// Checks a whole body. Violations are in this order: shapes, messages, tools, parameters, model.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    shapes::check(checker, "Request", root.value);
    checker.model_required(root);
    conversation::check(checker, root);
    tools(checker, root);
    parameters(checker, root);
    if let Some(facts) = checker.facts {
        metadata(checker, root);
        by_model(checker, root, facts);
    }
}

/// Checks how many pairs `metadata` has, and how long they are.
pub(crate) fn metadata(checker: &mut Checker, root: &Node<'_>) {
    let Some(metadata) = root.get("metadata") else {
        return;
    };
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
            checker.add(&table::METADATA, pair.path(), "a longer text");
        }
    }
}

/// Checks tool names, and that the tools in a tool choice exist. `functions` and
/// `function_call` are the older form of `tools` and `tool_choice`.
fn tools(checker: &mut Checker, root: &Node<'_>) {
    for key in TOOL_KEYS {
        checker.tool_count(root, key);
        if root.get(key).is_some_and(|it| it.value.raw() == "[]") {
            let expected = "at least one tool, or no key";
            checker.add_expecting(&table::TOOL_COUNT, key, "no tool", expected);
        }
    }
    let tools = root.list("tools").filter_map(|it| definition(&it));
    let names: Vec<_> =
        tools.chain(root.list("functions")).filter_map(|it| it.get("name")).collect();
    for name in &names {
        checker.tool_name(name);
    }
    let functions = root.list("tools").filter_map(|it| it.get("function"));
    for function in functions.chain(root.list("functions")) {
        checker.function_schema(strictness(&function), function.get("parameters"));
    }
    let format = root.get("response_format");
    if let Some(format) = format.and_then(|it| it.get("json_schema")) {
        output_schema(checker, &format);
    }
    if names.is_empty() {
        return;
    }
    let choice = root.get("tool_choice");
    let allowed = choice.as_ref().and_then(|it| it.get("allowed_tools"));
    let allowed = allowed.iter().flat_map(|it| it.list("tools"));
    let chosen = allowed.chain(choice.clone()).filter_map(|it| definition(&it));
    for chosen in chosen.chain(root.get("function_call")).filter_map(|it| it.get("name")) {
        if chosen.text().is_some() && !names.iter().any(|name| name.text() == chosen.text()) {
            checker.add(&table::TOOL_CHOICE, chosen.path(), chosen.excerpt());
        }
    }
}

/// Returns the key of the request's tools, if it has some.
fn tools_key(root: &Node<'_>) -> Option<&'static str> {
    TOOL_KEYS.into_iter().find(|key| root.list(key).next().is_some())
}

/// Returns what a function or a custom tool is, or a call or a choice of it.
fn definition<'a>(tool: &Node<'a>) -> Option<Node<'a>> {
    tool.get("function").or_else(|| tool.get("custom"))
}

/// Returns what a schema is for, in a function or an output format that may be strict.
pub(super) fn strictness(function: &Node<'_>) -> SchemaUse {
    if function.get("strict").is_some_and(|it| it.value.is_true()) {
        SchemaUse::OpenAiStrict
    } else {
        SchemaUse::OpenAi
    }
}

/// Checks an output format's schema if it is strict: the server takes any other as a hint.
pub(super) fn output_schema(checker: &mut Checker, format: &Node<'_>) {
    if let Some(schema) = format.get("schema")
        && strictness(format) == SchemaUse::OpenAiStrict
    {
        checker.schema(SchemaUse::OpenAiStrict, schema.value);
    }
}

/// Checks how many stop sequences there are, that `json_object` comes with the word JSON, and that
/// tool and stream parameters come with tools and a stream: the server refuses them otherwise.
fn parameters(checker: &mut Checker, root: &Node<'_>) {
    if tools_key(root).is_none() {
        for key in ["tool_choice", "parallel_tool_calls", "function_call"] {
            if let Some(value) = root.get(key) {
                let found = format!("{} without tools", value.excerpt());
                checker.add_expecting(&table::TOOL_CHOICE, key, found, "tools, or no key");
            }
        }
    }
    stream_options(checker, root);
    let has_logprobs = root.get("logprobs").is_some_and(|it| it.value.is_true());
    if let Some(top) = root.get("top_logprobs").filter(|_| !has_logprobs) {
        checker.add(&table::LOGPROBS, "top_logprobs", top.excerpt());
    }
    let stops = root.list("stop").count();
    if stops > MAX_STOPS {
        checker.add(&table::STOP_LIMIT, "stop", format!("{stops} sequences"));
    }
    let format = root.get("response_format");
    let is_json = format.is_some_and(|it| it.text_of("type") == "json_object");
    if is_json && !conversation::has_word_json(root) {
        let found = "json_object, and no message has the word";
        checker.add(&table::JSON_WORD, "response_format", found);
    }
}

/// Reports options of a stream without a stream.
pub(super) fn stream_options(checker: &mut Checker, root: &Node<'_>) {
    let streams = root.get("stream").is_some_and(|it| it.value.is_true());
    if !streams && root.get("stream_options").is_some() {
        checker.add(&table::STREAM_OPTIONS, "stream_options", "no stream");
    }
}

/// Checks parameters that only some models accept. If the body gives no effort and the model
/// accepts tools only without reasoning, tools are counted as not checked, since the server's
/// default effort decides.
fn by_model(checker: &mut Checker, root: &Node<'_>, facts: &ModelFacts) {
    // Only reasoning models refuse sampling, or have an effort. From GPT-5 on, all but the models
    // of ChatGPT reason.
    let is_five = facts.generation.0 >= 5 && facts.line != "chat";
    let is_reasoning = facts.sampling == Some(Sampling::Refused)
        || facts.vendor == Vendor::OpenAi && (is_five || facts.effort_none.is_some());
    let effort = root.text_of("reasoning_effort");
    if is_reasoning && let Some(limit) = root.get("max_tokens") {
        checker.add(&table::MAX_TOKENS_KEY, "max_tokens", limit.excerpt());
    }
    sampling(checker, root, &effort);
    effort_by_model(checker, facts, root.get("reasoning_effort"));
    let mut wires = facts.wires.iter();
    let chat = wires.find(|it| it.wire == Wire::ChatCompletions);
    let Some(key) = tools_key(root) else { return };
    let id = facts.id;
    match chat.map(|it| it.tools) {
        Some(ToolSupport::Refused) => {
            checker.add(&table::TOOLS_ON_CHAT, key, format!("tools for {id}"));
        }
        Some(ToolSupport::WithoutReasoning) if !matches!(&*effort, "" | "none") => {
            let found = format!("{effort:?} with tools for {id}");
            checker.add(&table::TOOLS_EFFORT, "reasoning_effort", found);
        }
        Some(ToolSupport::WithoutReasoning) if effort.is_empty() => checker.skip(
            "default-effort",
            1,
            format!("{id} takes tools with effort none only, and the body names no effort"),
        ),
        _ => {}
    }
}

/// The range of each sampling parameter. Those after the first three are of Chat Completions only.
const RANGES: [(&str, f64, f64); 6] = [
    ("temperature", 0.0, 2.0),
    ("top_p", 0.0, 1.0),
    ("top_logprobs", 0.0, 20.0),
    ("presence_penalty", -2.0, 2.0),
    ("frequency_penalty", -2.0, 2.0),
    ("n", 1.0, 128.0),
];

/// Reports parameters outside of their range, and `temperature` and `top_p` other than 1 on a model
/// that refuses them. `effort` is the body's reasoning effort; with `none` nothing is reported, since
/// some models accept them then.
pub(super) fn sampling(checker: &mut Checker, root: &Node<'_>, effort: &str) {
    let count = match checker.wire {
        Wire::ChatCompletions => RANGES.len(),
        _ => 3,
    };
    for (key, min, max) in RANGES.into_iter().take(count) {
        let value = root.get(key);
        let is_outside =
            |it: &Node<'_>| it.value.number().is_some_and(|it| !(min..=max).contains(&it));
        if let Some(value) = value.filter(is_outside) {
            let expected = format!("a number from {min} to {max}");
            checker.add_expecting(&table::SAMPLING_RANGE, key, value.excerpt(), expected);
        }
    }
    let Some(facts) = checker.facts else { return };
    let is_refused = matches!(facts.sampling, Some(Sampling::Refused | Sampling::WithoutThinking));
    if !is_refused || effort == "none" {
        return;
    }
    let sampled = ["temperature", "top_p"].into_iter().filter_map(|key| root.get(key));
    let sampled = sampled.filter(|it| it.value.number() != Some(1.0));
    let listed = ["logprobs", "top_logprobs"].into_iter().filter_map(|key| root.get(key));
    let listed = listed.filter(|it| !matches!(it.value.raw(), "false" | "0"));
    let is_listed = |it: &Node<'_>| it.text().is_some_and(|it| it.ends_with(".logprobs"));
    let included = root.list("include").filter(is_listed);
    for refused in sampled.chain(listed).chain(included) {
        let found = format!("{} for {}", refused.excerpt(), facts.id);
        checker.add(&table::SAMPLING_MODEL, refused.path(), found);
    }
}

/// Reports an effort that the model refuses.
pub(super) fn effort_by_model(checker: &mut Checker, facts: &ModelFacts, effort: Option<Node<'_>>) {
    let Some(effort) = effort else { return };
    let is_refused = match effort.text().unwrap_or_default().parse().ok() {
        Some(Effort::None) => facts.effort_none == Some(false) || facts.refuses_effort(),
        Some(other) => facts.takes_effort(other) == Some(false),
        None => false,
    };
    if is_refused {
        let found = format!("{} for {}", effort.excerpt(), facts.id);
        checker.add(&table::EFFORT_MODEL, effort.path(), found);
    }
}
