//! Follows how the tools change within a conversation.
//!
//! Some models keep their reasoning only while the prefix stays the same, so they lose it when
//! `tools` changes. To avoid this, an added tool is an `additional_tools` item where it was added.
//! A removed one is missing from the choice's allowed tools, which are not part of the prefix.
//!
//! ```text
//! system: tool_addition of Ls     → {"type":"additional_tools","tools":[Ls]} in its place
//! system: tool_removal of Bash    → "tool_choice":{"type":"allowed_tools",…} without Bash
//! result: tool_reference to Ls    → {"type":"additional_tools","tools":[Ls]} after the output
//! ```

use std::sync::Arc;

use aside_messages::wire::{ContentBlock, Message, Role, Tool, ToolChange, ToolResult};
use aside_models::Wire;
use aside_rules::of::schema::Repaired;
use serde::Deserialize;

use crate::inner_form::ServerTool;
use crate::loss::Reason;
use crate::tool_schemas::repaired_tool;

/// A request's tools, and what the wire can do with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer<'a> {
    /// The request's tools, including deferred ones.
    pub(super) tools: &'a [Tool],
    /// Whether an item in the conversation can add a tool.
    pub(super) has_additions: bool,
    /// Whether the choice can name the remaining tools.
    pub(super) has_removals: bool,
}

/// Which tools the conversation has added and removed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolChanges {
    /// Definitions that are input items, in the order in which they were last added.
    added: Vec<Arc<Tool>>,
    /// The original names of currently removed tools.
    removed: Vec<String>,
    /// Names of tools that the request did not have. If it has them later, the changes differ.
    unknown: Vec<String>,
}

/// How a block changes the tools.
#[derive(Debug)]
pub(super) enum Change {
    /// Adds a definition that the model has not seen, and how its schema was repaired.
    Defined(Arc<Tool>, Option<Repaired>),
    /// At most changes the allowed tools.
    Allowed,
    /// Changes nothing, for this reason.
    Lost(Reason),
}

/// A `tool_addition` block with its own definition.
///
/// ```json
/// {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "Ls", …}}}
/// ```
#[derive(Deserialize)]
struct Inline {
    tool: InlineTool,
}

/// The tool in a `tool_addition` with a definition.
#[derive(Deserialize)]
struct InlineTool {
    /// The definition, in the same form as in `tools`.
    definition: Tool,
}

impl<'a> Offer<'a> {
    /// Returns the tools in the parameter `tools` that the wire takes.
    pub(super) fn written(self) -> impl Iterator<Item = &'a Tool> {
        let tools = self.tools.iter();
        tools.filter(move |it| self.is_given(it) && it.left_out().is_none())
    }

    /// Returns true if deferred tools are kept back until the conversation adds them. On this wire,
    /// a search by Anthropic's servers cannot do so.
    pub(super) fn keeps_back(&self) -> bool {
        self.has_additions && self.tools.iter().all(|it| it.left_out().is_none())
    }

    /// Returns true if the tool is in the parameter `tools`.
    pub(super) fn is_given(&self, tool: &Tool) -> bool {
        !(tool.defer_loading == Some(true) && self.keeps_back())
    }

    /// Returns the request's tool with this name.
    fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl ToolChanges {
    /// Applies every change in a message. To report the lost ones is left to the message's
    /// conversion.
    pub(super) fn follow(&mut self, message: &Message, offer: Offer<'_>) {
        for block in &message.content {
            match block {
                ContentBlock::ToolResult(result) => drop(self.apply_result(result, offer)),
                block if message.role == Role::System => drop(self.apply(block, offer)),
                _ => {}
            }
        }
    }

    /// Applies a system message's block; `None` if it does not change tools.
    pub(super) fn apply(&mut self, block: &ContentBlock, offer: Offer<'_>) -> Option<Change> {
        match block.tool_change() {
            Some(ToolChange::Added(name)) => Some(self.add_named(&name, offer)),
            Some(ToolChange::Removed(name)) => Some(self.remove(&name, offer)),
            None => inline(block).map(|tool| {
                if !offer.has_additions {
                    return Change::Lost(Reason::NoLaterTools);
                }
                // What cannot be repaired is refused with the body.
                match repaired_tool(&tool, Wire::Responses) {
                    Ok(Some((tool, repaired))) => self.add(tool, Some(repaired)),
                    _ => self.add(tool, None),
                }
            }),
        }
    }

    /// Applies the tools that a result refers to, as a tool search returns them. Returns a change
    /// for each reference, in order.
    pub(super) fn apply_result(&mut self, result: &ToolResult, offer: Offer<'_>) -> Vec<Change> {
        let names = result.content.blocks().iter().filter_map(ContentBlock::tool_reference);
        names.map(|name| self.add_named(&name, offer)).collect()
    }

    /// Returns the added definitions, in order.
    pub(super) fn added(&self) -> &[Arc<Tool>] {
        &self.added
    }

    /// Returns the removed tools' names, in order.
    pub(super) fn removed(&self) -> &[String] {
        &self.removed
    }

    /// Returns true if the changes so far would be the same with these tools. If not, the
    /// conversation has to be converted again from its first message.
    pub(super) fn fits(&self, tools: &[Tool]) -> bool {
        let find = |name: &str| tools.iter().find(|tool| tool.name == name);
        let same = |added: &Arc<Tool>| find(&added.name).is_none_or(|tool| *tool == **added);
        let mut unknown = self.unknown.iter();
        self.added.iter().all(same) && unknown.all(|name| find(name).is_none())
    }

    /// Adds a tool by name. If the model knows it, this only allows it again.
    fn add_named(&mut self, name: &str, offer: Offer<'_>) -> Change {
        match offer.find(name) {
            // The model has had it from the beginning.
            Some(tool) if offer.is_given(tool) => self.allow(name),
            // Those of the request were repaired before.
            Some(tool) => self.add(tool.clone(), None),
            None if self.added.iter().any(|tool| tool.name == name) => self.allow(name),
            None => {
                self.unknown.push(name.to_owned());
                Change::Lost(Reason::UnknownTool)
            }
        }
    }

    /// Adds a definition. When an equal one was added before, this only allows it again; a
    /// different one with the same name is replaced.
    fn add(&mut self, tool: Tool, repaired: Option<Repaired>) -> Change {
        if self.added.iter().any(|added| **added == tool) {
            return self.allow(&tool.name);
        }
        self.allow(&tool.name);
        self.added.retain(|added| added.name != tool.name);
        let tool = Arc::new(tool);
        self.added.push(Arc::clone(&tool));
        Change::Defined(tool, repaired)
    }

    /// Makes a removed tool available again.
    fn allow(&mut self, name: &str) -> Change {
        self.removed.retain(|removed| removed != name);
        Change::Allowed
    }

    /// Removes a tool. Its definition stays in the request, because the model has seen it.
    fn remove(&mut self, name: &str, offer: Offer<'_>) -> Change {
        if !offer.has_removals {
            return Change::Lost(Reason::NoRemoval);
        }
        let is_added = self.added.iter().any(|tool| tool.name == name);
        if offer.find(name).is_none() && !is_added {
            self.unknown.push(name.to_owned());
            return Change::Lost(Reason::UnknownTool);
        }
        if !self.removed.iter().any(|removed| removed == name) {
            self.removed.push(name.to_owned());
        }
        Change::Allowed
    }
}

/// Returns true if the message could change the tools.
///
/// This looks only at block types, so it may also return true when a message changes nothing.
pub(super) fn may_change_tools(message: &Message) -> bool {
    message.content.iter().any(|block| match block {
        ContentBlock::Other(_) => true,
        ContentBlock::ToolResult(result) => result.holds_tool_reference(),
        _ => false,
    })
}

/// Returns the tool that a block defines in the conversation.
pub(crate) fn inline(block: &ContentBlock) -> Option<Tool> {
    let other = block.as_other().filter(|it| it.kind() == "tool_addition")?;
    let inline = serde_json::from_str::<Inline>(other.raw().get()).ok()?;
    Some(inline.tool.definition)
}
