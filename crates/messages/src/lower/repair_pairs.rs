use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use super::block::{Block, Run};
use crate::diagnostic::Diagnostic;
use crate::wire::{ContentBlock, Role, ToolResult};

const MISSING: &str = "[No result: the call was interrupted, or its result was lost.]";

/// The tool calls of what was said so far.
#[derive(Debug)]
pub struct Calls<'a> {
    /// Ids of runs that went before.
    pub earlier: &'a HashSet<Arc<str>>,
    /// Ids that were found since.
    pub found: HashSet<Arc<str>>,
    /// Ids of the last run, which the next one has to answer.
    pub unanswered: Vec<Arc<str>>,
}

/// Makes every tool call have one result, in the run right after it.
///
/// A call without one gets a result that says so; where no user follows, a
/// message of the user is made for it. A result elsewhere, a second one, and a
/// call with an id that was there before are left out.
pub fn repair_pairs(
    runs: Vec<Run>,
    calls: &mut Calls<'_>,
    diagnostics: &mut Vec<Diagnostic>,
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

/// Leaves results of no call of `unanswered` out, and adds those that miss.
fn answer(run: &mut Run, unanswered: Vec<Arc<str>>, diagnostics: &mut Vec<Diagnostic>) {
    let mut open: HashSet<Arc<str>> = unanswered.iter().cloned().collect();
    run.blocks.retain(|block| {
        let ContentBlock::ToolResult(ToolResult { tool_use_id, .. }) = &block.content else {
            return true;
        };
        let was_asked = open.remove(tool_use_id);
        if !was_asked {
            diagnostics.push(Diagnostic::StrayResult {
                tool_use_id: tool_use_id.as_ref().into(),
            });
        }
        was_asked
    });
    let missing = unanswered.into_iter().filter(|id| open.contains(id));
    let missing = missing.map(|id| {
        diagnostics.push(Diagnostic::MissingResult {
            tool_use_id: id.as_ref().into(),
        });
        let text = ContentBlock::text(MISSING);
        Block::mended(ContentBlock::ToolResult(ToolResult {
            is_error: Some(true),
            ..ToolResult::new(id, vec![text])
        }))
    });
    // In front, so that the last result is a real one where there is one:
    // reminders are folded into it.
    run.blocks.splice(0..0, missing.collect::<Vec<_>>());
}

/// Calls are the model's, results the user's; an id is used once.
fn keep_own_blocks(run: &mut Run, calls: &mut Calls<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let is_models = run.role == Role::Assistant;
    let is_users = run.role == Role::User;
    run.blocks.retain(|block| match &block.content {
        ContentBlock::ToolUse(call) => {
            let is_new = !calls.earlier.contains(&call.id) && !calls.found.contains(&call.id);
            let keep = is_models && is_new;
            if keep {
                calls.found.insert(call.id.clone());
                calls.unanswered.push(call.id.clone());
            } else {
                let tool_use_id = call.id.as_ref().into();
                diagnostics.push(Diagnostic::StrayCall { tool_use_id });
            }
            keep
        }
        ContentBlock::ToolResult(result) if !is_users => {
            let tool_use_id = result.tool_use_id.as_ref().into();
            diagnostics.push(Diagnostic::StrayResult { tool_use_id });
            false
        }
        _ => true,
    });
}
