use crate::source::BlockSource;
use crate::wire::{ContentBlock, Role};

/// A wire block on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What will be sent.
    pub content: ContentBlock,
    /// Whether it is a reminder. Not on the wire, where a reminder is text.
    pub is_reminder: bool,
    /// Where it comes from.
    pub source: BlockSource,
}

/// A message on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub blocks: Vec<Block>,
}
