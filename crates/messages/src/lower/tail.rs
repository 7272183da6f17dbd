use std::sync::Arc;

use super::block::Block;
use super::block::Run;
use crate::conversation::EntryDraft;
use crate::source::{BlockSource, Layer};
use crate::source::{Extent, Source};
use crate::wire::{Message, Role, append_reminder_where};

/// What a request holds beyond the conversation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail<'a> {
    /// Entries that will be appended once the request went out; lowered as if
    /// they were there already.
    pub pending: &'a [EntryDraft],
    /// Reminders for this one request.
    pub ephemeral: &'a [EphemeralReminder],
}

/// A reminder that is in one request and gone from the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EphemeralReminder {
    /// Who it is.
    pub id: Arc<str>,
    /// The text between the tags.
    pub body: Arc<str>,
}

/// Appends the reminders to the last message, whose blocks they make volatile.
/// What the harness said itself is not appended to.
pub(super) fn append_ephemeral(run: &mut Run, reminders: &[EphemeralReminder]) {
    if reminders.is_empty() || run.role != Role::User {
        return;
    }
    let mut fixed: Vec<bool> = run
        .blocks
        .iter()
        .map(|block| block.is_reminder || block.source.layer != Layer::Conversation)
        .collect();
    let content = run
        .blocks
        .iter()
        .map(|block| block.content.clone())
        .collect();
    let mut message = Message::new(Role::User, content);
    for reminder in reminders {
        let owner = Source::Reminder {
            id: reminder.id.clone(),
        };
        let placement = append_reminder_where(&mut message, &reminder.body, |index| !fixed[index]);
        let content = &message.content[placement.block];
        match run.blocks.get_mut(placement.block) {
            Some(block) => {
                let extent = match placement.content {
                    None => Extent::Text(placement.text),
                    Some(index) => Extent::ContentText(index, placement.text),
                };
                block.content = content.clone();
                block.source.pieces.push((owner, extent));
                block.source.volatile = true;
            }
            None => {
                let mut source = BlockSource::new(owner, Layer::Conversation);
                source.volatile = true;
                run.blocks.push(Block {
                    content: content.clone(),
                    is_reminder: false,
                    source,
                });
                fixed.push(false);
            }
        }
    }
}
