use aside_messages::conversation::EntryDraft;
use serde::{Deserialize, Serialize};

use crate::agent_mention::AgentMention;
use crate::auto_mode::{self, AutoMode};
use crate::context_window;
use crate::critical_reminder::CriticalSystemReminder;
use crate::date_change::DateChange;
use crate::deltas::{AgentsDelta, McpInstructionsDelta, SectionsDelta, ToolsDelta};
use crate::diagnostics::Diagnostics;
use crate::directory::Directory;
use crate::edited_file::EditedFile;
use crate::file::{AlreadyReadFile, CompactFileReference, File, PdfReference};
use crate::hooks::{AsyncHookResponse, HookAdditionalContext, HookStoppedContinuation};
use crate::ide::{OpenedFile, SelectedLines};
use crate::mcp_resource::McpResource;
use crate::memory::{NestedMemory, RelevantMemories};
use crate::no_fields::no_fields;
use crate::output_style::OutputStyle;
use crate::plan_mode::{PlanFileReference, PlanMode, PlanModeExit, PlanModeReentry};
use crate::queued_command::QueuedCommand;
use crate::skills::{InvokedSkills, SkillDiscovery, SkillListing};
use crate::task_status::TaskStatus;
use crate::tasks::{TaskReminder, TodoReminder};
use crate::team::TeamContext;
use crate::usage::{BudgetUsd, TokenUsage};

/// Defines [`Attachment`] together with the names of its variants, so that
/// neither can be without the other.
macro_rules! attachments {
    ($($(#[$meta:meta])* $name:literal $variant:ident $(($type:ty))?,)*) => {
        /// Something that the harness tells the model on its own account.
        ///
        /// In JSON an object whose `type` is the [kind](Attachment::kind),
        /// with the fields of the variant beside it:
        /// `{"type":"opened_file_in_ide","path":"src/main.rs"}`.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum Attachment {
            $($(#[$meta])* #[serde(rename = $name)] $variant $(($type))?,)*
        }

        impl Attachment {
            /// Every kind there is.
            pub const KINDS: &[&str] = &[$($name),*];

            /// Its name, as in JSON and in the origin of its entry.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)*
                }
            }
        }
    };
}

attachments! {
    /// A file, as if it had been read.
    "file" File(File),
    /// A PDF too large to be given whole.
    "pdf_reference" PdfReference(PdfReference),
    /// A file too large to be brought back after a compaction.
    "compact_file_reference" CompactFileReference(CompactFileReference),
    /// A file that the model knows as it is.
    "already_read_file" AlreadyReadFile(AlreadyReadFile),
    /// A directory, as if it had been listed.
    "directory" Directory(Directory),
    /// A resource of an MCP server.
    "mcp_resource" McpResource(McpResource),
    /// An instruction file of a directory that the model came to.
    "nested_memory" NestedMemory(NestedMemory),
    /// Notes from before that fit the task.
    "relevant_memories" RelevantMemories(RelevantMemories),
    /// Lines that the user selected.
    "selected_lines_in_ide" SelectedLinesInIde(SelectedLines),
    /// A file that the user opened.
    "opened_file_in_ide" OpenedFileInIde(OpenedFile),
    /// A file that somebody else changed.
    "edited_text_file" EditedTextFile(EditedFile),
    /// The list of TodoWrite.
    "todo_reminder" TodoReminder(TodoReminder),
    /// The list of TaskCreate and TaskUpdate.
    "task_reminder" TaskReminder(TaskReminder),
    /// Which skills there are.
    "skill_listing" SkillListing(SkillListing),
    /// Which skills were used, and what they say.
    "invoked_skills" InvokedSkills(InvokedSkills),
    /// Which skills would fit.
    "skill_discovery" SkillDiscovery(SkillDiscovery),
    /// The output style that is active.
    "output_style" OutputStyle(OutputStyle),
    /// What language servers found.
    "diagnostics" Diagnostics(Diagnostics),
    /// Plan mode is on.
    "plan_mode" PlanMode(PlanMode),
    /// Plan mode is on again.
    "plan_mode_reentry" PlanModeReentry(PlanModeReentry),
    /// Plan mode is off.
    "plan_mode_exit" PlanModeExit(PlanModeExit),
    /// Auto mode is on.
    "auto_mode" AutoMode(AutoMode),
    /// Auto mode is off.
    #[serde(deserialize_with = "no_fields")]
    "auto_mode_exit" AutoModeExit,
    /// A plan, brought back after a compaction.
    "plan_file_reference" PlanFileReference(PlanFileReference),
    /// What must not be missed.
    "critical_system_reminder" CriticalSystemReminder(CriticalSystemReminder),
    /// A message that arrived while the model worked.
    "queued_command" QueuedCommand(QueuedCommand),
    /// The user named an agent.
    "agent_mention" AgentMention(AgentMention),
    /// How it stands with a task in the background.
    "task_status" TaskStatus(TaskStatus),
    /// Old messages can be snipped.
    #[serde(deserialize_with = "no_fields")]
    "context_efficiency" ContextEfficiency,
    /// The context will not run out.
    #[serde(deserialize_with = "no_fields")]
    "compaction_reminder" CompactionReminder,
    /// How much of the context is used.
    "token_usage" TokenUsage(TokenUsage),
    /// How much of the budget is spent.
    "budget_usd" BudgetUsd(BudgetUsd),
    /// Another day has begun.
    "date_change" DateChange(DateChange),
    /// A hook stopped the model.
    "hook_stopped_continuation" HookStoppedContinuation(HookStoppedContinuation),
    /// A hook has something to say.
    "hook_additional_context" HookAdditionalContext(HookAdditionalContext),
    /// A hook answered later.
    "async_hook_response" AsyncHookResponse(AsyncHookResponse),
    /// Whom the model works with.
    "team_context" TeamContext(TeamContext),
    /// Tools came or went.
    "tools_delta" ToolsDelta(ToolsDelta),
    /// Agents came or went.
    "agents_delta" AgentsDelta(AgentsDelta),
    /// Instructions of MCP servers came, changed or went.
    "mcp_instructions_delta" McpInstructionsDelta(McpInstructionsDelta),
    /// Parts of the session's context came, changed or went.
    "sections_delta" SectionsDelta(SectionsDelta),
}

impl Attachment {
    /// What is appended to the conversation: nothing, where there is nothing
    /// to say, and one entry otherwise.
    ///
    /// The text is final. It is stored as it is, so that no later request can
    /// have other bytes for it.
    #[must_use]
    pub fn into_entries(self) -> Vec<EntryDraft> {
        let kind = self.kind();
        let entry = match self {
            Self::File(it) => it.entry(kind),
            Self::PdfReference(it) => it.entry(kind),
            Self::CompactFileReference(it) => it.entry(kind),
            Self::AlreadyReadFile(_) => return Vec::new(),
            Self::Directory(it) => it.entry(kind),
            Self::McpResource(it) => it.entry(kind),
            Self::NestedMemory(it) => it.entry(kind),
            Self::RelevantMemories(it) => return it.entry(kind).into_iter().collect(),
            Self::SelectedLinesInIde(it) => it.entry(kind),
            Self::OpenedFileInIde(it) => it.entry(kind),
            Self::EditedTextFile(it) => it.entry(kind),
            Self::TodoReminder(it) => it.entry(kind),
            Self::TaskReminder(it) => it.entry(kind),
            Self::SkillListing(it) => return it.entry(kind).into_iter().collect(),
            Self::InvokedSkills(it) => return it.entry(kind).into_iter().collect(),
            Self::SkillDiscovery(it) => return it.entry(kind).into_iter().collect(),
            Self::OutputStyle(it) => it.entry(kind),
            Self::Diagnostics(it) => return it.entry(kind).into_iter().collect(),
            Self::PlanMode(it) => it.entry(kind),
            Self::PlanModeReentry(it) => it.entry(kind),
            Self::PlanModeExit(it) => it.entry(kind),
            Self::AutoMode(it) => it.entry(kind),
            Self::AutoModeExit => auto_mode::exit(kind),
            Self::PlanFileReference(it) => it.entry(kind),
            Self::CriticalSystemReminder(it) => it.entry(kind),
            Self::QueuedCommand(it) => it.into_entry(),
            Self::AgentMention(it) => it.entry(kind),
            Self::TaskStatus(it) => it.entry(kind),
            Self::ContextEfficiency => context_window::efficiency(kind),
            Self::CompactionReminder => context_window::compaction(kind),
            Self::TokenUsage(it) => it.entry(kind),
            Self::BudgetUsd(it) => it.entry(kind),
            Self::DateChange(it) => it.entry(kind),
            Self::HookStoppedContinuation(it) => it.entry(),
            Self::HookAdditionalContext(it) => return it.entry().into_iter().collect(),
            Self::AsyncHookResponse(it) => return it.entry(kind).into_iter().collect(),
            Self::TeamContext(it) => it.entry(kind),
            Self::ToolsDelta(it) => return it.entry(kind).into_iter().collect(),
            Self::AgentsDelta(it) => return it.entry(kind).into_iter().collect(),
            Self::McpInstructionsDelta(it) => return it.entry(kind).into_iter().collect(),
            Self::SectionsDelta(it) => return it.entry(kind).into_iter().collect(),
        };
        vec![entry]
    }
}
