//! Messages, as far as a plan looks at them.

use aside_messages::encode::{BlockRef, Encoded, EncodedBlock, Marker};
use aside_messages::lower::Lowered;
use aside_messages::wire::Role;

/// The messages of a request.
#[derive(Clone, Copy)]
pub(super) enum Messages<'a> {
    /// Those of a conversation.
    Lowered(&'a Lowered<'a>),
    /// Those of a request that somebody brought.
    Whole(&'a [Encoded]),
}

/// One message.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) index: usize,
    pub(super) is_users: bool,
    pub(super) blocks: &'a [EncodedBlock],
}

impl<'a> Messages<'a> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Lowered(lowered) => lowered.len(),
            Self::Whole(messages) => messages.len(),
        }
    }

    pub(super) fn first(self) -> Option<Seen<'a>> {
        let first = match self {
            Self::Lowered(lowered) => lowered.messages().next().map(|message| &**message),
            Self::Whole(messages) => messages.first(),
        };
        first.map(|message| Seen::new(0, message))
    }

    /// The last message first.
    pub(super) fn reversed(self) -> Box<dyn Iterator<Item = Seen<'a>> + 'a> {
        let indices = (0..self.len()).rev();
        let seen = |(index, message): (usize, &'a Encoded)| Seen::new(index, message);
        match self {
            Self::Lowered(lowered) => {
                let messages = lowered.messages().rev().map(|message| &**message);
                Box::new(indices.zip(messages).map(seen))
            }
            Self::Whole(messages) => Box::new(indices.zip(messages.iter().rev()).map(seen)),
        }
    }

    /// The very last block.
    pub(super) fn last_block(self) -> Option<BlockRef> {
        let last = self.reversed().next()?;
        Some(last.block(last.blocks.len().checked_sub(1)?))
    }
}

/// The markers of the caller's, each with its block where that may still
/// change.
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

impl<'a> Seen<'a> {
    fn new(index: usize, message: &'a Encoded) -> Self {
        Self {
            index,
            is_users: message.role() == Some(&Role::User),
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
