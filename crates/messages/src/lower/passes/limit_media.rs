use crate::lower::run::{Nature, Run};
use crate::wire::{ContentBlock, ResultContent};

/// Replaces an image or a document. It has no number, so that it never changes.
const LEFT_OUT: &str = "[An older image or document was left out: a request holds only so many.]";

/// Returns how many of a conversation's `count` images and documents are
/// replaced if a request may hold `limit`: none up to the limit, then more in
/// steps of half the limit, to keep the prefix from breaking with every image.
///
/// With a limit of 100, 100 images stay, 101 to 150 lose the first 50, 151 to
/// 200 the first 100.
pub(crate) fn media_to_replace(count: usize, limit: usize) -> usize {
    let step = (limit / 2).max(1);
    let over = count.saturating_sub(limit);
    over.div_ceil(step).saturating_mul(step).min(count)
}

pub(crate) fn count_media(runs: &[Run]) -> usize {
    let blocks = runs.iter().flat_map(|run| &run.blocks);
    blocks.map(|block| count(&block.content)).sum()
}

/// Replaces the run's first `budget` images and documents by text, also in tool
/// results, and subtracts them from the budget.
///
/// ```text
/// user: image, "a", result 1 [image, image]   budget 2
/// user: "[An older …]", "a", result 1 ["[An older …]", image]   budget 0
/// ```
///
/// The oldest are replaced first: the budget is spent from the start of the
/// conversation.
pub(crate) fn limit_media(run: &mut Run, budget: &mut usize) {
    for block in &mut run.blocks {
        if *budget == 0 {
            return;
        }
        let before = *budget;
        replace(&mut block.content, budget);
        if *budget < before && matches!(block.content, ContentBlock::Text(_)) {
            block.nature = Nature::Added;
        }
    }
}

/// Images and documents in a tool result count one each.
pub(crate) fn count(content: &ContentBlock) -> usize {
    match content {
        ContentBlock::Image(_) | ContentBlock::Document(_) => 1,
        ContentBlock::ToolResult(result) => result.content.blocks().iter().map(count).sum(),
        _ => 0,
    }
}

/// The budget is at least 1.
fn replace(content: &mut ContentBlock, budget: &mut usize) {
    match content {
        ContentBlock::Image(_) | ContentBlock::Document(_) => {
            *budget -= 1;
            *content = ContentBlock::text(LEFT_OUT);
        }
        ContentBlock::ToolResult(result) => {
            if let ResultContent::Blocks(blocks) = &mut result.content {
                for block in blocks {
                    if *budget > 0 {
                        replace(block, budget);
                    }
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_over_the_limit_are_replaced_in_steps() {
        let table: Vec<_> = (0..12).map(|count| media_to_replace(count, 6)).collect();
        assert_eq!(table, [0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 6, 6]);
        assert_eq!(media_to_replace(3, 0), 3);
        assert_eq!(media_to_replace(5, 1), 4);
    }
}
