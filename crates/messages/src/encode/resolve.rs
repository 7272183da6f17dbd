use std::ops::Range;

use serde::Serialize;

use super::encoded::write_json;
use crate::source::{Extent, Source};
use crate::wire::{ContentBlock, ResultContent, ToolResult};

/// Where in the JSON of the block, which begins at `start`, each piece is. One
/// that names a part that the block does not have is left out: its bytes stay
/// the owner's.
///
/// The block is measured once, however many pieces there are.
pub(super) fn resolve(
    block: &ContentBlock,
    pieces: Vec<(Source, Extent)>,
    start: usize,
) -> Vec<(Source, Range<usize>)> {
    if pieces.is_empty() {
        return Vec::new();
    }
    let contents = match block {
        ContentBlock::ToolResult(result) => content_ranges(result),
        _ => Vec::new(),
    };
    let within = |extent: &Extent| match (block, extent) {
        (ContentBlock::Text(block), Extent::Text(range)) => text_range(&block.text, range),
        (ContentBlock::ToolResult(_), Extent::Content(index)) => contents.get(*index).cloned(),
        (ContentBlock::ToolResult(result), Extent::ContentText(index, range)) => {
            let content = contents.get(*index)?;
            let within = match &result.content {
                ResultContent::Blocks(blocks) => match &blocks[*index] {
                    ContentBlock::Text(block) => text_range(&block.text, range)?,
                    _ => return None,
                },
                ResultContent::Text(text) => escaped_range(1, text, range)?,
            };
            Some(content.start + within.start..content.start + within.end)
        }
        _ => None,
    };
    let resolved = pieces.into_iter().filter_map(|(source, extent)| {
        let within = within(&extent)?;
        Some((source, start + within.start..start + within.end))
    });
    resolved.collect()
}

/// The blocks of the content; a string counts as one.
fn content_ranges(result: &ToolResult) -> Vec<Range<usize>> {
    let keys = r#"{"type":"tool_result","tool_use_id":"","content":"#.len();
    let before = keys + escaped_len(&result.tool_use_id);
    match &result.content {
        ResultContent::Text(text) => std::iter::once(before..before + json_len(text)).collect(),
        ResultContent::Blocks(blocks) => {
            let mut at = before;
            let range = |block| {
                // The opening bracket, or the comma behind the block before.
                let start = at + 1;
                at = start + json_len(block);
                start..at
            };
            blocks.iter().map(range).collect()
        }
    }
}

fn text_range(text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    escaped_range(r#"{"type":"text","text":""#.len(), text, range)
}

fn escaped_range(before: usize, text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let start = before + escaped_len(text.get(..range.start)?);
    Some(start..start + escaped_len(text.get(range.clone())?))
}

fn escaped_len(text: &str) -> usize {
    json_len(text) - 2
}

fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut out = Vec::new();
    write_json(&mut out, value);
    out.len()
}
