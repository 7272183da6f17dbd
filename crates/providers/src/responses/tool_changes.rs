//! Changes of the tools within a conversation.
//!
//! A model that keeps its reasoning only behind an unchanged prefix loses it when `tools`
//! changes. An added tool is therefore an `additional_tools` item in its place, and a
//! removed one is missing from the allowed tools of the choice, which is no part of the
//! prefix.
//!
//! ```text
//! system: tool_addition of Ls     → {"type":"additional_tools","tools":[Ls]} in its place
//! system: tool_removal of Bash    → "tool_choice":{"type":"allowed_tools",…} without Bash
//! result: tool_reference to Ls    → {"type":"additional_tools","tools":[Ls]} after the output
//! ```

use std::sync::Arc;

use aside_messages::wire::{
    ContentBlock, Message, ResultContent, Role, Tool, ToolChange, ToolResult,
};
use serde::Deserialize;

use crate::inner_form::ServerTool;
use crate::loss::Reason;

/// The tools of a request, with the capabilities of the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer<'a> {
    /// The tools of the request, the deferred ones included.
    pub(super) tools: &'a [Tool],
    /// Whether an item in the conversation can add a tool.
    pub(super) has_additions: bool,
    /// Whether the choice can name the remaining tools.
    pub(super) has_removals: bool,
}

/// The tools that the conversation has added and removed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolChanges {
    /// The definitions that are items of the input, in the order in which they were added
    /// last.
    added: Vec<Arc<Tool>>,
    /// The original names of the tools that are removed now.
    removed: Vec<String>,
    /// Names of tools that the request did not have. If it has them later, the changes
    /// differ.
    unknown: Vec<String>,
}

/// The change of the tools by a block.
#[derive(Debug)]
pub(super) enum Change {
    /// A definition that the model has not seen is added.
    Defined(Arc<Tool>),
    /// Only the allowed tools change, if anything does.
    Allowed,
    /// Nothing, for this reason.
    Lost(Reason),
}

/// A `tool_addition` block with a definition of its own.
///
/// ```json
/// {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "Ls", …}}}
/// ```
#[derive(Deserialize)]
struct Inline {
    /// The tool that is added.
    tool: InlineTool,
}

/// The tool of a `tool_addition` with a definition.
#[derive(Deserialize)]
struct InlineTool {
    /// The definition, in the form of an item of `tools`.
    definition: Tool,
}

/// A block of a result that refers to a tool of the request.
///
/// ```json
/// {"type": "tool_reference", "tool_name": "Ls"}
/// ```
#[derive(Deserialize)]
struct Reference {
    /// The original name of the tool.
    tool_name: String,
}

impl Offer<'_> {
    /// Returns true if deferred tools are kept back until the conversation adds
    /// them. A search by Anthropic's servers cannot do so on this wire.
    pub(super) fn keeps_back(&self) -> bool {
        self.has_additions && !self.tools.iter().any(Tool::is_of_the_server)
    }

    /// Returns true if the tool is in the parameter `tools`.
    pub(super) fn is_given(&self, tool: &Tool) -> bool {
        !(tool.defer_loading == Some(true) && self.keeps_back())
    }

    /// Returns the tool of the request with this name.
    fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl ToolChanges {
    /// Applies every change in a message. Changes that are lost are not reported here,
    /// but by the conversion of the message.
    pub(super) fn follow(&mut self, message: &Message, offer: Offer<'_>) {
        for block in &message.content {
            match block {
                ContentBlock::ToolResult(result) => drop(self.apply_result(result, offer)),
                block if message.role == Role::System => drop(self.apply(block, offer)),
                _ => {}
            }
        }
    }

    /// Applies a block of a system message; `None` if it is no change of tools.
    pub(super) fn apply(&mut self, block: &ContentBlock, offer: Offer<'_>) -> Option<Change> {
        match block.tool_change() {
            Some(ToolChange::Added(name)) => Some(self.add_named(&name, offer)),
            Some(ToolChange::Removed(name)) => Some(self.remove(&name, offer)),
            None => inline(block).map(|tool| match offer.has_additions {
                true => self.add(tool),
                false => Change::Lost(Reason::NoLaterTools),
            }),
        }
    }

    /// Applies the tools that a result refers to, as a search for tools returns them.
    /// Returns a change for each reference, in order.
    pub(super) fn apply_result(&mut self, result: &ToolResult, offer: Offer<'_>) -> Vec<Change> {
        let ResultContent::Blocks(blocks) = &result.content else {
            return Vec::new();
        };
        let names = blocks.iter().filter_map(referred);
        names.map(|name| self.add_named(&name, offer)).collect()
    }

    /// Returns the definitions that were added, in order.
    pub(super) fn added(&self) -> &[Arc<Tool>] {
        &self.added
    }

    /// Returns the names of the tools that were removed, in order.
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

    /// Adds a tool by its name. A tool that the model knows is only allowed again.
    fn add_named(&mut self, name: &str, offer: Offer<'_>) -> Change {
        match offer.find(name) {
            // The model has it from the beginning.
            Some(tool) if offer.is_given(tool) => self.allow(name),
            Some(tool) => self.add(tool.clone()),
            None if self.added.iter().any(|tool| tool.name == name) => self.allow(name),
            None => {
                self.unknown.push(name.to_owned());
                Change::Lost(Reason::UnknownTool)
            }
        }
    }

    /// Adds a definition. An equal one that was added before is only allowed again, and a
    /// different one of the same name is replaced.
    fn add(&mut self, tool: Tool) -> Change {
        if self.added.iter().any(|added| **added == tool) {
            return self.allow(&tool.name);
        }
        self.allow(&tool.name);
        self.added.retain(|added| added.name != tool.name);
        let tool = Arc::new(tool);
        self.added.push(Arc::clone(&tool));
        Change::Defined(tool)
    }

    /// Makes a tool available again if it was removed.
    fn allow(&mut self, name: &str) -> Change {
        self.removed.retain(|removed| removed != name);
        Change::Allowed
    }

    /// Removes a tool. Its definition stays in the request, since the model has seen it.
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
/// It looks only at the types of blocks, and so may also return true for a message that
/// changes nothing.
pub(super) fn may_change_tools(message: &Message) -> bool {
    message.content.iter().any(|block| match block {
        ContentBlock::Other(_) => true,
        ContentBlock::ToolResult(result) => result.holds_tool_reference(),
        _ => false,
    })
}

/// Returns the name that a `tool_reference` block has.
fn referred(block: &ContentBlock) -> Option<String> {
    let ContentBlock::Other(other) = block else {
        return None;
    };
    if other.kind() != "tool_reference" {
        return None;
    }
    let reference = serde_json::from_str::<Reference>(other.raw().get()).ok()?;
    Some(reference.tool_name)
}

/// Returns the tool that a block defines in the conversation.
fn inline(block: &ContentBlock) -> Option<Tool> {
    let ContentBlock::Other(other) = block else {
        return None;
    };
    if other.kind() != "tool_addition" {
        return None;
    }
    let inline = serde_json::from_str::<Inline>(other.raw().get()).ok()?;
    Some(inline.tool.definition)
}
