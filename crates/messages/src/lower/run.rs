use crate::encode::Encoded;
use crate::layer::Layer;
use crate::source::{BlockSource, Source};
use crate::wire::{CacheControl, ContentBlock, Message, Role, is_paused};

/// A wire block on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The block as it will be sent, without a cache marker.
    pub(crate) content: ContentBlock,
    /// The cache marker that the caller put on the block.
    pub(crate) marker: Option<CacheControl>,
    /// What the block was in the conversation, which is not on the wire.
    pub(crate) nature: Nature,
    /// Where it comes from.
    pub(crate) source: BlockSource,
}

/// What a [`Block`] was in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Content that the user sees too.
    Shown,
    /// Content that only the model sees.
    Meta,
    /// A reminder, which is text on the wire.
    Reminder,
    /// Added by a pass.
    Added,
}

/// A message on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) role: Role,
    pub(crate) blocks: Vec<Block>,
    /// True if the next run of the same role is a message of its own.
    pub(crate) is_cut: bool,
}

impl Run {
    /// Creates a run that may still grow.
    pub(crate) fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self {
            role,
            blocks,
            is_cut: false,
        }
    }

    /// Returns true for an answer that its provider is to continue.
    pub(crate) fn is_paused(&self) -> bool {
        let blocks = self.blocks.iter().map(|block| match &block.content {
            ContentBlock::Other(other) => Some(other),
            _ => None,
        });
        self.role == Role::Assistant && is_paused(blocks)
    }

    /// Encodes the run as one message.
    pub(crate) fn encode(&self) -> Encoded {
        let content = self.blocks.iter().map(|block| block.content.clone());
        let message = Message::new(self.role.clone(), content.collect());
        let about = self.blocks.iter();
        let about = about.map(|block| (&block.source, block.marker.as_ref()));
        Encoded::unmarked_message(message, about)
    }
}

impl Block {
    /// Creates a block in the place of one that is missing.
    pub(crate) fn added(content: ContentBlock) -> Self {
        Self {
            content,
            marker: None,
            nature: Nature::Added,
            source: BlockSource::new(Source::Envelope, Layer::Conversation),
        }
    }
}
