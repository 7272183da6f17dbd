use super::block::{Block, Run};
use crate::wire::{ContentBlock, Role};

const EMPTY: &str = "(no content)";

/// Where the first of all runs stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Among these.
    Here,
    /// Before them.
    Earlier,
}

/// Gives a message that was left without blocks a short text. Where somebody
/// else than the user would speak first, such a message of the user goes
/// before it.
pub fn fill_empty(runs: &mut Vec<Run>, start: Start) {
    let is_users = |run: &Run| run.role == Role::User;
    if start == Start::Here && runs.first().is_some_and(|first| !is_users(first)) {
        runs.insert(0, Run::new(Role::User, Vec::new()));
    }
    for run in runs {
        if run.blocks.is_empty() {
            run.blocks.push(Block::mended(ContentBlock::text(EMPTY)));
        }
    }
}
