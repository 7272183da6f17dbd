use crate::lower::run::{Block, Nature, Run};
use crate::source::Extent;
use crate::wire::{ContentBlock, ResultContent, Role, ToolResult};

/// Moves every top-level reminder in a user message with tool results, in
/// order, to the end of the last result's content. Nothing is trimmed or
/// joined; the human's text stays after the results.
///
/// A message without tool results stays as it is. So does one whose last result
/// holds a `tool_reference`: the API accepts no other block next to one.
///
/// ```text
/// user: result 1 ["out"], reminder, "Thanks"  →  user: result 1 ["out", reminder], "Thanks"
/// ```
///
/// To the model, text after a tool result looks like a new user turn.
pub(crate) fn smoosh_reminders(run: &mut Run) {
    let Some(last) = last_result(run) else { return };
    if !run.blocks.iter().any(|block| block.nature == Nature::Reminder) {
        return;
    }
    let blocks = std::mem::take(&mut run.blocks);
    let index = blocks[..last].iter().filter(|block| block.nature != Nature::Reminder).count();
    let (reminders, mut kept): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| block.nature == Nature::Reminder);
    for reminder in reminders {
        fold(reminder, &mut kept[index]);
    }
    run.blocks = kept;
}

/// Returns the index of the last tool result, if reminders may be moved there.
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

/// Appends the reminder to the result, which becomes volatile if the reminder
/// is.
fn fold(reminder: Block, into: &mut Block) {
    let ContentBlock::ToolResult(ToolResult { content, .. }) = &mut into.content else {
        return;
    };
    if let ResultContent::Text(text) = content {
        *content = ResultContent::Blocks(vec![ContentBlock::text(text.clone())]);
    }
    if let ResultContent::Blocks(blocks) = content {
        into.source.pieces.push((reminder.source.owner, Extent::Content(blocks.len())));
        into.source.volatile |= reminder.source.volatile;
        blocks.push(reminder.content);
    }
}
