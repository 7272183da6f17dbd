use crate::rule::Rule;
use crate::table;

/// Returns the rules that a `Lowerer`'s messages never break, because it
/// repairs what would. Before you send such messages, check only the others.
///
/// | rule | the pass |
/// |---|---|
/// | `no-message` | without a message to send, lowering fails |
/// | `empty-content` | `fill_empty` |
/// | `blank-text` | `drop_blank`; the system prompt is not lowered |
/// | `result-order` | `hoist_tool_results` |
/// | `unanswered-call`, `orphaned-result`, `doubled-result` | `repair_pairs` |
/// | `doubled-call` | `repair_pairs`; ids of server tools are those of the API |
/// | `error-content` | `sanitize_errors` |
///
/// ```
/// use aside_rules::{guaranteed, table};
///
/// assert!(guaranteed().contains(&&table::UNANSWERED_CALL));
/// ```
#[must_use]
pub const fn guaranteed() -> &'static [&'static Rule] {
    GUARANTEED
}

const GUARANTEED: &[&Rule] = &[
    &table::NO_MESSAGE,
    &table::EMPTY_CONTENT,
    &table::BLANK_TEXT,
    &table::RESULT_ORDER,
    &table::UNANSWERED_CALL,
    &table::ORPHANED_RESULT,
    &table::DOUBLED_RESULT,
    &table::DOUBLED_CALL,
    &table::ERROR_CONTENT,
];
