//! A conversation's messages, and the outputs of its calls.
//!
//! ```text
//! assistant: tool_calls a, b
//! tool: a
//! tool: b        both directly after the calls, in any order
//! user: …
//! ```

use std::borrow::Cow;
use std::mem;

use aside_body::turns::{Fault, Pairing, Repeats, Role, Window};

use aside_json::Value;

use super::definition;
use crate::checker::Checker;
use crate::node::Node;
use crate::table;

/// How long a call's id may be, in characters.
const MAX_ID_CHARS: usize = 40;

/// Checks every message, and reports calls whose outputs do not follow directly.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    let messages: Vec<_> = root.list("messages").collect();
    if messages.is_empty() {
        let found = root.get("messages").map_or_else(|| "no key".to_owned(), |it| it.excerpt());
        checker.add(&table::NO_MESSAGE, "messages", found);
    }
    let mut pairing = Pairing::new(Window::NextTurn, Repeats::Same);
    let mut is_output = false;
    let mut media = 0;
    for message in &messages {
        let role = message.text_of("role");
        let was_output = mem::replace(&mut is_output, role == "tool");
        if is_output {
            if !was_output {
                unanswered(checker, pairing.turn(Role::User));
            }
            content(checker, message, &role);
            parts(checker, message, &role);
            output(checker, &mut pairing, message);
            continue;
        }
        unanswered(checker, pairing.turn(Role::Assistant));
        content(checker, message, &role);
        calls(checker, &mut pairing, message);
        media += parts(checker, message, &role);
    }
    unanswered(checker, pairing.close());
    checker.skip("media", media, "images, audio and files are not looked into");
}

/// Returns true if a message has the word JSON, in any case.
pub(super) fn has_word_json(root: &Node<'_>) -> bool {
    let mut messages = root.list("messages");
    messages.any(|it| it.value.raw().to_ascii_lowercase().contains("json"))
}

/// Calls, with their lists' paths.
type Calls<'a> = Pairing<Cow<'a, str>, (Cow<'a, str>, String)>;

/// Passes a message's calls, and checks their ids, names and arguments.
fn calls<'a>(checker: &mut Checker, pairing: &mut Calls<'a>, message: &Node<'a>) {
    for call in message.list("tool_calls") {
        if let Some(id) = call.get("id") {
            let text = id.text().unwrap_or_default();
            if text.chars().count() > MAX_ID_CHARS {
                checker.add(&table::CALL_ID, id.path(), id.excerpt());
            }
            let at = (text.clone(), message.at("tool_calls"));
            // An id that was used before is accepted.
            let _ = pairing.call(text, at);
        }
    }
    let calls = message.list("tool_calls").filter_map(|it| definition(&it));
    for call in calls.chain(message.get("function_call")) {
        if let Some(name) = call.get("name") {
            checker.tool_name(&name);
        }
        checker.arguments(&call);
    }
}

/// Passes a tool message, and reports one without a call in the assistant message before. A call's
/// second output is accepted.
fn output<'a>(checker: &mut Checker, pairing: &mut Calls<'a>, message: &Node<'a>) {
    let id = message.text_of("tool_call_id");
    if pairing.result(&id).is_err_and(Fault::is_orphaned) {
        let path = message.at("tool_call_id");
        checker.add(&table::ORPHANED_RESULT, path, format!("{id:?}"));
    }
}

/// Reports calls without an output, once a message follows that is no output.
fn unanswered(checker: &mut Checker, calls: Vec<(Cow<'_, str>, String)>) {
    for (id, path) in calls {
        let found = format!("no output for {id:?}");
        checker.add(&table::UNANSWERED_CALL, path, found);
    }
}

/// Checks that a message has content, or something in its place. A `function` message may have
/// none.
fn content(checker: &mut Checker, message: &Node<'_>, role: &str) {
    let calls = message.get("tool_calls");
    if calls.is_some_and(|it| it.value.raw().starts_with('[') && it.items().next().is_none()) {
        let expected = "at least one call, or no key";
        let path = message.at("tool_calls");
        checker.add_expecting(&table::EMPTY_CONTENT, path, "no call", expected);
    }
    let has = |key| message.get(key).is_some();
    let text = message.text_of("content");
    if has("tool_calls") && !text.is_empty() && text.trim().is_empty() {
        checker.add(&table::BLANK_TEXT, message.at("content"), "blank text");
    }
    let has_other = match role {
        "assistant" => ["tool_calls", "function_call", "refusal", "audio"].map(has).contains(&true),
        "developer" | "system" | "user" | "tool" => false,
        _ => true,
    };
    if !has_other && !has("content") {
        let found = message.value.get("content").map_or("no key", |_| "null");
        checker.add(&table::EMPTY_CONTENT, message.at("content"), found);
    }
}

/// Checks a message's parts, and returns how many media there are.
fn parts(checker: &mut Checker, message: &Node<'_>, role: &str) -> usize {
    let mut media = 0;
    for part in message.list("content") {
        let kind = part.text_of("type");
        let is_media = matches!(&*kind, "image_url" | "input_audio" | "file");
        media += usize::from(is_media);
        if is_media && role != "user" {
            let found = format!("{kind:?} of the role {role:?}");
            checker.add(&table::BLOCK_PLACE, part.at("type"), found);
        }
        if part.value.get("text").is_some_and(Value::is_blank) {
            checker.add(&table::BLANK_TEXT, part.at("text"), "blank text");
        }
        if let Some(url) = part.get("image_url").and_then(|it| it.get("url")) {
            checker.data_url(&url);
        }
        if let Some(file) = part.get("file")
            && let Some(data) = file.get("file_data")
        {
            checker.data_url(&data);
            if file.get("filename").is_none() {
                checker.add(&table::MISSING_KEY, file.at("filename"), "no key");
            }
        }
    }
    media
}
