//! Calls and their outputs, reasoning and the items after it.
//!
//! These rules look at several items. They do not apply to a body that continues a stored response,
//! because the server has items that the body does not.

use std::collections::HashSet;

use aside_body::turns::{Fault, Pairing, Repeats, Role, Window};

use super::items::kind;
use crate::checker::Checker;
use crate::node::Node;
use crate::table;

/// The calls that the client answers, by `call_id`.
const CALLS: [&str; 5] =
    ["function_call", "custom_tool_call", "computer_call", "apply_patch_call", "shell_call"];

/// Checks items that belong together. A call needs an output of its own type in the body even if
/// the conversation is continued; an output may answer a stored call.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    let items: Vec<_> = root.list("input").collect();
    // An earlier response's items are not in the body.
    let is_continued =
        ["previous_response_id", "conversation"].iter().any(|key| root.get(key).is_some());
    let has_reference = items.iter().any(|it| kind(it) == "item_reference");
    if is_continued || has_reference {
        let reason = "items that the server stored are not in the body";
        checker.skip("stored-items", 1, reason);
    }
    let mut pairing = Pairing::new(Window::Later, Repeats::Same);
    let (mut orphans, mut repeated) = (Vec::new(), HashSet::new());
    for item in &items {
        let id = item.text_of("call_id");
        let kind = kind(item);
        let is_output = kind.ends_with("_output");
        let call = kind.strip_suffix("_output").unwrap_or(&kind);
        let Some(call) = CALLS.into_iter().find(|it| *it == call) else {
            continue;
        };
        // An id that was used before is accepted, and so is a second output.
        if is_output {
            if pairing.result(&(call, id)).is_err_and(Fault::is_orphaned) {
                orphans.push(item);
            }
            pairing.turn(Role::Assistant);
        } else if pairing.call((call, id.clone()), item).is_some() {
            repeated.insert(id);
        }
    }
    for call in pairing.close() {
        let id = call.text_of("call_id");
        let (path, found) = (call.at("call_id"), format!("no output for {id:?}"));
        if repeated.contains(&id) {
            // An output of another call with this id may count.
            checker.add_unknown(&table::UNANSWERED_CALL, path, found);
        } else {
            checker.add(&table::UNANSWERED_CALL, path, found);
        }
    }
    if !is_continued && !has_reference {
        for output in orphans {
            let found = format!("{:?}", output.text_of("call_id"));
            checker.add(&table::ORPHANED_RESULT, output.at("call_id"), found);
        }
        reasoning(checker, &items);
    }
    let sealed = items.iter().filter(|it| it.get("encrypted_content").is_some()).count();
    let reason = "only the server can read encrypted content";
    checker.skip("encrypted-content", sealed, reason);
}

/// Counts items with an id that follow no reasoning: only the server knows whether they were
/// produced with some.
fn reasoning(checker: &mut Checker, items: &[Node<'_>]) {
    let is_produced = |item: &Node<'_>| {
        let is_answer = kind(item) == "function_call"
            || (kind(item) == "message" && item.text_of("role") == "assistant");
        is_answer && item.get("id").is_some()
    };
    let mut count = 0;
    let mut is_after_reasoning = false;
    for item in items {
        count += usize::from(is_produced(item) && !is_after_reasoning);
        // Parallel calls share the reasoning before the first.
        is_after_reasoning = kind(item) == "reasoning" || (is_after_reasoning && is_produced(item));
    }
    let reason = "only the server knows whether an item with an id had reasoning before it";
    checker.skip("reasoning-pairing", count, reason);
}
