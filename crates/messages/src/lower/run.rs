//! Messages between the passes: wire blocks with the entry that each one comes
//! from.

use crate::encode::Encoded;
use crate::layer::Layer;
use crate::repair::Repair;
use crate::source::{BlockSource, Source};
use crate::wire::{
    CacheControl, ContentBlock, Message, Other, Role, is_paused, pending_calls, reminder_text,
};

/// A wire block on its way through the passes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The block as it will be sent, without a cache marker.
    pub(crate) content: ContentBlock,
    /// The cache marker that the caller put on the block.
    pub(crate) marker: Option<CacheControl>,
    /// What the block is in the conversation, which is not on the wire.
    pub(crate) nature: Nature,
    /// Where each of its bytes comes from.
    pub(crate) source: BlockSource,
}

/// What a [`Block`] is in the conversation.
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
    /// True if the next run in the same role is a separate message.
    pub(crate) is_cut: bool,
    /// Where a system message goes in its group.
    pub(crate) place: GroupPlace,
}

/// Where a system message goes in the group before a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GroupPlace {
    /// Persistent text.
    #[default]
    Persistent,
    /// Added and removed tools.
    ToolChange,
    /// Text that the next user message clears.
    TurnScoped,
}

impl Run {
    /// Creates a run that may still grow.
    pub(crate) fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self { role, blocks, is_cut: false, place: GroupPlace::Persistent }
    }

    pub(crate) fn system(place: GroupPlace, blocks: Vec<Block>) -> Self {
        Self { place, ..Self::new(Role::System, blocks) }
    }

    /// Returns true for a system message that the next user message clears.
    ///
    /// On the wire, it has `"clear_at":"next_user_message"`.
    pub(crate) fn is_turn_scoped(&self) -> bool {
        self.role == Role::System && self.place == GroupPlace::TurnScoped
    }

    /// Turns a system message into reminders in a user message.
    ///
    /// Blocks other than text are left out: no reminder can hold a tool change.
    pub(crate) fn into_reminders(mut self) -> Self {
        self.blocks.retain_mut(Block::make_reminder);
        Self::new(Role::User, self.blocks)
    }

    /// Returns true for a response that its provider continues.
    pub(crate) fn is_paused(&self) -> bool {
        let blocks = self.blocks.iter().map(|block| block.content.as_other());
        self.role == Role::Assistant && is_paused(blocks)
    }

    /// Leaves out the calls that the provider has not finished. Thinking alone is
    /// no message that the API accepts.
    pub(crate) fn drop_pending_calls(&mut self, diagnostics: &mut Vec<Repair>) {
        let blocks = self.blocks.iter().map(|block| block.content.as_other());
        let pending = pending_calls(blocks);
        if pending.is_empty() {
            return;
        }
        self.blocks.retain(|block| {
            let call = block.content.as_other().and_then(Other::server_call);
            let Some(tool_use_id) = call.filter(|id| pending.contains(id)) else {
                return true;
            };
            diagnostics.push(Repair::PendingCall { tool_use_id });
            false
        });
        let is_thinking = |block: &Block| {
            let content = &block.content;
            matches!(content, ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_))
        };
        if self.blocks.iter().all(is_thinking) {
            self.blocks.clear();
        }
    }

    /// Returns true for the provider's own summary.
    pub(crate) fn is_compaction(&self) -> bool {
        let first = self.blocks.first().map(|block| block.content.kind());
        self.role == Role::Assistant && first == Some("compaction")
    }

    /// Encodes the run as one message.
    ///
    /// The bytes lack the blocks' markers. Linear in the content.
    pub(crate) fn encode(&self) -> Encoded {
        let content = self.blocks.iter().map(|block| block.content.clone());
        let mut message = Message::new(self.role.clone(), content.collect());
        if self.is_turn_scoped() {
            message = message.cleared_by_next_user_message();
        }
        let about = self.blocks.iter().map(|block| (&block.source, block.marker.as_ref()));
        Encoded::unmarked_message(message, about)
    }
}

impl Block {
    /// Turns system text into a reminder. Returns false for any other block.
    fn make_reminder(&mut self) -> bool {
        let ContentBlock::Text(text) = &self.content else {
            return false;
        };
        self.content = ContentBlock::text(reminder_text(&text.text));
        self.nature = Nature::Reminder;
        self.source.turn_scoped = false;
        true
    }

    /// Creates a block that replaces a missing one.
    pub(crate) fn added(content: ContentBlock) -> Self {
        Self {
            content,
            marker: None,
            nature: Nature::Added,
            source: BlockSource::new(Source::Envelope, Layer::Conversation),
        }
    }
}
