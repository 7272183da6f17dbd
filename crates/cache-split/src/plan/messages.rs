//! How a plan sees messages.
//!
//! A session's lowered messages and a whole request's messages are iterated in
//! the same way, so that both kinds of plans share their rules.

use std::borrow::Cow;

use aside_messages::Layer;
use aside_messages::encode::{BlockRef, Encoded, EncodedBlock, Marker, StepBlock, Turns};
use aside_messages::lower::Lowered;
use aside_messages::wire::Role;

use super::shape::MessageShape;

#[derive(Clone, Copy)]
pub(super) enum Messages<'a> {
    /// A conversation's messages.
    Lowered(&'a Lowered<'a>),
    /// A whole request's messages.
    Whole(&'a [Cow<'a, MessageShape>]),
}

#[derive(Clone, Copy)]
pub(super) struct MessageView<'a> {
    /// Its index in the request's `messages`.
    pub(super) index: usize,
    pub(super) is_user: bool,
    blocks: Blocks<'a>,
}

#[derive(Clone, Copy)]
enum Blocks<'a> {
    Encoded(&'a [EncodedBlock]),
    Shapes(&'a [StepBlock]),
}

/// What a plan looks at in a block.
#[derive(Clone, Copy)]
pub(super) struct BlockView {
    pub(super) layer: Layer,
    /// True if it is different, gone or hidden in the next request.
    pub(super) is_volatile: bool,
    pub(super) is_markable: bool,
}

impl<'a> Messages<'a> {
    /// Counts the tail's messages too.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Lowered(lowered) => lowered.len(),
            Self::Whole(messages) => messages.len(),
        }
    }

    /// Returns the first message, which has the session's context.
    pub(super) fn first(self) -> Option<MessageView<'a>> {
        self.get(0)
    }

    /// Iterates backwards.
    pub(super) fn reversed(self) -> impl Iterator<Item = MessageView<'a>> {
        (0..self.len()).rev().filter_map(move |index| self.get(index))
    }

    pub(super) fn turns(self) -> Turns {
        let mut turns = Turns::default();
        match self {
            Self::Lowered(lowered) => {
                turns = lowered.history().turns();
                lowered.tail().iter().for_each(|it| turns.push(it));
            }
            Self::Whole(messages) => messages.iter().for_each(|it| turns.add(it.step())),
        }
        turns
    }

    pub(super) fn get(self, index: usize) -> Option<MessageView<'a>> {
        match self {
            Self::Lowered(lowered) => {
                let closed = lowered.history().messages_from(index);
                let open = index.saturating_sub(lowered.history().len());
                let mut messages = closed.chain(&lowered.tail()[open.min(lowered.tail().len())..]);
                messages.next().map(|it| MessageView::encoded(index, it))
            }
            Self::Whole(messages) => messages.get(index).map(|it| MessageView::shape(index, it)),
        }
    }

    /// Returns the last message's last block.
    pub(super) fn last_block(self) -> Option<BlockRef> {
        let last = self.reversed().next()?;
        Some(last.block(last.blocks().len().checked_sub(1)?))
    }
}

/// Returns the caller's markers, each with its block if it is in the tail.
pub(super) fn marked<'a>(
    lowered: &'a Lowered<'_>,
) -> impl Iterator<Item = (Marker, Option<&'a EncodedBlock>)> {
    let history = lowered.history().len();
    lowered.caller_markers().map(move |marker| {
        let block = match marker.at {
            BlockRef::Message { message, block } => message
                .checked_sub(history)
                .and_then(|index| lowered.tail().get(index)?.blocks().get(block)),
            BlockRef::Tool(_) | BlockRef::System(_) => None,
        };
        (marker, block)
    })
}

impl<'a> MessageView<'a> {
    fn encoded(index: usize, message: &'a Encoded) -> Self {
        Self {
            index,
            is_user: message.role() == Some(&Role::User),
            blocks: Blocks::Encoded(message.blocks()),
        }
    }

    fn shape(index: usize, message: &'a MessageShape) -> Self {
        Self { index, is_user: message.is_user(), blocks: Blocks::Shapes(message.blocks()) }
    }

    /// Iterates over content blocks.
    pub(super) fn blocks(
        self,
    ) -> impl DoubleEndedIterator<Item = BlockView> + ExactSizeIterator + use<'a> {
        let blocks = self.blocks;
        let count = match blocks {
            Blocks::Encoded(blocks) => blocks.len(),
            Blocks::Shapes(blocks) => blocks.len(),
        };
        (0..count).map(move |index| match blocks {
            Blocks::Encoded(blocks) => BlockView::of(&blocks[index]),
            Blocks::Shapes(blocks) => BlockView {
                layer: Layer::Conversation,
                is_volatile: !blocks[index].is_stable,
                is_markable: blocks[index].is_markable,
            },
        })
    }

    pub(super) fn block(&self, block: usize) -> BlockRef {
        BlockRef::Message { message: self.index, block }
    }
}

impl BlockView {
    fn of(block: &EncodedBlock) -> Self {
        Self {
            layer: block.layer,
            is_volatile: block.volatile || block.turn_scoped,
            is_markable: block.is_markable,
        }
    }
}
