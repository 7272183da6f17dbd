use crate::lower::run::{Block, Run};
use crate::wire::{ContentBlock, Role};

/// Goes into a message that would have no block.
pub const NO_CONTENT: &str = "(no content)";

/// Where the request's first message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// First among these runs.
    Here,
    /// Before these runs.
    Earlier,
}

/// Gives every message without blocks a short text. If the request's first
/// message is neither the user's nor the provider's own summary, inserts a user
/// message with that text before it.
///
/// ```text
/// assistant: "Hi"   →  user: "(no content)"
/// user: (no block)     assistant: "Hi"
///                      user: "(no content)"
/// ```
///
/// The API refuses a message without content. It accepts an assistant message
/// at the start; Bedrock's Converse does not.
pub(crate) fn fill_empty(runs: &mut Vec<Run>, start: Start) {
    let may_be_first = |run: &Run| run.role == Role::User || run.is_compaction();
    if start == Start::Here && runs.first().is_some_and(|first| !may_be_first(first)) {
        runs.insert(0, Run::new(Role::User, Vec::new()));
    }
    for run in runs {
        if run.blocks.is_empty() {
            run.blocks.push(Block::added(ContentBlock::text(NO_CONTENT)));
        }
    }
}
