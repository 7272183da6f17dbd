use super::block::Run;
use crate::wire::{ContentBlock, Role};

/// Puts the tool results of a user message first, where the API wants them;
/// the order is kept otherwise.
pub fn hoist_tool_results(run: &mut Run) {
    if run.role == Role::User {
        run.blocks
            .sort_by_key(|block| !matches!(block.content, ContentBlock::ToolResult(_)));
    }
}
