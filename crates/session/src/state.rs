//! What only the harness knows about a session's state.

mod mcp_server;
mod plan;

pub use aside_prompt_sections::SectionInputs;
pub use mcp_server::{McpServer, McpServerResource, McpTool};
pub use plan::Plan;

use aside_attachments::{
    AgentListing, AsyncHookResponse, Attachment, BudgetUsd, CriticalSystemReminder, Diagnostics,
    HookAdditionalContext, HookStoppedContinuation, InvokedSkill, McpServerInstructions,
    OpenedFile, OutputStyle, RelevantMemories, SelectedLines, Skill, SkillDiscovery, Task,
    TaskState, TaskStatus, TeamContext, Todo, TokenUsage,
};
use aside_prompt_sections::SESSION_SECTIONS;
use serde::{Deserialize, Serialize};

/// What Aside cannot find out itself about a session's state. Every key is
/// optional; a missing key is not reported to the model, not even as a removal:
/// to switch off plan mode, send `"plan":{"is_on":false,…}`.
///
/// This is a state, not a stream of events: to set the same state twice
/// delivers nothing twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "The state of a session"))]
#[serde(default, deny_unknown_fields)]
pub struct SessionState {
    /// The available skills, in listing order.
    pub skills: Vec<Skill>,
    /// Skills that were used in this session, latest first. They are delivered
    /// again after a compaction.
    pub invoked_skills: Vec<InvokedSkill>,
    /// Skills that fit the current task.
    pub fitting_skills: Option<SkillDiscovery>,
    /// The available agents.
    pub agents: Option<Vec<AgentListing>>,
    /// The connected MCP servers.
    pub mcp_servers: Option<Vec<McpServer>>,
    /// Messages from hooks.
    pub hooks: Vec<HookOutput>,
    /// What the user has selected in the editor.
    pub selection: Option<SelectedLines>,
    /// The file that the user opened in the editor.
    pub opened_file: Option<OpenedFile>,
    /// Diagnostics from language servers.
    pub diagnostics: Option<Diagnostics>,
    /// The background tasks.
    pub background_tasks: Vec<TaskStatus>,
    /// The list from TaskCreate and TaskUpdate.
    pub tasks: Vec<Task>,
    /// The list from TodoWrite, until the model writes one.
    pub todos: Vec<Todo>,
    /// The active output style, if its guidelines are in a prompt that replaces
    /// the default one. A style from the settings needs no entry.
    pub output_style: Option<OutputStyle>,
    /// Plan mode.
    pub plan: Option<Plan>,
    /// Whether auto mode is on.
    pub auto_mode: Option<bool>,
    /// Whether the conversation is compacted before the context is full.
    pub automatic_compaction: bool,
    /// How large the model's context window is in tokens, if known.
    pub context_window: Option<u64>,
    /// Earlier notes that matter for the task.
    pub relevant_memories: Option<RelevantMemories>,
    /// The team that the model works in.
    pub team: Option<TeamContext>,
    /// A reminder that the model must not miss.
    pub critical_reminder: Option<CriticalSystemReminder>,
    /// How many tokens of the context window are used.
    pub token_usage: Option<TokenUsage>,
    /// How much of the budget is spent.
    pub budget: Option<BudgetUsd>,
    /// What only the harness knows about system prompt sections.
    pub sections: SectionInputs,
}

/// What a hook says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookOutput {
    /// The hook stopped the model.
    StoppedContinuation(HookStoppedContinuation),
    /// The hook adds context.
    AdditionalContext(HookAdditionalContext),
    /// The hook responded asynchronously.
    AsyncResponse(AsyncHookResponse),
}

impl HookOutput {
    fn attachment(&self) -> Attachment {
        match self.clone() {
            Self::StoppedContinuation(it) => Attachment::HookStoppedContinuation(it),
            Self::AdditionalContext(it) => Attachment::HookAdditionalContext(it),
            Self::AsyncResponse(it) => Attachment::AsyncHookResponse(it),
        }
    }
}

impl SessionState {
    /// Returns the servers that are known to be connected.
    pub(crate) fn servers(&self) -> &[McpServer] {
        self.mcp_servers.as_deref().unwrap_or_default()
    }

    /// Returns the servers' instructions. Below a line that looks like a header of the session, or
    /// like the heading of another server, text would claim another source, so it is indented.
    pub(crate) fn mcp_instructions(&self) -> Vec<McpServerInstructions> {
        let names = self.servers().iter().map(|server| server.name.as_str());
        let headings: Vec<&str> = SESSION_SECTIONS.iter().copied().chain(names).collect();
        self.servers().iter().filter_map(|server| server.instructions(&headings)).collect()
    }

    /// Returns what holds now, with the output style that the prompt describes.
    /// Values that the model has already seen are not sent again.
    pub(crate) fn current(&self, style: Option<OutputStyle>) -> Vec<Attachment> {
        let mut current: Vec<_> = self.hooks.iter().map(HookOutput::attachment).collect();
        let ended = self.background_tasks.iter().filter(|it| !is_running(it));
        current.extend(ended.cloned().map(Attachment::TaskStatus));
        let rest = [
            self.team.clone().map(Attachment::TeamContext),
            self.relevant_memories.clone().map(Attachment::RelevantMemories),
            self.fitting_skills.clone().map(Attachment::SkillDiscovery),
            style.map(Attachment::OutputStyle),
            self.opened_file.clone().map(Attachment::OpenedFileInIde),
            self.selection.clone().map(Attachment::SelectedLinesInIde),
            self.diagnostics.clone().map(Attachment::Diagnostics),
            self.token_usage.map(Attachment::TokenUsage),
            self.budget.map(Attachment::BudgetUsd),
            self.critical_reminder.clone().map(Attachment::CriticalSystemReminder),
        ];
        current.extend(rest.into_iter().flatten());
        current
    }

    /// Returns the attachments to deliver again after a compaction.
    pub(crate) fn recalled(&self) -> Vec<Attachment> {
        let mut recalled = Vec::new();
        recalled.extend(self.plan.as_ref().and_then(Plan::reference));
        if !self.invoked_skills.is_empty() {
            let skills = self.invoked_skills.clone();
            let skills = aside_attachments::InvokedSkills { skills };
            recalled.push(Attachment::InvokedSkills(skills));
        }
        let running = self.background_tasks.iter().filter(|it| is_running(it));
        recalled.extend(running.cloned().map(Attachment::TaskStatus));
        recalled
    }
}

fn is_running(task: &TaskStatus) -> bool {
    matches!(task.status, TaskState::Running { .. })
}
