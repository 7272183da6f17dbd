//! Cache markers that the provider does not take with `"scope":"global"`.

use aside_messages::wire::{CacheControl, ContentBlock, Request, ResultContent};

use crate::loss::{ConversionLoss, Reason};

/// Takes the global scope out of every marker. What is cached stays the same, for you alone.
pub(crate) fn without_global_scope(request: &mut Request) -> Vec<ConversionLoss> {
    let mut losses = Vec::new();
    let mut lost = |at: &str| {
        let prefix = if at.is_empty() { String::new() } else { format!("{at}.") };
        losses.push(Reason::GlobalScope.at(format_args!("{prefix}cache_control.scope")));
    };
    if is_narrowed(&mut request.cache_control) {
        lost("");
    }
    for (index, tool) in request.tools.iter_mut().enumerate() {
        if is_narrowed(&mut tool.cache_control) {
            lost(&format!("tools[{index}]"));
        }
    }
    blocks(&mut request.system, "system", &mut lost);
    for (index, message) in request.messages.iter_mut().enumerate() {
        blocks(&mut message.content, &format!("messages[{index}].content"), &mut lost);
    }
    losses
}

/// Does so in blocks and the blocks of results.
fn blocks(blocks_in: &mut [ContentBlock], path: &str, lost: &mut impl FnMut(&str)) {
    for (index, block) in blocks_in.iter_mut().enumerate() {
        let path = format!("{path}[{index}]");
        let mut marker = block.cache_control();
        if is_narrowed(&mut marker)
            && let Some(marker) = marker
        {
            block.unmark();
            block.mark(marker);
            lost(&path);
        }
        if let ContentBlock::ToolResult(result) = block
            && let ResultContent::Blocks(inner) = &mut result.content
        {
            blocks(inner, &format!("{path}.content"), lost);
        }
    }
}

/// Takes the scope out of a marker. Returns true if it had one.
fn is_narrowed(marker: &mut Option<CacheControl>) -> bool {
    match marker {
        Some(CacheControl::Ephemeral { global, .. }) => std::mem::take(global),
        _ => false,
    }
}
