//! The input's items, each by itself.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::checker::Checker;
use crate::node::Node;
use crate::table;

/// Item types with rules of their own, and how their ids begin.
const PREFIXES: [(&str, &str); 5] = [
    ("custom_tool_call", "ctc"),
    ("function_call", "fc"),
    ("message", "msg"),
    ("reasoning", "rs"),
    ("web_search_call", "ws"),
];

/// How long an item's or a call's id may be, in characters.
const MAX_ID_CHARS: usize = 64;

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

/// Checks every input item by itself. A string as input has no items.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    let Some(input) = root.get("input") else {
        return;
    };
    let is_stateless = root.get("store").is_some_and(|store| store.value.raw() == "false");
    let (mut media, mut ids) = (0, HashSet::new());
    let mut items = input.items().peekable();
    while let Some(item) = items.next() {
        let kind = kind(&item);
        id(checker, &item, &kind, &mut ids);
        checker.arguments(&item);
        if kind == "compaction_trigger" && items.peek().is_some() {
            checker.add(&table::COMPACTION_MISPLACED, item.path(), "an item before others");
        }
        match &*kind {
            "message" => media += message(checker, &item),
            "function_call" | "custom_tool_call" => {
                if let Some(name) = item.get("name") {
                    checker.tool_name(&name);
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                media += parts(checker, &item, "output", |kind| NOT_OF_INPUT.contains(&kind));
            }
            "reasoning" if is_stateless && item.get("encrypted_content").is_none() => {
                let path = item.at("encrypted_content");
                checker.add(&table::REASONING_CONTENT, path, "no key");
            }
            _ => {}
        }
    }
    checker.skip("media", media, "images and files are not looked into");
}

/// Returns an item's type: a message and a reference to a stored item may have none.
pub(super) fn kind<'a>(item: &Node<'a>) -> Cow<'a, str> {
    match item.text_of("type") {
        kind if !kind.is_empty() => kind,
        _ if item.get("role").is_some() => "message".into(),
        _ if item.get("id").is_some() => "item_reference".into(),
        kind => kind,
    }
}

/// Reports an id that is too long, occurs again, or lacks its item type's prefix, such as a call's
/// id used as an item's.
fn id<'a>(checker: &mut Checker, item: &Node<'a>, kind: &str, ids: &mut HashSet<Cow<'a, str>>) {
    let is_long = |id: &str| id.chars().count() > MAX_ID_CHARS;
    if let Some(id) = item.get("call_id")
        && id.text().is_some_and(|it| it.is_empty() || is_long(&it))
    {
        checker.add(&table::CALL_ID, id.path(), id.excerpt());
    }
    let Some(id) = item.get("id") else { return };
    let Some(text) = id.text() else { return };
    let prefix = PREFIXES.iter().find(|(name, _)| *name == kind);
    let other = prefix.filter(|(_, prefix)| !text.starts_with(prefix));
    if let Some((_, prefix)) = other {
        let expected = format!("an ID that begins with '{prefix}'");
        checker.add_expecting(&table::ITEM_ID, id.path(), id.excerpt(), expected);
    } else if is_long(&text) {
        let expected = format!("at most {MAX_ID_CHARS} characters");
        checker.add_expecting(&table::ITEM_ID, id.path(), id.excerpt(), expected);
    }
    if let Some(text) = ids.replace(text) {
        checker.add(&table::DOUBLED_ITEM, id.path(), format!("{text:?} again"));
    }
}

/// Checks a message's parts, and returns how many media there are.
///
/// ```json
/// {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
/// {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
/// ```
///
/// Part types differ by role. A string as content is accepted for every role.
fn message(checker: &mut Checker, item: &Node<'_>) -> usize {
    let role = item.text_of("role");
    let is_refused = |kind: &str| match &*role {
        "assistant" => !matches!(kind, "output_text" | "refusal"),
        _ => NOT_OF_INPUT.contains(&kind),
    };
    parts(checker, item, "content", is_refused)
}

/// Reports parts with refused types, and returns how many media there are.
fn parts(
    checker: &mut Checker,
    item: &Node<'_>,
    key: &'static str,
    is_refused: impl Fn(&str) -> bool,
) -> usize {
    let mut media = 0;
    for part in item.list(key) {
        let kind = part.text_of("type");
        media += usize::from(matches!(&*kind, "input_image" | "input_file"));
        if kind == "input_image"
            && let Some(url) = part.get("image_url")
        {
            checker.data_url(&url);
            if url.text().is_none() {
                let found = url.excerpt();
                checker.add_expecting(&table::VALUE_TYPE, url.path(), found, "a URL as text");
            }
        }
        if let Some(data) = part.get("file_data") {
            checker.data_url(&data);
        }
        if is_refused(&kind) {
            let found = format!("{kind:?}");
            checker.add(&table::BLOCK_PLACE, part.at("type"), found);
        }
    }
    media
}
