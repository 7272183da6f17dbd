//! The view of a plan on messages.
//!
//! Lowered messages of a session and the messages of a whole request are
//! iterated in the same way, so that both kinds of plans share their rules.

use aside_messages::REMINDER_TAG;
use aside_messages::encode::{BlockRef, Encoded, EncodedBlock, Marker};
use aside_messages::lower::Lowered;
use aside_messages::wire::{ContentBlock, Message, Role};

/// The messages of a request.
#[derive(Clone, Copy)]
pub(super) enum Messages<'a> {
    /// The messages of a conversation.
    Lowered(&'a Lowered<'a>),
    /// The messages of a whole request.
    Whole(&'a [Encoded]),
}

/// One message.
#[derive(Clone, Copy)]
pub(super) struct MessageView<'a> {
    /// The index in `messages` of the request.
    pub(super) index: usize,
    /// True for the role `user`.
    pub(super) is_user: bool,
    /// True for the role `assistant`.
    pub(super) is_assistant: bool,
    /// The content blocks with their layers and positions.
    pub(super) blocks: &'a [EncodedBlock],
    message: Option<&'a Message>,
}

impl<'a> Messages<'a> {
    /// Returns the number of messages, those of the tail included.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Lowered(lowered) => lowered.len(),
            Self::Whole(messages) => messages.len(),
        }
    }

    /// Returns the first message, which has the context of a session.
    pub(super) fn first(self) -> Option<MessageView<'a>> {
        let first = match self {
            Self::Lowered(lowered) => lowered.messages().next().map(|message| &**message),
            Self::Whole(messages) => messages.first(),
        };
        first.map(|message| MessageView::new(0, message))
    }

    /// Iterates over the messages, the first one first.
    pub(super) fn forward(self) -> Box<dyn Iterator<Item = MessageView<'a>> + 'a> {
        let view = |(index, message): (usize, &'a Encoded)| MessageView::new(index, message);
        match self {
            Self::Lowered(lowered) => {
                let messages = lowered.messages().map(|message| &**message);
                Box::new(messages.enumerate().map(view))
            }
            Self::Whole(messages) => Box::new(messages.iter().enumerate().map(view)),
        }
    }

    /// Iterates over the messages, the last one first.
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

    /// Returns the last block of the last message.
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
            is_assistant: message.role() == Some(&Role::Assistant),
            blocks: message.blocks(),
            message: message.as_message(),
        }
    }

    /// Returns the reference to a block of this message.
    pub(super) fn block(&self, block: usize) -> BlockRef {
        BlockRef::Message {
            message: self.index,
            block,
        }
    }

    /// Returns true if the message has text of the user: a block that is
    /// neither a tool result nor a reminder.
    pub(super) fn begins_turn(&self) -> bool {
        let content = self.message.map_or(&[][..], |message| &message.content);
        self.is_user && content.iter().any(is_of_user)
    }
}

/// Returns true for a block that the user wrote.
fn is_of_user(block: &ContentBlock) -> bool {
    match block {
        ContentBlock::ToolResult(_) => false,
        ContentBlock::Text(text) => !is_reminder(&text.text),
        _ => true,
    }
}

/// Returns true for a text that begins with the tag of reminders.
fn is_reminder(text: &str) -> bool {
    let tag = text.trim_start().strip_prefix('<');
    let name = tag.and_then(|tag| tag.strip_prefix(REMINDER_TAG));
    name.is_some_and(|rest| rest.starts_with('>'))
}
