use crate::encode::Encoded;
use crate::layer::Layer;
use crate::lower::run::{Block, Nature, Run};
use crate::lower::tail::EphemeralReminder;
use crate::source::{Extent, Source};
use crate::wire::Target;

/// Appends the reminders to an encoded user message. The block that holds them
/// becomes volatile. Nothing is appended to the harness's own text.
///
/// ```text
/// user: "Go on."  →  user: "Go on.\n<system-reminder>\nBe brief.\n</system-reminder>"
/// ```
///
/// An existing text grows before a block is added. If no text may grow, the
/// reminder is appended to the last tool result's content, or else as a block.
/// With `is_apart`, it is a block in any case.
pub(crate) fn append_ephemeral(
    run: &Run,
    encoded: &Encoded,
    reminders: &[EphemeralReminder],
    is_apart: bool,
) -> Encoded {
    let blocks = run.blocks.iter().map(|block| &block.content);
    let may_grow = |block: usize, content| {
        let block = &run.blocks[block];
        match content {
            None => !is_of_harness(block),
            Some(content) => !holds_reminder_at(block, content),
        }
    };
    let target = if is_apart { Target::NewBlock } else { Target::find(blocks, may_grow) };
    let joined = target.join(reminders.iter().map(|reminder| &*reminder.body));
    let sources = reminders.iter().map(|reminder| Source::Reminder { id: reminder.id.clone() });
    encoded.with_reminders(target, &joined, sources)
}

/// Returns true for a reminder and for session context.
fn is_of_harness(block: &Block) -> bool {
    block.nature == Nature::Reminder || block.source.layer != Layer::Conversation
}

/// Returns true if a reminder was moved to this place in a tool result.
fn holds_reminder_at(block: &Block, content: usize) -> bool {
    // The pass that moves them adds them in order.
    let place = |extent: &Extent| match extent {
        Extent::Content(index) | Extent::ContentText(index, _) => *index,
        Extent::Text(_) => 0,
    };
    let pieces = &block.source.pieces;
    let at = pieces.partition_point(|(_, extent)| place(extent) < content);
    matches!(pieces.get(at), Some((_, Extent::Content(index))) if *index == content)
}
