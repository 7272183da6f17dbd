//! Context edits, in the list `context_management.edits`.
//!
//! ```json
//! {"context_management": {"edits": [
//!   {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}},
//!   {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50000}}
//! ]}}
//! ```
//!
//! In this valid list, each of these changes is refused (observed, September 2026):
//!
//! - both edits in the other order, `clear-thinking-first`: “`clear_thinking_20251015` must be the
//!   first strategy”;
//! - a trigger at 49,999 tokens, `compaction-threshold`: “trigger.value must be at least 50000”;
//! - 0 turns to keep, `edit-value` (documented).

use super::view::View;
use crate::checker::Checker;
use crate::node::Node;
use crate::table::{CLEAR_THINKING_FIRST, EDIT_VALUE, THRESHOLD_VALUE};

/// The lowest trigger for compaction by threshold; the API's default is 150,000.
const MIN_THRESHOLD_TOKENS: i64 = 50_000;

/// Reports where edits are, and their numbers. Their keys and betas are part of the shapes.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let management = Node::root(view.root).get("context_management");
    let edits = management.iter().flat_map(|it| it.list("edits"));
    for (index, edit) in edits.enumerate() {
        let value = |key: &'static str| edit.get(key)?.value.get("value")?.integer();
        match &*edit.value.tag() {
            "clear_thinking_20251015" => {
                if index > 0 {
                    checker.add(&CLEAR_THINKING_FIRST, edit.at("type"), format!("edit {index}"));
                }
                if let Some(turns) = value("keep").filter(|turns| *turns < 1) {
                    let path = edit.at("keep.value");
                    checker.add_expecting(&EDIT_VALUE, path, turns.to_string(), "at least 1");
                }
            }
            "compact_20260112" => {
                if let Some(tokens) = value("trigger").filter(|it| *it < MIN_THRESHOLD_TOKENS) {
                    checker.add(&THRESHOLD_VALUE, edit.at("trigger"), tokens.to_string());
                }
            }
            _ => {}
        }
    }
}
