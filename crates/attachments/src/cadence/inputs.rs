use serde::{Deserialize, Serialize};

use crate::attachment::Attachment;
use crate::deltas::{AgentListing, ContextSection, McpServerInstructions};
use crate::memory::NestedMemory;
use crate::skills::Skill;
use crate::tasks::{Task, Todo};

/// The session at the time of a request.
///
/// An input that is `None`, empty or false makes nothing due.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CadenceInputs {
    /// Attachments that a compaction removed from the context and that are sent
    /// again, once.
    pub recalled: Vec<Attachment>,
    /// The dates, if the session sends them.
    pub dates: Option<Dates>,
    /// The sections of the session context, if they can change.
    pub sections: Option<ContextSections>,
    /// Plan mode, if its state is known.
    pub plan: Option<PlanState>,
    /// The state of auto mode, if known: true if it is on.
    pub auto_mode: Option<bool>,
    /// The instruction files of the directories that the model has touched.
    pub nested_memory: Vec<NestedMemory>,
    /// The available skills, in the order in which they are listed.
    pub skills: Vec<Skill>,
    /// The available tools that are announced by an attachment.
    pub tools: Option<Vec<String>>,
    /// The available agents that are announced by an attachment.
    pub agents: Option<Vec<AgentListing>>,
    /// The instructions of MCP servers that are announced by an attachment.
    pub mcp_instructions: Option<Vec<McpServerInstructions>>,
    /// The TodoWrite list, if that tool is offered. Once the model has written
    /// a list, the list in the conversation replaces this one.
    pub todos: Option<Vec<Todo>>,
    /// The list of TaskCreate and TaskUpdate, if these tools are offered.
    pub tasks: Option<Vec<Task>>,
    /// True if a tool is offered that snips messages.
    pub snip_tool: bool,
    /// The context window, if compaction is automatic.
    pub automatic_compaction: Option<Window>,
    /// The current state of the session's surroundings, such as the selection
    /// in the editor or the output of hooks: due if it was not sent before.
    pub current: Vec<Attachment>,
}

/// The dates of a session, as they are sent to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dates {
    /// The date in the first entries of the conversation.
    pub session: String,
    /// The date of today.
    pub today: String,
}

/// The sections of the session context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSections {
    /// The sections in the first entries of the conversation.
    pub first: Vec<ContextSection>,
    /// The current sections.
    pub now: Vec<ContextSection>,
}

/// The state of plan mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanState {
    /// True if plan mode is on.
    pub is_on: bool,
    /// The path of the plan file, if the session has one.
    pub file: Option<String>,
    /// True if the plan file exists.
    #[serde(default)]
    pub exists: bool,
}

/// A context window, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The size of the whole window.
    pub tokens: u64,
    /// The requested maximum length of a response.
    pub max_output_tokens: u64,
    /// The estimated length of tools and system prompt; 0 if unknown.
    #[serde(default)]
    pub prefix_tokens: u64,
}
