//! Compaction: on demand, and both kinds of blocks.
//!
//! On demand, a request has `"compaction":{"type":"summarize"}`, and the
//! response's block, which is signed, replaces the summarized messages. By
//! threshold, the edit `compact_20260112` makes the API summarize by itself;
//! its block is not signed and stays in its place.
//!
//! ```json
//! {"role": "assistant", "content": [
//!   {"type": "compaction", "content": "The user wants …", "signature": "EqQB…"}]}
//! ```
//!
//! Source: the documentation on compaction; the names in parentheses are the
//! codes in `error.details.error_code`.
//!
//! - `compaction-misplaced`: a signed block that is not the first block in the
//!   first message (`compaction_block_misplaced`).
//! - `compaction-ambiguous`: two signed blocks (`compaction_block_ambiguous`);
//!   valid with only the newer one.
//! - `compaction-conflict`: on demand with `context_management`,
//!   `stop_sequences`, `output_config.format`, a forced tool or
//!   `task_budget.remaining`.
//! - `compaction-strategy`: an unsigned block without the edit. Refusal:
//!   `compaction` blocks require a `compact_20260112` strategy.
//! - `compaction-content`: an unsigned block with an empty summary.
//! - `compaction-mixed`: a signed block with the edit.
//! - `compaction-model`, `compaction-instructions`: a model or a platform
//!   without it (Bedrock); more than 16,384 characters.

use super::view::{Block, View};
use crate::checker::Checker;
use crate::table::{
    COMPACT, COMPACTION_AMBIGUOUS, COMPACTION_BETA, COMPACTION_CONFLICT, COMPACTION_CONTENT,
    COMPACTION_INSTRUCTIONS, COMPACTION_MISPLACED, COMPACTION_MIXED, COMPACTION_MODEL,
    COMPACTION_STRATEGY, THRESHOLD_BETA,
};
use aside_json::Value;

/// The documented limit for `compaction.instructions`, in characters, not
/// bytes.
const MAX_INSTRUCTIONS_CHARS: usize = 16_384;

/// Parameter and blocks are independent: a request can repeat an earlier
/// compaction's block and ask for another one.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    if let Some(compaction) = view.root.given("compaction") {
        on_demand(checker, view, compaction);
    }
    blocks(checker, view);
}

/// Checks the parameter `compaction` against the other parameters.
fn on_demand(checker: &mut Checker, view: &View<'_>, compaction: Value<'_>) {
    checker.require(
        &COMPACTION_MODEL,
        |facts| facts.compaction,
        "compaction",
        "compaction on demand",
    );
    let instructions = compaction.text_of("instructions").unwrap_or_default();
    let length = instructions.chars().count();
    if length > MAX_INSTRUCTIONS_CHARS {
        let found = format!("{length} characters");
        checker.add(&COMPACTION_INSTRUCTIONS, "compaction.instructions", found);
    }
    let root = view.root;
    let budget = view.output_config("task_budget");
    let conflicts = [
        ("context_management", root.given("context_management").is_some()),
        ("stop_sequences", root.given("stop_sequences").is_some()),
        ("output_config.format", view.output_config("format").is_some()),
        ("tool_choice", view.forces_tool()),
        (
            "output_config.task_budget.remaining",
            budget.is_some_and(|budget| budget.given("remaining").is_some()),
        ),
    ];
    for (path, _) in conflicts.into_iter().filter(|(_, is_there)| *is_there) {
        checker.add(&COMPACTION_CONFLICT, path, "the key, together with compaction");
    }
}

/// Checks the compaction blocks in messages. A block without signature also
/// needs the beta for compaction by threshold, one with a signature the beta
/// for compaction on demand.
fn blocks(checker: &mut Checker, view: &View<'_>) {
    let edits = view.root.given("context_management");
    let mut edits = edits.and_then(|it| it.get("edits")).into_iter().flat_map(Value::items);
    let has_edit = edits.any(|edit| edit.tag() == "compact_20260112");
    let all: Vec<_> = view.blocks_of(&["compaction"]).collect();
    let (signed, unsigned): (Vec<&Block<'_>>, _) =
        all.into_iter().partition(|it| it.value.given("signature").is_some());
    let is_on_demand = checker.has_beta(COMPACT) == Some(true);
    for block in &unsigned {
        let found = if is_on_demand {
            "a compaction block without signature, under the beta of compaction on demand"
        } else {
            "a compaction block without signature"
        };
        checker.add(&THRESHOLD_BETA, block.path(), found);
        if !has_edit {
            let found = "a compaction block without signature";
            checker.add(&COMPACTION_STRATEGY, block.path(), found);
        }
        // The API sends null when it made no summary.
        match block.value.get("content") {
            Some(content) if content.is_blank() => {
                checker.add(&COMPACTION_CONTENT, block.at("content"), "no text");
            }
            None if block.value.given("encrypted_content").is_none() => {
                checker.add_unknown(&COMPACTION_CONTENT, block.at("content"), "no key");
            }
            _ => {}
        }
    }
    for (index, block) in signed.iter().enumerate() {
        let found = "a signed compaction block";
        checker.require(&COMPACTION_MODEL, |facts| facts.compaction, block.path(), found);
        checker.add(&COMPACTION_BETA, block.path(), found);
        let message = &view.messages[block.message];
        let is_first = message.blocks.first().is_some_and(|it| it.path() == block.path());
        if index > 0 {
            checker.add(&COMPACTION_AMBIGUOUS, block.path(), "another signed block");
        } else if block.message > 0 || !is_first || message.is_system() {
            checker.add(&COMPACTION_MISPLACED, block.path(), "a signed compaction block");
        }
        if has_edit {
            checker.add(&COMPACTION_MIXED, block.path(), "a signed compaction block");
        }
    }
}
