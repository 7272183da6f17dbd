use super::block::{Block, Nature, Run};
use crate::source::Extent;
use crate::wire::{ContentBlock, ResultContent, Role, ToolResult};

/// Takes every top-level reminder of a user message that has tool results, in
/// order, and appends it to the content of the last one. Nothing is trimmed or
/// joined; the human's own text stays behind the results.
///
/// A message without tool results stays as it is, and so does one whose last
/// result holds a `tool_reference`, which tolerates nothing beside it.
pub fn smoosh_reminders(run: &mut Run) {
    let Some(last) = last_result(run) else { return };
    if !run
        .blocks
        .iter()
        .any(|block| block.nature == Nature::Reminder)
    {
        return;
    }
    let blocks = std::mem::take(&mut run.blocks);
    let index = blocks[..last]
        .iter()
        .filter(|block| block.nature != Nature::Reminder)
        .count();
    let (reminders, mut kept): (Vec<_>, Vec<_>) = blocks
        .into_iter()
        .partition(|block| block.nature == Nature::Reminder);
    for reminder in reminders {
        fold(reminder, &mut kept[index]);
    }
    run.blocks = kept;
}

/// The last tool result of the run, if a reminder may be folded into it.
fn last_result(run: &Run) -> Option<usize> {
    if run.role != Role::User {
        return None;
    }
    run.blocks
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, block)| match &block.content {
            ContentBlock::ToolResult(result) => Some((index, result)),
            _ => None,
        })
        .and_then(|(index, result)| (!result.holds_tool_reference()).then_some(index))
}

fn fold(reminder: Block, into: &mut Block) {
    let ContentBlock::ToolResult(ToolResult { content, .. }) = &mut into.content else {
        return;
    };
    if let ResultContent::Text(text) = content {
        *content = ResultContent::Blocks(vec![ContentBlock::text(text.clone())]);
    }
    if let ResultContent::Blocks(blocks) = content {
        into.source
            .pieces
            .push((reminder.source.owner, Extent::Content(blocks.len())));
        into.source.volatile |= reminder.source.volatile;
        blocks.push(reminder.content);
    }
}
