use crate::lower::run::Run;
use crate::wire::{ContentBlock, Role};

/// Moves a user message's tool results to its start, where the API requires
/// them. The order is kept otherwise.
///
/// ```text
/// user: "a", result 1, "b", result 2  →  user: result 1, result 2, "a", "b"
/// ```
pub(crate) fn hoist_tool_results(run: &mut Run) {
    if run.role == Role::User {
        run.blocks.sort_by_key(|block| !matches!(block.content, ContentBlock::ToolResult(_)));
    }
}
