use crate::lower::run::Run;
use crate::repair::Repair;
use crate::wire::{ContentBlock, ResultContent, ToolResult};

/// Keeps only text in a failed tool's result, because the API accepts nothing
/// else there. If nothing is left, a text names the types that were left out.
///
/// ```text
/// error result 1 ["failed", image]  →  error result 1 ["failed"]
/// error result 1 [image]            →  error result 1 ["[Left out: image. …]"]
/// ```
///
/// The refusal is ``all content must be type `text` if `is_error` is true``
/// (issue threads). A result that is a string stays as it is.
pub(crate) fn sanitize_errors(run: &mut Run, diagnostics: &mut Vec<Repair>) {
    for block in &mut run.blocks {
        if let ContentBlock::ToolResult(result) = &mut block.content
            && result.is_error == Some(true)
        {
            let dropped = keep_text(result);
            if !dropped.is_empty() {
                diagnostics.push(Repair::ErrorContent {
                    tool_use_id: result.tool_use_id.as_ref().into(),
                    left_out: dropped,
                });
            }
        }
    }
}

/// Removes all other blocks and returns their types.
fn keep_text(result: &mut ToolResult) -> Vec<String> {
    let ResultContent::Blocks(blocks) = &mut result.content else {
        return Vec::new();
    };
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
    let dropped: Vec<String> = blocks
        .iter()
        .filter(|block| !is_text(block))
        .map(|block| block.kind().to_owned())
        .collect();
    blocks.retain(is_text);
    if blocks.is_empty() {
        blocks.push(ContentBlock::text(placeholder(&dropped)));
    }
    dropped
}

/// For a result that has no text of its own.
fn placeholder(dropped: &[String]) -> String {
    if dropped.is_empty() {
        return "[The tool failed without a message.]".to_owned();
    }
    let kinds = dropped.join(", ");
    format!("[Left out: {kinds}. The result of a tool that failed can only hold text.]")
}
