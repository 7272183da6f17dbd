use aside_messages::encode::BodyParts;
use aside_messages::wire::{ContentBlock, Tool, ToolResult};

use crate::loss::{ConversionLoss, Reason};

/// Returns the results of a message and their places in it, in the order of
/// the calls that they answer.
pub(crate) fn in_order_of_calls<'a>(
    blocks: &'a [ContentBlock],
    calls: &[ContentBlock],
) -> Vec<(usize, &'a ToolResult)> {
    let mut results: Vec<(usize, &ToolResult)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(place, block)| match block {
            ContentBlock::ToolResult(result) => Some((place, result)),
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
    results.sort_by_key(|(_, result)| ids.get(&*result.tool_use_id).copied());
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
            losses.push(Reason::UnknownBlock.at(format_args!("system[{index}]")));
        }
    }
}

/// Returns true if tools or the system prompt have cache markers of the
/// request's own.
pub(crate) fn has_markers(parts: &BodyParts<'_>) -> bool {
    let tools = parts.tools.as_tools().iter();
    let system = parts.system.as_system().iter();
    tools
        .filter_map(|tool| tool.cache_control.as_ref())
        .next()
        .is_some()
        || system
            .filter_map(ContentBlock::cache_control)
            .next()
            .is_some()
}

/// Reports a tool that the model should see only after a search for it.
pub(crate) fn deferral_lost(index: usize, tool: &Tool, losses: &mut Vec<ConversionLoss>) {
    if tool.defer_loading == Some(true) {
        losses.push(Reason::DeferredTool.at(format_args!("tools[{index}].defer_loading")));
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
