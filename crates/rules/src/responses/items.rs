//! The items of the input, each by itself.

use std::borrow::Cow;

use crate::checker::Checker;
use crate::node::Node;
use crate::table;

/// Item types with rules of their own, and the prefix of their ids.
const PREFIXES: [(&str, &str); 3] = [
    ("function_call", "fc"),
    ("message", "msg"),
    ("reasoning", "rs"),
];

/// The item types of the wire that are no calls of hosted tools.
const TYPES: [&str; 9] = [
    "message",
    "function_call",
    "function_call_output",
    "reasoning",
    "item_reference",
    "additional_tools",
    "configuration_update",
    "compaction",
    "compaction_trigger",
];
/// The beginnings of the types of hosted tools: calls and outputs.
const HOSTED: [&str; 12] = [
    "custom_tool_call",
    "tool_search_",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "mcp_",
    "program",
    "image_generation_call",
];

/// The roles of a message.
const ROLES: [&str; 4] = ["user", "assistant", "system", "developer"];

/// Part types that only other wires have, or only the assistant.
const NOT_OF_INPUT: [&str; 9] = [
    "text",
    "image_url",
    "image",
    "document",
    "file",
    "tool_use",
    "tool_result",
    "output_text",
    "refusal",
];

/// Checks every item of the input by itself. A string as input has no items.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    let Some(input) = root.get("input") else {
        return;
    };
    if !input.is_text_or_list() {
        checker.add(&table::NO_MESSAGE, "input", input.excerpt());
    }
    let is_stateless = root
        .get("store")
        .is_some_and(|store| store.value.raw() == "false");
    let mut media = 0;
    for item in input.items() {
        let kind = kind(&item);
        let is_known = TYPES.contains(&&*kind) || HOSTED.iter().any(|it| kind.starts_with(it));
        if !is_known {
            let found = format!("{kind:?}");
            checker.add(&table::UNKNOWN_KIND, item.path_of("type"), found);
        }
        id(checker, &item, &kind);
        match &*kind {
            "message" => media += message(checker, &item),
            "function_call" => call(checker, &item),
            "function_call_output" => media += output(checker, &item),
            "reasoning" if is_stateless && item.get("encrypted_content").is_none() => {
                let path = item.path_of("encrypted_content");
                checker.add(&table::REASONING_CONTENT, path, "no key");
            }
            _ => {}
        }
    }
    checker.skip("media", media, "images and files are not looked into");
}

/// Returns the type of an item: a message may have none.
pub(super) fn kind<'a>(item: &Node<'a>) -> Cow<'a, str> {
    match item.text_of("type") {
        kind if kind.is_empty() && item.get("role").is_some() => "message".into(),
        kind => kind,
    }
}

/// Reports an id without the prefix of its item type, such as the id of a call as the id
/// of an item.
fn id(checker: &mut Checker, item: &Node<'_>, kind: &str) {
    let Some(id) = item.get("id") else { return };
    let prefix = PREFIXES.iter().find(|(name, _)| *name == kind);
    if let (Some((_, prefix)), Some(text)) = (prefix, id.text())
        && !text.starts_with(prefix)
    {
        let found = id.excerpt();
        checker.add(&table::ITEM_ID, id.path, found);
    }
}

/// Checks the role and the parts of a message, and returns the number of media.
///
/// ```json
/// {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
/// {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
/// ```
///
/// The types of parts differ by role. A string as content is accepted for every role.
fn message(checker: &mut Checker, item: &Node<'_>) -> usize {
    let role = item.text_of("role");
    if !ROLES.contains(&&*role) {
        let (path, expected) = (item.path_of("role"), "user, assistant, system or developer");
        checker.add_expecting(&table::VALUE, path, format!("{role:?}"), expected);
    }
    let is_refused = |kind: &str| match &*role {
        "assistant" => !matches!(kind, "output_text" | "refusal"),
        _ => NOT_OF_INPUT.contains(&kind),
    };
    parts(checker, item, "content", is_refused)
}

/// Checks the output of a call: a string, or parts of input. Returns the number of media.
fn output(checker: &mut Checker, item: &Node<'_>) -> usize {
    if let Some(output) = item.get("output")
        && !output.is_text_or_list()
    {
        let found = output.excerpt();
        checker.add(&table::VALUE_TYPE, output.path, found);
    }
    parts(checker, item, "output", |kind| NOT_OF_INPUT.contains(&kind))
}

/// Reports the parts of refused types, and returns the number of media.
fn parts(
    checker: &mut Checker,
    item: &Node<'_>,
    key: &str,
    is_refused: impl Fn(&str) -> bool,
) -> usize {
    let mut media = 0;
    for part in item.list(key) {
        let kind = part.text_of("type");
        media += usize::from(matches!(&*kind, "input_image" | "input_file"));
        if is_refused(&kind) {
            let found = format!("{kind:?}");
            checker.add(&table::BLOCK_PLACE, part.path_of("type"), found);
        }
    }
    media
}

/// Checks the name and the arguments of a call. Arguments are JSON text, never an object.
fn call(checker: &mut Checker, item: &Node<'_>) {
    if let Some(name) = item.get("name") {
        checker.tool_name(&name);
    }
    if let Some(arguments) = item.get("arguments")
        && arguments.text().is_none()
    {
        let found = arguments.excerpt();
        let expected = "arguments as a JSON string";
        checker.add_expecting(&table::VALUE_TYPE, arguments.path, found, expected);
    }
}
