use serde::{Deserialize, Serialize};

use crate::attachment::Attachment;
use crate::deltas::{AgentListing, ContextSection, McpServerInstructions};
use crate::memory::NestedMemory;
use crate::skills::Skill;
use crate::tasks::{Task, Todo};

/// The session when a request is made.
///
/// An input that is `None`, empty or false makes nothing due.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CadenceInputs {
    /// Attachments that a compaction removed from the context, to send again
    /// once.
    pub recalled: Vec<Attachment>,
    /// The dates, if the session sends them.
    pub dates: Option<Dates>,
    /// The sections in the session context, if they can change.
    pub sections: Option<ContextSections>,
    /// Plan mode, if its state is known.
    pub plan: Option<PlanState>,
    /// Whether auto mode is on, if known.
    pub auto_mode: Option<bool>,
    /// The instruction files in directories that the model has touched.
    pub nested_memory: Vec<NestedMemory>,
    /// The available skills, in the order to list them, if they are known.
    pub skills: Option<Vec<Skill>>,
    /// The available tools to announce by an attachment.
    pub tools: Option<Vec<String>>,
    /// The available agents to announce by an attachment.
    pub agents: Option<Vec<AgentListing>>,
    /// The MCP server instructions to announce by an attachment.
    pub mcp_instructions: Option<Vec<McpServerInstructions>>,
    /// The TodoWrite list, if that tool is offered. Once the model has written
    /// a list, the one in the conversation replaces this.
    pub todos: Option<Vec<Todo>>,
    /// The list for TaskCreate and TaskUpdate, if these tools are offered.
    pub tasks: Option<Vec<Task>>,
    /// True if a tool to snip messages is offered.
    pub snip_tool: bool,
    /// The context window, if compaction is automatic.
    pub automatic_compaction: Option<Window>,
    /// What is around the session now, such as the selection in the editor or
    /// output from hooks: due if it was not sent before.
    pub current: Vec<Attachment>,
}

/// A session's dates, in the form for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dates {
    /// The date in the conversation's first entries.
    pub session: String,
    /// Today's date.
    pub today: String,
}

/// The sections in the session context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSections {
    /// The sections in the conversation's first entries.
    pub first: Vec<ContextSection>,
    /// The current sections.
    pub now: Vec<ContextSection>,
}

/// What plan mode's state is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanState {
    /// True if plan mode is on.
    pub is_on: bool,
    /// The plan file's path, if the session has one.
    pub file: Option<String>,
    /// True if the plan file exists.
    #[serde(default)]
    pub exists: bool,
}

/// A context window, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The whole window's size.
    pub tokens: u64,
    /// How long a response may be at most.
    pub max_output_tokens: u64,
    /// How long tools and system prompt are, estimated or at most; 0 if unknown.
    #[serde(default)]
    pub prefix_tokens: u64,
}
