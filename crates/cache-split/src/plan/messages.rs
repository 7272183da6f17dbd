//! How a plan sees messages.
//!
//! A session's lowered messages and a whole request's messages are iterated in
//! the same way, so that both kinds of plans share their rules.

use aside_messages::encode::{BlockRef, Encoded, EncodedBlock, Marker, Turns};
use aside_messages::lower::Lowered;
use aside_messages::wire::Role;

#[derive(Clone, Copy)]
pub(super) enum Messages<'a> {
    /// A conversation's messages.
    Lowered(&'a Lowered<'a>),
    /// A whole request's messages.
    Whole(&'a [Encoded]),
}

#[derive(Clone, Copy)]
pub(super) struct MessageView<'a> {
    /// Its index in the request's `messages`.
    pub(super) index: usize,
    pub(super) is_user: bool,
    /// Content blocks with their layers and positions.
    pub(super) blocks: &'a [EncodedBlock],
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
    pub(super) fn reversed(self) -> Box<dyn Iterator<Item = MessageView<'a>> + 'a> {
        let indices = (0..self.len()).rev();
        let view = |(index, message): (usize, &'a Encoded)| MessageView::new(index, message);
        match self {
            Self::Lowered(lowered) => {
                let messages = lowered.messages().rev().map(|message| &**message);
                Box::new(indices.zip(messages).map(view))
            }
            Self::Whole(messages) => Box::new(indices.zip(messages.iter().rev()).map(view)),
        }
    }

    pub(super) fn turns(self) -> Turns {
        let (mut turns, open): (_, Box<dyn Iterator<Item = &Encoded>>) = match self {
            Self::Lowered(lowered) => {
                let tail = lowered.tail().iter().map(|message| &**message);
                (lowered.history().turns(), Box::new(tail))
            }
            Self::Whole(messages) => (Turns::default(), Box::new(messages.iter())),
        };
        open.for_each(|message| turns.push(message));
        turns
    }

    pub(super) fn get(self, index: usize) -> Option<MessageView<'a>> {
        let message = match self {
            Self::Lowered(lowered) => {
                let closed = lowered.history().messages_from(index);
                let open = index.saturating_sub(lowered.history().len());
                let mut messages = closed.chain(&lowered.tail()[open.min(lowered.tail().len())..]);
                messages.next().map(|message| &**message)
            }
            Self::Whole(messages) => messages.get(index),
        };
        message.map(|message| MessageView::new(index, message))
    }

    /// Returns the last message's last block.
    pub(super) fn last_block(self) -> Option<BlockRef> {
        let last = self.reversed().next()?;
        Some(last.block(last.blocks.len().checked_sub(1)?))
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
    fn new(index: usize, message: &'a Encoded) -> Self {
        Self {
            index,
            is_user: message.role() == Some(&Role::User),
            blocks: message.blocks(),
        }
    }

    pub(super) fn block(&self, block: usize) -> BlockRef {
        BlockRef::Message {
            message: self.index,
            block,
        }
    }
}
