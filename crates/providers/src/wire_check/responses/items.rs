//! The items of the input, each by itself.

use super::super::finder::Finder;
use super::super::names;
use super::super::node::Node;
use super::super::table;

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
pub(super) fn check(finder: &mut Finder, root: &Node<'_>) {
    let Some(input) = root.get("input") else {
        return;
    };
    if !input.value.is_string() && !input.value.is_array() {
        finder.add(&table::RESPONSES_INPUT, "input", input.excerpt());
    }
    let is_stateless = root
        .get("store")
        .is_some_and(|store| store.value.as_bool() == Some(false));
    let mut media = 0;
    for item in input.items() {
        let kind = kind(&item);
        let is_known = TYPES.contains(&kind) || HOSTED.iter().any(|it| kind.starts_with(it));
        if !is_known {
            let found = format!("{kind:?}");
            finder.add(&table::RESPONSES_ITEM_TYPE, item.path_of("type"), found);
        }
        id(finder, &item, kind);
        match kind {
            "message" => media += message(finder, &item),
            "function_call" => call(finder, &item),
            "function_call_output" => media += output(finder, &item),
            "reasoning" if is_stateless && item.get("encrypted_content").is_none() => {
                let path = item.path_of("encrypted_content");
                finder.add(&table::RESPONSES_REASONING, path, "no key");
            }
            _ => {}
        }
    }
    finder.skip("media", media, "images and files are not looked into");
}

/// Returns the type of an item: a message may have none.
pub(super) fn kind<'a>(item: &Node<'a>) -> &'a str {
    match item.text_of("type") {
        "" if item.get("role").is_some() => "message",
        kind => kind,
    }
}

/// Reports an id without the prefix of its item type, such as the id of a call as the id
/// of an item.
fn id(finder: &mut Finder, item: &Node<'_>, kind: &str) {
    let Some(id) = item.get("id") else { return };
    let prefix = PREFIXES.iter().find(|(name, _)| *name == kind);
    if let (Some((_, prefix)), Some(text)) = (prefix, id.text())
        && !text.starts_with(prefix)
    {
        let found = id.excerpt();
        finder.add(&table::RESPONSES_ITEM_ID, id.path, found);
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
fn message(finder: &mut Finder, item: &Node<'_>) -> usize {
    let role = item.text_of("role");
    if !ROLES.contains(&role) {
        finder.add(
            &table::RESPONSES_ROLE,
            item.path_of("role"),
            format!("{role:?}"),
        );
    }
    let is_refused = |kind: &str| match role {
        "assistant" => !matches!(kind, "output_text" | "refusal"),
        _ => NOT_OF_INPUT.contains(&kind),
    };
    parts(finder, item, "content", is_refused)
}

/// Checks the output of a call: a string, or parts of input. Returns the number of media.
fn output(finder: &mut Finder, item: &Node<'_>) -> usize {
    if let Some(output) = item.get("output")
        && !output.value.is_string()
        && !output.value.is_array()
    {
        let found = output.excerpt();
        finder.add(&table::RESPONSES_OUTPUT, output.path, found);
    }
    parts(finder, item, "output", |kind| NOT_OF_INPUT.contains(&kind))
}

/// Reports the parts of refused types, and returns the number of media.
fn parts(
    finder: &mut Finder,
    item: &Node<'_>,
    key: &str,
    is_refused: impl Fn(&str) -> bool,
) -> usize {
    let mut media = 0;
    for part in item.list(key) {
        let kind = part.text_of("type");
        media += usize::from(matches!(kind, "input_image" | "input_file"));
        if is_refused(kind) {
            let found = format!("{kind:?}");
            finder.add(&table::RESPONSES_PART_TYPE, part.path_of("type"), found);
        }
    }
    media
}

/// Checks the name and the arguments of a call. Arguments are JSON text, never an object.
fn call(finder: &mut Finder, item: &Node<'_>) {
    if let Some(name) = item.get("name") {
        names::openai(finder, &table::RESPONSES_FUNCTION_NAME, &name);
    }
    if let Some(arguments) = item.get("arguments")
        && arguments.text().is_none()
    {
        let found = arguments.excerpt();
        finder.add(&table::RESPONSES_ARGUMENTS, arguments.path, found);
    }
}
