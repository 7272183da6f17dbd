//! The form of a session's state. `tests/state_schema.rs` holds it and the
//! reader together.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

/// Defines objects that refuse keys which they do not know.
macro_rules! objects {
    ($($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            #[derive(schemars::JsonSchema)]
            #[schemars(deny_unknown_fields)]
            pub(super) struct $name { $($(#[$meta])* $field: $type,)* }
        )*
    };
}

mod offered;
mod situation;

use schemars::JsonSchema;

use offered::{Agent, FittingSkills, InvokedSkill, McpServer, Skill};
use situation::{
    BackgroundTask, Budget, CriticalReminder, Diagnostics, Hook, Memories, OpenedFile, OutputStyle,
    Plan, Selection, Task, Team, Todo, TokenUsage,
};

/// How things stand that Aside does not find out itself. Everything may be
/// left out; of what is left out nothing is told, not even that it ended.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "The state of a session")]
pub(super) struct State {
    /// The skills that can be used, in the order in which they are listed.
    #[schemars(default)]
    skills: Vec<Skill>,
    /// Skills that were used, the last one first; told after a compaction.
    #[schemars(default)]
    invoked_skills: Vec<InvokedSkill>,
    /// Skills that would fit what is being done.
    fitting_skills: Option<FittingSkills>,
    /// The agents that can be started.
    agents: Option<Vec<Agent>>,
    /// The MCP servers that are connected.
    mcp_servers: Option<Vec<McpServer>>,
    /// What hooks said.
    #[schemars(default)]
    hooks: Vec<Hook>,
    /// What the user selected in the editor.
    selection: Option<Selection>,
    /// The file that the user opened in the editor.
    opened_file: Option<OpenedFile>,
    /// What language servers found.
    diagnostics: Option<Diagnostics>,
    /// The tasks in the background.
    #[schemars(default)]
    background_tasks: Vec<BackgroundTask>,
    /// The list of TaskCreate and TaskUpdate.
    #[schemars(default)]
    tasks: Vec<Task>,
    /// The list of TodoWrite, until the model writes one.
    #[schemars(default)]
    todos: Vec<Todo>,
    /// The output style that is active.
    output_style: Option<OutputStyle>,
    /// Plan mode.
    plan: Option<Plan>,
    /// Whether auto mode is on.
    auto_mode: Option<bool>,
    /// Whether the conversation is compacted before the context is full.
    #[schemars(default)]
    automatic_compaction: bool,
    /// How many tokens the model's context holds.
    context_window: Option<u64>,
    /// Notes from before that fit the task.
    relevant_memories: Option<Memories>,
    /// Whom the model works with.
    team: Option<Team>,
    /// What must not be missed.
    critical_reminder: Option<CriticalReminder>,
    /// How much of the context is used.
    token_usage: Option<TokenUsage>,
    /// How much money is spent.
    budget: Option<Budget>,
}
