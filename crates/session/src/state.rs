//! How things stand that a session does not find out itself.

mod mcp_server;
mod plan;
mod section_inputs;

pub use mcp_server::{McpServer, McpServerResource, McpTool};
pub use plan::Plan;
pub use section_inputs::SectionInputs;

use aside_attachments::{
    AgentListing, AsyncHookResponse, Attachment, BudgetUsd, CriticalSystemReminder, Diagnostics,
    HookAdditionalContext, HookStoppedContinuation, InvokedSkill, OpenedFile, OutputStyle,
    RelevantMemories, SelectedLines, Skill, SkillDiscovery, Task, TaskState, TaskStatus,
    TeamContext, Todo, TokenUsage,
};
use serde::{Deserialize, Serialize};

/// How things stand, as far as the harness around Aside knows it. Everything
/// may be left out; of what is left out nothing is told, not even that it
/// ended: that plan mode is off is `"plan":{"is_on":false,…}`.
///
/// It is a state and no stream of events: who sets the same one twice tells
/// the model nothing twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionState {
    /// The skills that can be used, in the order in which they are listed.
    pub skills: Vec<Skill>,
    /// Skills that were used in this session, the last one first. They are
    /// told after a compaction.
    pub invoked_skills: Vec<InvokedSkill>,
    /// Skills that would fit what is being done.
    pub fitting_skills: Option<SkillDiscovery>,
    /// The agents that can be started, where there are any.
    pub agents: Option<Vec<AgentListing>>,
    /// The MCP servers that are connected.
    pub mcp_servers: Option<Vec<McpServer>>,
    /// What hooks said.
    pub hooks: Vec<HookOutput>,
    /// What the user selected in the editor.
    pub selection: Option<SelectedLines>,
    /// The file that the user opened in the editor.
    pub opened_file: Option<OpenedFile>,
    /// What language servers found.
    pub diagnostics: Option<Diagnostics>,
    /// The tasks in the background.
    pub background_tasks: Vec<TaskStatus>,
    /// The list of TaskCreate and TaskUpdate.
    pub tasks: Vec<Task>,
    /// The list of TodoWrite, until the model writes one.
    pub todos: Vec<Todo>,
    /// The output style that is active, if its guidelines are in a prompt that
    /// replaces the default one. A style of the settings needs no entry.
    pub output_style: Option<OutputStyle>,
    /// Plan mode.
    pub plan: Option<Plan>,
    /// Whether auto mode is on.
    pub auto_mode: Option<bool>,
    /// Whether the conversation is compacted before the context is full.
    pub automatic_compaction: bool,
    /// How many tokens the model's context holds, where that is known.
    pub context_window: Option<u64>,
    /// Notes from before that fit the task.
    pub relevant_memories: Option<RelevantMemories>,
    /// Whom the model works with.
    pub team: Option<TeamContext>,
    /// What must not be missed.
    pub critical_reminder: Option<CriticalSystemReminder>,
    /// How much of the context is used.
    pub token_usage: Option<TokenUsage>,
    /// How much money is spent.
    pub budget: Option<BudgetUsd>,
    /// The inputs of sections of the system prompt.
    pub sections: SectionInputs,
}

/// What a hook said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookOutput {
    /// It stopped the model.
    StoppedContinuation(HookStoppedContinuation),
    /// It has something to add.
    AdditionalContext(HookAdditionalContext),
    /// It answered later.
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
    /// The servers that are known to be connected.
    pub(crate) fn servers(&self) -> &[McpServer] {
        self.mcp_servers.as_deref().unwrap_or_default()
    }

    /// Returns what holds now, with the output style that the prompt describes.
    /// What the model has seen already is not sent again.
    pub(crate) fn current(&self, style: Option<OutputStyle>) -> Vec<Attachment> {
        let mut current: Vec<_> = self.hooks.iter().map(HookOutput::attachment).collect();
        let ended = self.background_tasks.iter().filter(|it| !is_running(it));
        current.extend(ended.cloned().map(Attachment::TaskStatus));
        let rest = [
            self.team.clone().map(Attachment::TeamContext),
            self.relevant_memories
                .clone()
                .map(Attachment::RelevantMemories),
            self.fitting_skills.clone().map(Attachment::SkillDiscovery),
            style.map(Attachment::OutputStyle),
            self.opened_file.clone().map(Attachment::OpenedFileInIde),
            self.selection.clone().map(Attachment::SelectedLinesInIde),
            self.diagnostics.clone().map(Attachment::Diagnostics),
            self.token_usage.map(Attachment::TokenUsage),
            self.budget.map(Attachment::BudgetUsd),
            self.critical_reminder
                .clone()
                .map(Attachment::CriticalSystemReminder),
        ];
        current.extend(rest.into_iter().flatten());
        current
    }

    /// What a compaction takes away and the model has to have again.
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
