//! Rules for Gemini's `generateContent`.
//!
//! Google's servers accept keys in camel case and in snake case, so every key is looked up in both.

mod calls;

use std::collections::HashSet;

use aside_models::{Effort, ModelFacts};

use crate::checker::Checker;
use crate::node::Node;
use crate::of::schema::SchemaUse;
use crate::{shapes, table};

const MAX_STOPS: usize = 5;

/// Keys that exclude each other, in both spellings.
type Exclusive = [(&'static str, &'static str); 2];

/// A function's schemas.
const SCHEMAS: [Exclusive; 2] = [
    [("parameters", "parameters"), ("parametersJsonSchema", "parameters_json_schema")],
    [("response", "response"), ("responseJsonSchema", "response_json_schema")],
];

/// The schemas of an output.
const OUTPUT_SCHEMAS: Exclusive =
    [("responseSchema", "response_schema"), ("responseJsonSchema", "response_json_schema")];

/// Kinds of data, in both spellings. A part has exactly one.
const DATA: [(&str, &str); 9] = [
    ("text", "text"),
    ("inlineData", "inline_data"),
    ("fileData", "file_data"),
    ("functionCall", "function_call"),
    ("functionResponse", "function_response"),
    ("executableCode", "executable_code"),
    ("codeExecutionResult", "code_execution_result"),
    ("toolCall", "tool_call"),
    ("toolResponse", "tool_response"),
];

/// Checks a whole body. Violations are in this order: shapes, contents, calls, tools, parameters.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    shapes::check(checker, "Request", root.value);
    let contents: Vec<_> = root.list("contents").collect();
    // A single content, or a text, is an SDK's shorthand.
    if contents.is_empty() {
        let found = root.get("contents").map_or_else(|| "no key".to_owned(), |it| it.excerpt());
        checker.add(&table::NO_MESSAGE, "contents", found);
    }
    let media = contents.iter().map(|it| content_of(checker, it)).sum();
    checker.skip("media", media, "images and files are not looked into");
    calls::check(checker, &contents);
    tools(checker, root);
    by_model(checker, root, &contents);
    let config = root.either("generationConfig", "generation_config");
    if let Some(config) = config {
        thinking(checker, &config);
        exclusive(checker, &config, OUTPUT_SCHEMAS);
        let stops = config.either("stopSequences", "stop_sequences");
        let count = stops.as_ref().map_or(0, |it| it.items().count());
        if let Some(stops) = stops.filter(|_| count > MAX_STOPS) {
            checker.add(&table::STOP_LIMIT, stops.path(), format!("{count} sequences"));
        }
        if let Some(facts) = checker.facts {
            by_generation(checker, &config, facts);
        }
    }
}

/// Checks a content's parts, and returns how many media there are.
fn content_of(checker: &mut Checker, content: &Node<'_>) -> usize {
    let mut media = 0;
    let parts = content.get("parts");
    let is_object = content.value.raw().starts_with('{');
    if is_object
        && parts.is_none_or(|it| it.value.raw().starts_with('[') && it.items().next().is_none())
    {
        checker.add(&table::EMPTY_CONTENT, content.at("parts"), "no part");
    }
    for part in content.list("parts") {
        let has =
            |(camel, snake): &&(&'static str, &'static str)| part.either(camel, snake).is_some();
        let kinds: Vec<_> = DATA.iter().filter(has).map(|(camel, _)| *camel).collect();
        if kinds.len() > 1 {
            checker.add(&table::PART_DATA, part.path(), kinds.join(" and "));
        } else if part.value.raw().starts_with('{') && part.value.members().next().is_none() {
            checker.add(&table::PART_DATA, part.path(), "no data");
        }
        media += usize::from(matches!(kinds[..], ["inlineData" | "fileData"]));
        media_type(checker, &part);
        let response = part.either("functionResponse", "function_response");
        for inner in response.iter().flat_map(|it| it.list("parts")) {
            media_type(checker, &inner);
        }
    }
    media
}

/// Reports data in a part without their type.
fn media_type(checker: &mut Checker, part: &Node<'_>) {
    let data = part.either("inlineData", "inline_data");
    let untyped = data.filter(|it| it.either("mimeType", "mime_type").is_none());
    if let Some(data) = untyped.filter(|it| it.value.raw().starts_with('{')) {
        checker.add(&table::MISSING_KEY, data.at("mimeType"), "no key");
    }
}

/// Checks function names and schemas, and that the functions to allow exist.
fn tools(checker: &mut Checker, root: &Node<'_>) {
    let mut names = HashSet::new();
    for tool in root.list("tools") {
        let functions = tool.either("functionDeclarations", "function_declarations");
        let Some(functions) = functions else { continue };
        for function in functions.items() {
            checker.function_schema(SchemaUse::Gemini, function.get("parameters"));
            for keys in SCHEMAS {
                exclusive(checker, &function, keys);
            }
            if function.get("name").is_none() && function.value.raw().starts_with('{') {
                checker.add(&table::TOOL_NAME, function.at("name"), "no key");
            }
            if let Some(name) = function.get("name") {
                checker.tool_name(&name);
                if name.text().is_some_and(|it| !names.insert(it)) {
                    let found = format!("{} again", name.excerpt());
                    checker.add(&table::DOUBLED_TOOL, name.path(), found);
                }
            }
        }
    }
    let config = root.either("toolConfig", "tool_config");
    let config =
        config.and_then(|it| it.either("functionCallingConfig", "function_calling_config"));
    let allowed = config.and_then(|it| it.either("allowedFunctionNames", "allowed_function_names"));
    for name in allowed.iter().flat_map(Node::items) {
        if name.text().is_some_and(|it| !names.contains(&it)) {
            checker.add(&table::TOOL_CHOICE, name.path(), name.excerpt());
        }
    }
}

/// Reports the second of two keys that exclude each other.
fn exclusive(checker: &mut Checker, node: &Node<'_>, keys: Exclusive) {
    let set = keys.map(|(camel, snake)| node.either(camel, snake));
    let [Some(_), Some(other)] = set else { return };
    let found = format!("{} next to {}", keys[1].0, keys[0].0);
    checker.add(&table::EXCLUSIVE_KEYS, other.path(), found);
}

/// Reports a thinking level next to a budget.
fn thinking(checker: &mut Checker, config: &Node<'_>) {
    let Some(thinking) = config.either("thinkingConfig", "thinking_config") else {
        return;
    };
    let level = thinking.either("thinkingLevel", "thinking_level");
    let budget = thinking.either("thinkingBudget", "thinking_budget");
    if level.is_some() && budget.is_some() {
        let found = "a level and a budget";
        checker.add(&table::THINKING_CONFLICT, thinking.path(), found);
    }
}

/// Reports cached content and the beginning of a response on a model that takes neither.
fn by_model(checker: &mut Checker, root: &Node<'_>, contents: &[Node<'_>]) {
    let Some(facts) = checker.facts else { return };
    let cached = root.either("cachedContent", "cached_content");
    if let Some(cached) = cached.filter(|_| facts.cached_content == Some(false)) {
        checker.add(&table::CACHED_CONTENT, cached.path(), checker.on_model(&cached.excerpt()));
    }
    let has_text = |it: &&Node<'_>| it.list("parts").any(|part| part.get("text").is_some());
    let has_no_call = |it: &&Node<'_>| calls::calls(it).is_empty();
    let last = contents.last().filter(|it| it.text_of("role") == "model");
    let prefill = last.filter(has_text).filter(has_no_call);
    if let Some(last) = prefill.filter(|_| facts.prefill == Some(false)) {
        let found = checker.on_model("the beginning of an answer");
        checker.add(&table::PREFILL, last.at("role"), found);
    }
}

/// Reports parameters that a model's generation refuses: on 2.5 a thinking level, since it takes a
/// budget; on 4 a budget, the level `MINIMAL` and those that the model lacks, penalties, and a
/// candidate count other than 1.
fn by_generation(checker: &mut Checker, config: &Node<'_>, facts: &ModelFacts) {
    let thinking = config.either("thinkingConfig", "thinking_config");
    let level = thinking.as_ref().and_then(|it| it.either("thinkingLevel", "thinking_level"));
    if let Some(level) = level.as_ref().filter(|_| facts.generation == (2, 5)) {
        checker.add(&table::THINKING_MODE, level.path(), checker.on_model(&level.excerpt()));
    }
    if facts.generation.0 < 4 {
        return;
    }
    let mut refuse = |rule, value: Node<'_>| {
        checker.add(rule, value.path(), format!("{} for {}", value.excerpt(), facts.id));
    };
    if let Some(budget) = thinking.and_then(|it| it.either("thinkingBudget", "thinking_budget")) {
        refuse(&table::THINKING_MODE, budget);
    }
    let is_refused = |it: &Node<'_>| match it.text().map(|it| it.to_ascii_lowercase().parse()) {
        Some(Ok(Effort::Minimal)) => true,
        Some(Ok(level)) => facts.takes_effort(level) == Some(false),
        _ => false,
    };
    if let Some(level) = level.filter(is_refused) {
        refuse(&table::EFFORT_MODEL, level);
    }
    for (camel, snake) in [
        ("frequencyPenalty", "frequency_penalty"),
        ("presencePenalty", "presence_penalty"),
        ("candidateCount", "candidate_count"),
    ] {
        let is_one = |it: &Node<'_>| camel == "candidateCount" && it.value.number() == Some(1.0);
        if let Some(value) = config.either(camel, snake).filter(|it| !is_one(it)) {
            refuse(&table::SAMPLING_MODEL, value);
        }
    }
}
