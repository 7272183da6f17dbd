//! Calls and their outputs, reasoning and the items after it.
//!
//! These rules look at several items. They are not applied to a body that continues a
//! stored response, because the server has items that the body does not.

use std::collections::HashSet;

use super::items::kind;
use crate::checker::Checker;
use crate::node::Node;
use crate::table;

/// Checks the items that belong together. A call needs an output in the body even if the
/// conversation is continued; an output may answer a stored call.
pub(super) fn check(checker: &mut Checker, root: &Node<'_>) {
    let items: Vec<_> = root.list("input").collect();
    // Items of an earlier response are not in the body.
    let is_continued = ["previous_response_id", "conversation"]
        .iter()
        .any(|key| root.get(key).is_some());
    let has_reference = items.iter().any(|it| kind(it) == "item_reference");
    if is_continued || has_reference {
        let reason = "items that the server stored are not in the body";
        checker.skip("stored-items", 1, reason);
    }
    outputs(checker, &items);
    if !is_continued && !has_reference {
        known_calls(checker, &items);
        reasoning(checker, &items);
    }
    let sealed = items
        .iter()
        .filter(|it| it.get("encrypted_content").is_some())
        .count();
    let reason = "only the server can read encrypted content";
    checker.skip("encrypted-content", sealed, reason);
}

/// Returns the items of a type.
fn of_kind<'n, 'a>(
    items: &'n [Node<'a>],
    name: &'static str,
) -> impl Iterator<Item = &'n Node<'a>> + use<'n, 'a> {
    items.iter().filter(move |it| kind(it) == name)
}

/// Reports the calls without an output. The output may be anywhere in the input.
fn outputs(checker: &mut Checker, items: &[Node<'_>]) {
    let answered: HashSet<_> = of_kind(items, "function_call_output")
        .map(|it| it.text_of("call_id"))
        .collect();
    for call in of_kind(items, "function_call") {
        let id = call.text_of("call_id");
        if !answered.contains(&id) {
            let path = call.path_of("call_id");
            let found = format!("no output for {id:?}");
            checker.add(&table::UNANSWERED_CALL, path, found);
        }
    }
}

/// Reports the outputs without a call before them.
fn known_calls(checker: &mut Checker, items: &[Node<'_>]) {
    let mut calls = HashSet::new();
    for item in items {
        let id = item.text_of("call_id");
        match &*kind(item) {
            "function_call" => {
                calls.insert(id);
            }
            "function_call_output" if !calls.contains(&id) => {
                let path = item.path_of("call_id");
                checker.add(&table::ORPHANED_RESULT, path, format!("{id:?}"));
            }
            _ => {}
        }
    }
}

/// Counts the items with an id that follow no reasoning: whether they were
/// produced with some, only the server knows.
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
