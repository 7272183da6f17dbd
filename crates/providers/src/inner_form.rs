//! Properties of messages in the Anthropic form that several wires need, and the reports of parts
//! that only Anthropic takes.

use aside_messages::encode::BodyParts;
use aside_messages::history::repair_history;
use aside_messages::wire::{ContentBlock, Message, ResultContent, Role, Tool, ToolResult};

use crate::gemini::SEAL;
use crate::loss::{ConversionLoss, Reason};
use crate::provider::Provider;
use crate::provider_spec::WireDialect;

/// Returns the results of a message and their places in it, in the order of
/// the calls that they answer.
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

/// Returns true if the system block is the client's attribution, which is for
/// Anthropic only.
///
/// Its text begins with `x-aside-attribution:`.
pub(crate) fn is_attribution(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(text) if text.text.starts_with("x-aside-attribution:"))
}

/// Reports blocks of the system prompt that are no text, which only Anthropic
/// takes.
///
/// The path of each is `system[i]`.
pub(crate) fn systems_lost(system: &[ContentBlock], losses: &mut Vec<ConversionLoss>) {
    for (index, block) in system.iter().enumerate() {
        if !matches!(block, ContentBlock::Text(_)) {
            losses.push(Reason::UnknownBlock.at(format_args!("system[{index}]")));
        }
    }
}

/// Returns true if tools or the system prompt have cache markers of the
/// request's own.
///
/// The markers that a session places are not in the blocks; these are those of a request of the
/// caller.
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

/// Returns true if a message has a cache marker, also inside a result.
pub(crate) fn has_marked_block(message: &Message) -> bool {
    let is_marked = |block: &ContentBlock| block.cache_control().is_some();
    let mut blocks = message.content.iter();
    blocks.any(|block| is_marked(block) || content_of(block).iter().any(is_marked))
}

/// Returns the blocks in a tool result; none of any other block.
pub(crate) fn content_of(block: &ContentBlock) -> &[ContentBlock] {
    match block {
        ContentBlock::ToolResult(result) => inner_blocks(result),
        _ => &[],
    }
}

/// Returns the blocks of a result.
///
/// A result that is a plain string has none.
pub(crate) fn inner_blocks(result: &ToolResult) -> &[ContentBlock] {
    match &result.content {
        ResultContent::Blocks(blocks) => blocks,
        ResultContent::Text(_) => &[],
    }
}

/// Reports a tool that the model should see only after a search for it.
pub(crate) fn deferral_lost(index: usize, tool: &Tool, losses: &mut Vec<ConversionLoss>) {
    if tool.defer_loading == Some(true) {
        losses.push(Reason::DeferredTool.at(format_args!("tools[{index}].defer_loading")));
    }
}

/// A property of tools that the wires of other families need.
pub(crate) trait ServerTool {
    /// Returns true if the provider itself runs the tool.
    fn is_of_the_server(&self) -> bool;
}

impl ServerTool for Tool {
    fn is_of_the_server(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind != "custom")
    }
}

/// Removes thinking that the Messages API would refuse, and reports it: that
/// which another provider sealed, and that without a signature. A message of
/// which nothing is left is removed too.
///
/// Sessions leave such thinking out by its origin; this is for requests and
/// histories of other programs.
///
/// The path of a loss is that of the block in the messages before anything was removed.
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
    let mut losses = Vec::new();
    for (index, message) in messages.iter_mut().enumerate() {
        let mut place = 0;
        message.content.retain(|block| {
            let signature = match block {
                ContentBlock::Thinking(thinking) => Some(&*thinking.signature),
                ContentBlock::RedactedThinking(thinking) => Some(&*thinking.data),
                _ => None,
            };
            let foreign = signature.filter(|it| it.is_empty() || is_sealed(it));
            if let Some(signature) = foreign {
                let path = format_args!("messages[{index}].content[{place}]");
                losses.push(Reason::of_thinking(signature).at(path));
            }
            place += 1;
            foreign.is_none()
        });
    }
    if !losses.is_empty() {
        messages.retain(|message| !message.content.is_empty() || message.role == Role::System);
    }
    losses
}

/// Repairs the history of a request that its caller wrote ([`repair_history`]), so that it can be
/// sent on any wire. Returns each repair with its path.
pub fn repair_messages(messages: &mut Vec<Message>) -> Vec<ConversionLoss> {
    let repairs = repair_history(messages).into_iter();
    repairs
        .map(|(path, repair)| ConversionLoss::new(path, repair.to_string()))
        .collect()
}

/// Returns true if the signature begins with the seal of a provider that has
/// one.
fn is_sealed(signature: &str) -> bool {
    let wires = Provider::ALL.into_iter().flat_map(|it| it.spec().wires);
    let mut seals = wires.filter_map(|it| match it.wire {
        WireDialect::Responses(dialect) => Some(dialect.seal),
        WireDialect::GenerateContent => Some(SEAL),
        WireDialect::Messages(_) | WireDialect::ChatCompletions(_) => None,
    });
    seals.any(|seal| signature.starts_with(seal))
}
