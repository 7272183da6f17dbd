use crate::source::{BlockSource, Layer, Source};
use crate::wire::{ContentBlock, Role, is_paused};

/// A wire block on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What will be sent.
    pub content: ContentBlock,
    /// What is known of it that is not on the wire.
    pub nature: Nature,
    /// Where it comes from.
    pub source: BlockSource,
}

/// What a [`Block`] was in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Something that the user sees too.
    Shown,
    /// Something that only the model sees.
    Meta,
    /// A reminder, which is text on the wire.
    Reminder,
    /// Nothing: a pass put it there.
    Mended,
}

/// A message on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub blocks: Vec<Block>,
    /// Whether what the same side says next is a message of its own.
    pub is_cut: bool,
}

impl Run {
    /// A run that may still grow.
    #[must_use]
    pub fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self {
            role,
            blocks,
            is_cut: false,
        }
    }

    /// Whether it is an answer that its provider is to go on with.
    pub(super) fn is_paused(&self) -> bool {
        let blocks = self.blocks.iter().map(|block| match &block.content {
            ContentBlock::Other(other) => Some(other),
            _ => None,
        });
        self.role == Role::Assistant && is_paused(blocks)
    }

    /// What it holds will stand in a longer message of the next request.
    pub(super) fn will_grow(&mut self) {
        for block in &mut self.blocks {
            block.source.volatile = true;
        }
    }
}

impl Block {
    /// A block that stands for something that is missing.
    pub(super) fn mended(content: ContentBlock) -> Self {
        Self {
            content,
            nature: Nature::Mended,
            source: BlockSource::new(Source::Envelope, Layer::Conversation),
        }
    }
}
