use crate::lower::run::Run;
use crate::wire::{ContentBlock, ResultContent, ToolResult};

/// Leaves out text that is empty or only white space, at the top level and in
/// tool results. The API refuses it.
///
/// ```text
/// user: "", "a", result 1 [" \n", image]  →  user: "a", result 1 [image]
/// ```
///
/// The refusal is `text content blocks must be non-empty`, or `must contain
/// non-whitespace text` (documented). `fill_empty` fills a message that has no
/// block left.
pub(crate) fn drop_blank(run: &mut Run) {
    run.blocks.retain(|block| !block.content.is_blank());
    for block in &mut run.blocks {
        if let ContentBlock::ToolResult(ToolResult { content, .. }) = &mut block.content {
            match content {
                ResultContent::Blocks(blocks) => blocks.retain(|block| !block.is_blank()),
                ResultContent::Text(text) if text.trim().is_empty() => {
                    *content = ResultContent::default();
                }
                ResultContent::Text(_) => {}
            }
        }
    }
}
