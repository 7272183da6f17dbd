use serde::{Deserialize, Serialize};

use crate::attachment::Attachment;
use crate::deltas::{AgentListing, ContextSection, McpInstructions};
use crate::memory::NestedMemory;
use crate::skills::Skill;
use crate::tasks::{Task, Todo};

/// How things stand as a request is made. What is left out is not there, and
/// nothing is said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// What a compaction took away and the model has to have again, once.
    pub recalled: Vec<Attachment>,
    /// The dates, where the model is told of them.
    pub dates: Option<Dates>,
    /// The parts of the session's context, where they may change.
    pub sections: Option<ContextSections>,
    /// Plan mode, where anybody knows how it stands.
    pub plan: Option<PlanState>,
    /// Whether auto mode is on, where anybody knows.
    pub auto_mode: Option<bool>,
    /// Instruction files that concern what is being worked on.
    pub nested_memory: Vec<NestedMemory>,
    /// The skills that can be used, in the order in which they are to be
    /// listed.
    pub skills: Vec<Skill>,
    /// The tools that the model learns of by announcement.
    pub tools: Option<Vec<String>>,
    /// The agents that the model learns of by announcement.
    pub agents: Option<Vec<AgentListing>>,
    /// The instructions of MCP servers, where they are announced.
    pub mcp_instructions: Option<Vec<McpInstructions>>,
    /// The list of TodoWrite, where that tool is offered: until the model
    /// writes one, which the conversation says.
    pub todos: Option<Vec<Todo>>,
    /// The list of TaskCreate and TaskUpdate, where these are offered.
    pub tasks: Option<Vec<Task>>,
    /// Whether a tool is offered that snips messages.
    pub snip_tool: bool,
    /// The context window, where compaction is automatic.
    pub automatic_compaction: Option<Window>,
    /// What is so now, such as a selection in the editor or what a hook said:
    /// told where the model was not told the very same before.
    pub current: Vec<Attachment>,
}

/// The dates that matter, in the form in which the model reads them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dates {
    /// The one that the first entries of the conversation name.
    pub session: String,
    /// Today's.
    pub today: String,
}

/// The parts of the session's context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSections {
    /// Those that the first entries of the conversation tell.
    pub first: Vec<ContextSection>,
    /// Those that hold now.
    pub now: Vec<ContextSection>,
}

/// How it stands with plan mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanState {
    /// Whether it is on.
    pub is_on: bool,
    /// The file for the plan.
    pub file: String,
    /// Whether that file is there.
    pub exists: bool,
}

/// A context window, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// All of it.
    pub tokens: u64,
    /// The longest answer that is asked for.
    pub largest_answer: u64,
    /// What stands before the conversation: tools and system prompt, as far
    /// as that is known.
    #[serde(default)]
    pub before_conversation: u64,
}
