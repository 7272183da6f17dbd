use super::block::{Nature, Run};
use crate::wire::{CacheControl, ContentBlock, ResultContent, Text};

const LEFT_OUT: &str = "[An older image or document was left out: a request holds only so many.]";

/// How many of the images and documents of a conversation are replaced by a
/// text where a request may hold `limit` of them: none up to the limit, then
/// more in steps of half of it, so that the prefix breaks once in a while and
/// not with every image.
#[must_use]
pub fn media_to_replace(count: usize, limit: usize) -> usize {
    let step = (limit / 2).max(1);
    let over = count.saturating_sub(limit);
    over.div_ceil(step).saturating_mul(step).min(count)
}

/// How many images and documents the runs hold.
#[must_use]
pub fn count_media(runs: &[Run]) -> usize {
    let blocks = runs.iter().flat_map(|run| &run.blocks);
    blocks.map(|block| count(&block.content)).sum()
}

/// Replaces the first `budget` images and documents of the run, those inside
/// tool results too, and takes them off the budget.
pub fn limit_media(run: &mut Run, budget: &mut usize) {
    for block in &mut run.blocks {
        if *budget == 0 {
            return;
        }
        let before = *budget;
        replace(&mut block.content, budget);
        if *budget < before && matches!(block.content, ContentBlock::Text(_)) {
            block.nature = Nature::Mended;
        }
    }
}

fn count(content: &ContentBlock) -> usize {
    match content {
        ContentBlock::Image(_) | ContentBlock::Document(_) => 1,
        ContentBlock::ToolResult(result) => match &result.content {
            ResultContent::Blocks(blocks) => blocks.iter().map(count).sum(),
            ResultContent::Text(_) => 0,
        },
        _ => 0,
    }
}

fn replace(content: &mut ContentBlock, budget: &mut usize) {
    match content {
        ContentBlock::Image(image) => {
            let marker = image.cache_control.take();
            *content = left_out(marker, budget);
        }
        ContentBlock::Document(document) => {
            let marker = document.cache_control.take();
            *content = left_out(marker, budget);
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

fn left_out(cache_control: Option<CacheControl>, budget: &mut usize) -> ContentBlock {
    *budget -= 1;
    ContentBlock::Text(Text {
        cache_control,
        ..Text::new(LEFT_OUT)
    })
}
