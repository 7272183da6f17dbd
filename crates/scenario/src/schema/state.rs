//! The form of a session's state. `tests/state_schema.rs` checks that the
//! reader agrees.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

/// Defines objects that refuse unknown keys.
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
    Plan, SectionInputs, Selection, Task, Team, Todo, TokenUsage,
};

/// The part of a session's state that Aside does not find out itself. Every key
/// is optional; a missing key is not reported to the model, not even as a
/// removal.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "The state of a session")]
pub(super) struct State {
    /// The available skills, in the order of the listing.
    #[schemars(default)]
    skills: Vec<Skill>,
    /// Skills that were used, the latest first; delivered again after a
    /// compaction.
    #[schemars(default)]
    invoked_skills: Vec<InvokedSkill>,
    /// Skills that fit the current task.
    fitting_skills: Option<FittingSkills>,
    /// The available agents.
    agents: Option<Vec<Agent>>,
    /// The connected MCP servers.
    mcp_servers: Option<Vec<McpServer>>,
    /// Messages of hooks.
    #[schemars(default)]
    hooks: Vec<Hook>,
    /// The selection of the user in the editor.
    selection: Option<Selection>,
    /// The file that the user opened in the editor.
    opened_file: Option<OpenedFile>,
    /// Diagnostics of language servers.
    diagnostics: Option<Diagnostics>,
    /// The background tasks.
    #[schemars(default)]
    background_tasks: Vec<BackgroundTask>,
    /// The list of TaskCreate and TaskUpdate.
    #[schemars(default)]
    tasks: Vec<Task>,
    /// The list of TodoWrite, until the model writes one.
    #[schemars(default)]
    todos: Vec<Todo>,
    /// The active output style.
    output_style: Option<OutputStyle>,
    /// Plan mode.
    plan: Option<Plan>,
    /// Whether auto mode is on.
    auto_mode: Option<bool>,
    /// Whether the conversation is compacted before the context is full.
    #[schemars(default)]
    automatic_compaction: bool,
    /// The size of the model's context, in tokens.
    context_window: Option<u64>,
    /// Earlier notes that fit the task.
    relevant_memories: Option<Memories>,
    /// The team that the model works in.
    team: Option<Team>,
    /// A reminder that must not be missed.
    critical_reminder: Option<CriticalReminder>,
    /// The use of the context, in tokens.
    token_usage: Option<TokenUsage>,
    /// The spent money.
    budget: Option<Budget>,
    /// The inputs of sections of the system prompt that only the harness knows.
    #[schemars(default)]
    sections: SectionInputs,
}
