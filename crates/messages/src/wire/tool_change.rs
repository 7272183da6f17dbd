//! Tools added and removed in mid-conversation, as content blocks in system
//! messages.

use std::sync::Arc;

use serde::Deserialize;

use super::block::{ContentBlock, Other};
use super::raw::RawJson;

/// A tool that a system message adds or removes in mid-conversation.
///
/// The tool itself is in `tools`; the blocks refer to it by name. Source: the
/// documentation on tool changes (beta
/// `mid-conversation-tool-changes-2026-07-01`).
///
/// ```
/// use aside_messages::wire::{ContentBlock, ToolChange};
///
/// let block = ContentBlock::from(ToolChange::Added("Grep".into()));
/// assert_eq!(
///     serde_json::to_string(&block)?,
///     r#"{"type":"tool_addition","tool":{"type":"tool_reference","name":"Grep"}}"#
/// );
/// assert_eq!(block.tool_change(), Some(ToolChange::Added("Grep".into())));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ToolChange {
    /// `tool_addition`: the model may call the tool from here on.
    Added(Arc<str>),
    /// `tool_removal`: the model may not call the tool any more.
    Removed(Arc<str>),
}

const ADDITION: &str = "tool_addition";
const REMOVAL: &str = "tool_removal";
const REFERENCE: &str = "tool_reference";

/// `{"type":"tool_addition","tool":{…}}`; the type was read before.
#[derive(Deserialize)]
struct Block {
    tool: Reference,
}

/// `{"type":"tool_reference","name":"Grep"}`. Other reference types are no
/// [`ToolChange`].
#[derive(Deserialize)]
struct Reference {
    #[serde(rename = "type")]
    kind: String,
    name: Arc<str>,
}

impl ToolChange {
    /// Returns the name of the tool.
    #[must_use]
    pub fn tool(&self) -> &Arc<str> {
        match self {
            Self::Added(name) | Self::Removed(name) => name,
        }
    }
}

impl From<ToolChange> for ContentBlock {
    fn from(change: ToolChange) -> Self {
        let kind = match &change {
            ToolChange::Added(_) => ADDITION,
            ToolChange::Removed(_) => REMOVAL,
        };
        let name = serde_json::to_string(change.tool()).expect("a string is valid JSON");
        let json = format!(r#"{{"type":"{kind}","tool":{{"type":"{REFERENCE}","name":{name}}}}}"#);
        let raw = RawJson::parse(&json).expect("the block is valid JSON");
        Self::Other(Other::new(raw).expect("the block has a type"))
    }
}

impl ContentBlock {
    /// Returns the change, if the block adds or removes a tool by a
    /// `tool_reference`.
    #[must_use]
    pub fn tool_change(&self) -> Option<ToolChange> {
        let block = self.as_other()?;
        let change = match block.kind() {
            ADDITION => ToolChange::Added,
            REMOVAL => ToolChange::Removed,
            _ => return None,
        };
        let Block { tool } = serde_json::from_str(block.raw().get()).ok()?;
        (tool.kind == REFERENCE).then(|| change(tool.name))
    }
}
