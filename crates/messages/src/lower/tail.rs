use std::sync::Arc;

use super::block::{Block, Nature, Run};
use crate::conversation::EntryDraft;
use crate::source::{BlockSource, Extent, Layer, Source};
use crate::wire::{Message, Role, append_reminders_where};

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
    let fixed: Vec<bool> = run.blocks.iter().map(Block::is_fixed).collect();
    let folded: Vec<Vec<usize>> = run.blocks.iter().map(Block::folded).collect();
    let may_grow = |block: usize, inner: Option<usize>| match inner {
        None => !fixed.get(block).copied().unwrap_or(false),
        Some(inner) => folded
            .get(block)
            .is_none_or(|folded| folded.binary_search(&inner).is_err()),
    };
    let content = run
        .blocks
        .iter()
        .map(|block| block.content.clone())
        .collect();
    let mut message = Message::new(Role::User, content);
    let bodies: Vec<&str> = reminders.iter().map(|reminder| &*reminder.body).collect();
    let placements = append_reminders_where(&mut message, &bodies, may_grow);
    // All of them are in one block.
    let Some(at) = placements.first().map(|placement| placement.block) else {
        return;
    };
    let content = message.content.swap_remove(at);
    if at == run.blocks.len() {
        let source = BlockSource::new(owner(&reminders[0]), Layer::Conversation);
        run.blocks.push(Block {
            content,
            nature: Nature::Mended,
            source,
        });
    } else {
        run.blocks[at].content = content;
    }
    let source = &mut run.blocks[at].source;
    source.volatile = true;
    let pieces = reminders.iter().zip(placements);
    source.pieces.extend(pieces.map(|(reminder, placement)| {
        let extent = match placement.content {
            None => Extent::Text(placement.text),
            Some(index) => Extent::ContentText(index, placement.text),
        };
        (owner(reminder), extent)
    }));
}

fn owner(reminder: &EphemeralReminder) -> Source {
    Source::Reminder {
        id: reminder.id.clone(),
    }
}

impl Block {
    /// Whether it is the harness's own word, and not the last one of anybody.
    fn is_fixed(&self) -> bool {
        self.nature == Nature::Reminder || self.source.layer != Layer::Conversation
    }

    /// The reminders in the content of a tool result, in order.
    fn folded(&self) -> Vec<usize> {
        let folded = |(_, extent): &(Source, Extent)| match extent {
            Extent::Content(index) => Some(*index),
            Extent::Text(_) | Extent::ContentText(..) => None,
        };
        self.source.pieces.iter().filter_map(folded).collect()
    }
}
