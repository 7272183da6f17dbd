use std::sync::Arc;

use aside_body::turns::{self, Pairing};

use crate::lower::run::{Block, Run};
use crate::repair::Repair;
use crate::wire::{ContentBlock, Other, Role, ToolResult};

/// The text in a made-up result, with `"is_error":true`.
const MISSING_RESULT: &str = "[No result: the call was interrupted, or its result was lost.]";

/// A conversation's calls, by id.
pub(crate) type Calls = Pairing<Arc<str>, Arc<str>>;

/// Gives every tool call exactly one result, in the run right after it.
///
/// A call without a result gets one that reports the loss; if no user run
/// follows, one is made for it. A result elsewhere, a second result, a call
/// with an id that was used before, and the result of a server tool without a
/// call before it are left out.
///
/// ```text
/// assistant: call 1, call 2           →  assistant: call 1, call 2
/// user: "stop", result 1, result 3       user: error result 2, "stop", result 1
/// ```
///
/// `earlier` has the closed runs' calls; `calls` continues it, so a call in
/// them can have its result in these runs.
pub(crate) fn repair_pairs(
    runs: Vec<Run>,
    earlier: &Calls,
    calls: &mut Calls,
    diagnostics: &mut Vec<Repair>,
) -> Vec<Run> {
    let mut repaired = Vec::with_capacity(runs.len());
    for mut run in runs {
        let unanswered = calls.turn(match run.role {
            Role::User => turns::Role::User,
            Role::Assistant => turns::Role::Assistant,
            _ => turns::Role::Other,
        });
        if !unanswered.is_empty() {
            let results = missing_results(unanswered, diagnostics);
            repaired.push(Run::new(Role::User, results));
        }
        run.blocks.retain(|block| {
            let stray = match &block.content {
                ContentBlock::ToolUse(call) => is_stray(&call.id, earlier, calls)
                    .then(|| Repair::StrayCall { tool_use_id: call.id.as_ref().into() }),
                ContentBlock::ToolResult(ToolResult { tool_use_id, .. }) => calls
                    .result(tool_use_id)
                    .is_err()
                    .then(|| Repair::StrayResult { tool_use_id: tool_use_id.as_ref().into() }),
                ContentBlock::Other(other) => stray_server_result(other, earlier, calls),
                _ => None,
            };
            let keep = stray.is_none();
            diagnostics.extend(stray);
            keep
        });
        if run.role == Role::User {
            // At the start, to leave a real result last if there is one:
            // reminders are moved into it.
            let missing = missing_results(calls.close(), diagnostics);
            run.blocks.splice(0..0, missing);
        }
        repaired.push(run);
    }
    repaired
}

/// Passes a call, unless an earlier one has its id.
fn is_stray(id: &Arc<str>, earlier: &Calls, calls: &mut Calls) -> bool {
    let is_known = earlier.has_call(id) || calls.has_call(id);
    is_known || calls.call(id.clone(), id.clone()).is_some()
}

/// Passes a block of a tool that the API runs. Returns the repair of a result
/// without a call.
fn stray_server_result(other: &Other, earlier: &Calls, calls: &mut Calls) -> Option<Repair> {
    if let Some(id) = other.server_call() {
        let id = Arc::from(id);
        calls.server_call(Arc::clone(&id), id);
        return None;
    }
    let tool_use_id = other.server_result()?;
    let id = Arc::from(tool_use_id.as_str());
    let is_paired = calls.server_result(&id).is_ok() || calls.has_call(&id);
    (!is_paired && !earlier.has_call(&id)).then_some(Repair::StrayResult { tool_use_id })
}

/// Returns the result of a call that has none.
pub(crate) fn missing_result(id: Arc<str>) -> ContentBlock {
    let text = ContentBlock::text(MISSING_RESULT);
    ContentBlock::ToolResult(ToolResult { is_error: Some(true), ..ToolResult::new(id, vec![text]) })
}

fn missing_results(calls: Vec<Arc<str>>, diagnostics: &mut Vec<Repair>) -> Vec<Block> {
    let result = |id: Arc<str>| {
        diagnostics.push(Repair::MissingResult { tool_use_id: id.as_ref().into() });
        Block::added(missing_result(id))
    };
    calls.into_iter().map(result).collect()
}
