use aside_messages::wire::{ContentBlock, Tool, ToolResult};

use crate::loss::ConversionLoss;

/// The results of a message in the order of the calls that they answer.
pub(crate) fn in_order_of_calls<'a>(
    blocks: &'a [ContentBlock],
    calls: &[ContentBlock],
) -> Vec<&'a ToolResult> {
    let mut results: Vec<&ToolResult> = blocks
        .iter()
        .filter_map(|block| match block {
            ContentBlock::ToolResult(result) => Some(result),
            _ => None,
        })
        .collect();
    let ids: std::collections::BTreeMap<&str, usize> = calls
        .iter()
        .enumerate()
        .filter_map(|(place, block)| match block {
            ContentBlock::ToolUse(call) => Some((&*call.id, place)),
            _ => None,
        })
        .collect();
    results.sort_by_key(|result| ids.get(&*result.tool_use_id).copied());
    results
}

/// Whether the system block says who the client is, which is for Anthropic
/// only.
pub(crate) fn is_attribution(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(text) if text.text.starts_with("x-aside-attribution:"))
}

/// Reports blocks of the system prompt that are no text, which only Anthropic
/// takes.
pub(crate) fn systems_lost(system: &[ContentBlock], losses: &mut Vec<ConversionLoss>) {
    for (index, block) in system.iter().enumerate() {
        if !matches!(block, ContentBlock::Text(_)) {
            let what = "left out: the wire has no such block";
            losses.push(ConversionLoss::new(format_args!("system[{index}]"), what));
        }
    }
}

pub(crate) trait ServerTool {
    /// Whether the provider itself runs the tool.
    fn is_of_the_server(&self) -> bool;
}

impl ServerTool for Tool {
    fn is_of_the_server(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind != "custom")
    }
}
