//! What several wires need to know about messages in the Anthropic form, and how to report what
//! only Anthropic takes.

use aside_messages::encode::BodyParts;
use aside_messages::history::{Positions, repair_history};
use aside_messages::wire::{
    ContentBlock, Message, RawJson, Request, Role, Text, Tool, ToolChoice, ToolMode, ToolResult,
};
use aside_rules::table;

use crate::gemini::SEAL;
use crate::loss::{ConversionLoss, Reason};
use crate::provider::Provider;
use crate::provider_spec::WireDialect;
use crate::refused::RefusedError;
use crate::result_text::has_hidden_marker;
use crate::sources::{Sources, retain};

/// Returns a message's results and their places in it, in the same order as the calls that they
/// answer.
///
/// Results without a call come first. The sort is stable.
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

/// Returns the text of a system block that is for every provider, so neither blank nor the client's
/// attribution for Anthropic, which begins with `x-aside-attribution:`.
pub(crate) fn system_text(block: &ContentBlock) -> Option<&str> {
    let ContentBlock::Text(text) = block else {
        return None;
    };
    let is_attribution = text.text.starts_with("x-aside-attribution:");
    (!is_attribution && !text.text.trim().is_empty()).then_some(&*text.text)
}

/// Returns true if a text continues the one directly before it. The API splits a text at its
/// citations; two texts without any are separate, such as those of two messages in a row.
pub(crate) fn is_continued(before: &Text, text: &Text) -> bool {
    before.citations.is_some() || text.citations.is_some()
}

/// Reports system prompt blocks that are not text, which only Anthropic takes.
///
/// Each path is `system[i]`.
pub(crate) fn systems_lost(system: &[ContentBlock], losses: &mut Vec<ConversionLoss>) {
    for (index, block) in system.iter().enumerate() {
        if !matches!(block, ContentBlock::Text(_)) {
            losses.push(Reason::UnknownBlock.at(format_args!("system[{index}]")));
        }
    }
}

/// Returns true if tools or the system prompt have the request's own cache markers.
///
/// Markers that a session places are not in the blocks, so these come from the caller's request.
pub(crate) fn has_markers(parts: &BodyParts<'_>) -> bool {
    let mut tools = parts.tools.as_tools().iter();
    let mut system = parts.system.as_system().iter();
    parts.parameters.cache_control.is_some()
        || tools.any(|tool| tool.cache_control.is_some())
        || system.any(|block| block.cache_control().is_some())
}

/// Returns true if a message has a cache marker, also inside a result or a document.
pub(crate) fn has_marked_block(message: &Message) -> bool {
    let is_marked =
        |block: &ContentBlock| block.cache_control().is_some() || has_hidden_marker(block);
    let mut blocks = message.content.iter();
    blocks.any(|block| is_marked(block) || block.inner_blocks().iter().any(is_marked))
}

/// Returns true for a tool that other families' wires take, and reports another one. Also reports a
/// tool that the model should see only after a search for it, and keys that only the Messages API
/// has, such as `input_examples`.
pub(crate) fn takes_tool(index: usize, tool: &Tool, losses: &mut Vec<ConversionLoss>) -> bool {
    if let Some(reason) = tool.left_out() {
        losses.push(reason.at(format_args!("tools[{index}]")));
        return false;
    }
    if tool.defer_loading == Some(true) {
        losses.push(Reason::DeferredTool.at(format_args!("tools[{index}].defer_loading")));
    }
    let has_value = |value: &RawJson| !matches!(value.get(), "null" | "false" | "[]");
    let keys = tool.extra.0.iter().filter(|(_, value)| has_value(value));
    losses.extend(keys.map(|(key, _)| Reason::ToolKey.at(format_args!("tools[{index}].{key}"))));
    true
}

/// Returns the request's choice, if the wire gets a tool. A choice that forces a call is reported if
/// it gets none.
///
/// # Errors
/// When the choice names a tool that is not among the written ones.
pub(crate) fn choice_among<'a>(
    request: &'a Request,
    has_tools: bool,
    is_written: impl Fn(&str) -> bool,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Option<&'a ToolChoice>, RefusedError> {
    let choice = request.tool_choice.as_ref();
    match choice.map(ToolChoice::mode) {
        Some(ToolMode::Only(name)) if has_tools && !is_written(name) => {
            let found = format!("{name:?}, which is left out of the tools");
            Err(RefusedError::one(&table::TOOL_CHOICE, "tool_choice.name", found))
        }
        _ if has_tools => Ok(choice),
        None | Some(ToolMode::Auto | ToolMode::Forbidden) => Ok(None),
        Some(ToolMode::Required | ToolMode::Only(_)) => {
            losses.push(Reason::NoToolLeft.at("tool_choice"));
            Ok(None)
        }
    }
}

/// Returns true if the tools have one of this name that other families' wires take.
pub(crate) fn takes_name(tools: &[Tool], name: &str) -> bool {
    tools.iter().any(|tool| tool.name == name && tool.left_out().is_none())
}

/// The tools of Anthropic's that the client runs, by the beginning of their types.
const TRAINED_TOOLS: [&str; 5] = ["bash_", "browser_", "computer_", "memory_", "text_editor_"];

/// What other families' wires need to know about a tool.
pub(crate) trait ServerTool {
    /// Returns why the tool means nothing to other families' models; `None` for a tool with a
    /// schema.
    fn left_out(&self) -> Option<Reason>;
}

impl ServerTool for Tool {
    fn left_out(&self) -> Option<Reason> {
        let kind = self.kind.as_deref().filter(|kind| *kind != "custom")?;
        let is_trained = TRAINED_TOOLS.iter().any(|it| kind.starts_with(it));
        Some(if is_trained { Reason::TrainedTool } else { Reason::ServerTool })
    }
}

/// Removes thinking that the Messages API would refuse, and reports it: thinking without a
/// signature, or sealed by another provider. If nothing is left in a message, it is removed too.
///
/// Sessions leave out such thinking by its origin; call this when you have a request or a history
/// from another program.
///
/// A loss has the block's path in the messages before anything was removed.
///
/// ```
/// use aside_messages::wire::Message;
/// use aside_providers::remove_foreign_thinking;
///
/// let json = br#"{"role":"assistant","content":[
///     {"type":"thinking","thinking":"Hm.","signature":"gemini:S"},
///     {"type":"text","text":"Hi"}]}"#;
/// let mut messages = vec![Message::parse(json)?.value];
/// let losses = remove_foreign_thinking(&mut messages);
/// assert_eq!(losses[0].path, "messages[0].content[0]");
/// assert_eq!(messages[0].content.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remove_foreign_thinking(messages: &mut Vec<Message>) -> Vec<ConversionLoss> {
    let mut positions = Sources::of_messages(messages);
    remove_foreign_thinking_at(messages, &mut positions)
}

/// Does the same, with the paths of messages that come from another wire.
pub(crate) fn remove_foreign_thinking_at(
    messages: &mut Vec<Message>,
    positions: &mut Positions<String>,
) -> Vec<ConversionLoss> {
    let mut losses = Vec::new();
    retain(messages, positions, |_, block, path| {
        let signature = match block {
            ContentBlock::Thinking(thinking) => Some(&*thinking.signature),
            ContentBlock::RedactedThinking(thinking) => Some(&*thinking.data),
            _ => None,
        };
        let foreign = signature.filter(|it| it.is_empty() || is_sealed(it));
        losses.extend(foreign.map(|it| Reason::of_thinking(it).at(path)));
        foreign.is_none()
    });
    if !losses.is_empty() {
        let is_kept = |it: &Message| !it.content.is_empty() || it.role == Role::System;
        let mut kept = messages.iter().map(is_kept);
        positions.retain(|_| kept.next() == Some(true));
        messages.retain(is_kept);
    }
    losses
}

/// Repairs the history in a request that you wrote yourself ([`repair_history`]), to make it valid
/// on any wire. Returns each repair with its path.
pub fn repair_messages(messages: &mut Vec<Message>) -> Vec<ConversionLoss> {
    let repairs = repair_history(messages).into_iter();
    repairs.map(|(path, repair)| ConversionLoss::new(path, repair.to_string())).collect()
}

/// Returns true if the signature begins with a provider's seal.
fn is_sealed(signature: &str) -> bool {
    let wires = Provider::ALL.into_iter().flat_map(|it| it.spec().wires);
    let mut seals = wires.filter_map(|it| match it.wire {
        WireDialect::Responses(dialect) => Some(dialect.seal),
        WireDialect::GenerateContent => Some(SEAL),
        WireDialect::Messages(_) | WireDialect::ChatCompletions(_) => None,
    });
    seals.any(|seal| signature.starts_with(seal))
}
