use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use crate::lower::run::{Block, Run};
use crate::repair::Repair;
use crate::wire::{ContentBlock, Role, ToolResult};

/// The text of a result that was made, with `"is_error":true`.
const MISSING_RESULT: &str = "[No result: the call was interrupted, or its result was lost.]";

/// The ids of the tool calls up to a run.
#[derive(Debug)]
pub(crate) struct Calls<'a> {
    /// The calls of closed messages.
    pub(crate) earlier: &'a HashSet<Arc<str>>,
    /// The calls of the runs of this repair.
    pub(crate) found: HashSet<Arc<str>>,
    /// The calls of the last run, which the next run has to answer.
    pub(crate) unanswered: Vec<Arc<str>>,
}

/// Gives every tool call exactly one result, in the run right after it.
///
/// A call without a result gets one that reports the loss; if no user run
/// follows, one is made for it. A result elsewhere, a second result and a call
/// with an id that was used before are left out.
///
/// ```text
/// assistant: call 1, call 2           →  assistant: call 1, call 2
/// user: "stop", result 1, result 3       user: error result 2, "stop", result 1
/// ```
///
/// `calls` is the state after the closed runs, so that a call in them can have
/// its result in these runs.
pub(crate) fn repair_pairs(
    runs: Vec<Run>,
    calls: &mut Calls<'_>,
    diagnostics: &mut Vec<Repair>,
) -> Vec<Run> {
    let mut repaired = Vec::with_capacity(runs.len());
    for mut run in runs {
        let unanswered = mem::take(&mut calls.unanswered);
        if run.role == Role::User {
            answer(&mut run, unanswered, diagnostics);
        } else if !unanswered.is_empty() {
            let mut answers = Run::new(Role::User, Vec::new());
            answer(&mut answers, unanswered, diagnostics);
            repaired.push(answers);
        }
        keep_own_blocks(&mut run, calls, diagnostics);
        repaired.push(run);
    }
    repaired
}

/// Leaves out results that answer no call of `unanswered`, and adds missing ones.
fn answer(run: &mut Run, unanswered: Vec<Arc<str>>, diagnostics: &mut Vec<Repair>) {
    let mut open: HashSet<Arc<str>> = unanswered.iter().cloned().collect();
    run.blocks.retain(|block| {
        let ContentBlock::ToolResult(ToolResult { tool_use_id, .. }) = &block.content else {
            return true;
        };
        let is_answer = open.remove(tool_use_id);
        if !is_answer {
            diagnostics.push(Repair::StrayResult {
                tool_use_id: tool_use_id.as_ref().into(),
            });
        }
        is_answer
    });
    let missing = unanswered
        .into_iter()
        .filter(|id| open.contains(id))
        .map(|id| {
            diagnostics.push(Repair::MissingResult {
                tool_use_id: id.as_ref().into(),
            });
            let text = ContentBlock::text(MISSING_RESULT);
            Block::added(ContentBlock::ToolResult(ToolResult {
                is_error: Some(true),
                ..ToolResult::new(id, vec![text])
            }))
        });
    // At the start, so that the last result is a real one if there is one:
    // reminders are moved into it.
    run.blocks.splice(0..0, missing.collect::<Vec<_>>());
}

/// Keeps calls of the model and results of the user, and each call id once.
///
/// The ids of kept calls are added to `calls`.
fn keep_own_blocks(run: &mut Run, calls: &mut Calls<'_>, diagnostics: &mut Vec<Repair>) {
    let is_assistant = run.role == Role::Assistant;
    let is_user = run.role == Role::User;
    run.blocks.retain(|block| match &block.content {
        ContentBlock::ToolUse(call) => {
            let is_new = !calls.earlier.contains(&call.id) && !calls.found.contains(&call.id);
            let keep = is_assistant && is_new;
            if keep {
                calls.found.insert(call.id.clone());
                calls.unanswered.push(call.id.clone());
            } else {
                let tool_use_id = call.id.as_ref().into();
                diagnostics.push(Repair::StrayCall { tool_use_id });
            }
            keep
        }
        ContentBlock::ToolResult(result) if !is_user => {
            let tool_use_id = result.tool_use_id.as_ref().into();
            diagnostics.push(Repair::StrayResult { tool_use_id });
            false
        }
        _ => true,
    });
}
