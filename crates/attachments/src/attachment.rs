//! The table of kinds: everything that depends on an attachment's kind is
//! generated from its row.

use aside_messages::conversation::EntryDraft;
use serde::{Deserialize, Serialize};

use crate::agent_mention::AgentMention;
use crate::auto_mode::{AutoMode, AutoModeExit};
use crate::cadence_class::CadenceClass::{
    self, Announcement, ContextGrowth, LargeWindow, Latest, ListReminder, Mode, ModeExit,
    ModeReentry, NewDate, OnRequest, Once, SectionChange,
};
use crate::cadence_class::{SessionMode, TaskList};
use crate::context_window::{CompactionReminder, ContextEfficiency};
use crate::critical_system_reminder::CriticalSystemReminder;
use crate::date_change::DateChange;
use crate::deltas::{AgentsDelta, McpInstructionsDelta, SectionsDelta, ToolsDelta};
use crate::diagnostics::Diagnostics;
use crate::directory::Directory;
use crate::draft::IntoEntry;
use crate::edited_file::EditedFile;
use crate::file::{AlreadyReadFile, CompactFileReference, File, PdfReference};
use crate::hooks::{AsyncHookResponse, HookAdditionalContext, HookStoppedContinuation};
use crate::ide::{OpenedFile, SelectedLines};
use crate::mcp_resource::McpResource;
use crate::memory::{NestedMemory, RelevantMemories};
use crate::output_style::OutputStyle;
use crate::plan_mode::{PlanFileReference, PlanMode, PlanModeExit, PlanModeReentry};
use crate::queued_command::QueuedCommand;
use crate::skills::{InvokedSkills, SkillDiscovery, SkillListing};
use crate::task_status::TaskStatus;
use crate::tasks::{TaskReminder, TodoReminder};
use crate::team::TeamContext;
use crate::trust::Trust;
use crate::trust::TrustRule::{self, ByValue, Harness, Outside};
use crate::usage::{BudgetUsd, TokenUsage};
#[cfg(test)]
use crate::wire_text::WireText::{
    self, Begins, Exact, ExactIfStopped, Given, Nothing, Own, Tagged,
};

/// Generates [`Attachment`] and [`Kind`] from the rows `/// summary`, `"kind"
/// Variant(Type), trust rule, cadence class, fixed words;`.
///
/// The type has a method `into_draft(self)` that returns an [`IntoEntry`]: mostly the reminder's
/// text, as an `Option` if there may be nothing to send.
macro_rules! attachment_kinds {
    ($(
        $(#[doc = $summary:literal])+
        $name:literal $variant:ident($type:ty), $trust:expr, $cadence:expr, $text:expr;
    )+) => {
        /// A message from the harness to the model, as a typed value.
        ///
        /// In JSON an object with the [kind](Attachment::kind) as its `type`,
        /// next to the variant's fields:
        ///
        /// ```
        /// use aside_attachments::{Attachment, OpenedFile};
        ///
        /// let json = r#"{"type":"opened_file_in_ide","path":"src/main.rs"}"#;
        /// let attachment: Attachment = serde_json::from_str(json)?;
        ///
        /// let opened = OpenedFile { path: "src/main.rs".into() };
        /// assert_eq!(attachment, Attachment::OpenedFileInIde(opened));
        /// assert_eq!(attachment.kind(), "opened_file_in_ide");
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum Attachment {
            $($(#[doc = $summary])+ #[serde(rename = $name)] $variant($type),)+
        }

        impl Attachment {
            /// The names of all kinds, in table order.
            pub const KINDS: &[&str] = &[$($name),+];

            /// Returns the kind's name, as in JSON and in the entry's origin.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }

            /// Returns who wrote the attachment's text.
            #[must_use]
            pub fn trust(&self) -> Trust {
                match self {
                    $(Self::$variant(it) => TrustRule::<$type>::trust_of($trust, it),)+
                }
            }

            /// Renders the attachment: no entry if there is nothing to send,
            /// else one.
            ///
            /// The text is final. The entry stores it, so every later request
            /// sends the same bytes.
            #[must_use]
            pub fn into_entries(self) -> Vec<EntryDraft> {
                let draft = match self {
                    $(Self::$variant(it) => it.into_draft().into_entry($name),)+
                };
                draft.into_iter().collect()
            }
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Kind {
            $($variant,)+
        }

        impl Kind {
            /// Returns the kind with this name, if this version has one.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            pub(crate) fn cadence(self) -> CadenceClass {
                match self {
                    $(Self::$variant => $cadence,)+
                }
            }
        }

        /// Returns the cells in each row for the README's table: kind, summary,
        /// trust, cadence, fixed words.
        #[cfg(test)]
        pub(crate) fn documentation() -> Vec<[&'static str; 5]> {
            vec![$([
                $name,
                concat!($($summary),+).trim(),
                TrustRule::<$type>::label(&$trust),
                CadenceClass::label($cadence),
                WireText::label($text),
            ]),+]
        }
    };
}

attachment_kinds! {
    /// A file, as the result of a Read call.
    "file" File(File), Outside, Once, Exact;
    /// A PDF that is too large to be sent whole.
    "pdf_reference" PdfReference(PdfReference), Outside, OnRequest, Own;
    /// A file that is not sent again after a compaction, such as a large one.
    "compact_file_reference" CompactFileReference(CompactFileReference), Outside, Once, Own;
    /// A file whose current content the model has already read.
    "already_read_file" AlreadyReadFile(AlreadyReadFile), Outside, OnRequest, Nothing;
    /// A directory, as the result of an `ls` call.
    "directory" Directory(Directory), Outside, OnRequest, Exact;
    /// A resource of an MCP server.
    "mcp_resource" McpResource(McpResource), Outside, Once, Exact;
    /// An instruction file of a directory that the model has touched, or one that changed.
    "nested_memory" NestedMemory(NestedMemory), Outside, Announcement, Exact;
    /// Stored memories that are relevant to the task.
    "relevant_memories" RelevantMemories(RelevantMemories), Outside, Latest, Own;
    /// The lines that the user selected in the editor.
    "selected_lines_in_ide" SelectedLinesInIde(SelectedLines), Outside, Latest, Exact;
    /// The file that the user opened in the editor.
    "opened_file_in_ide" OpenedFileInIde(OpenedFile), Outside, Latest, Exact;
    /// A file that changed after the model read it.
    "edited_text_file" EditedTextFile(EditedFile), Outside, OnRequest, Begins;
    /// A reminder of the TodoWrite list.
    "todo_reminder" TodoReminder(TodoReminder), ByValue(TodoReminder::trust),
        ListReminder(TaskList::Todos), Own;
    /// A reminder of the TaskCreate and TaskUpdate list.
    "task_reminder" TaskReminder(TaskReminder), ByValue(TaskReminder::trust),
        ListReminder(TaskList::Tasks), Own;
    /// The available skills.
    "skill_listing" SkillListing(SkillListing), Outside, Announcement, Own;
    /// The skills used before a compaction, with their text.
    "invoked_skills" InvokedSkills(InvokedSkills), Outside, Once, Own;
    /// Skills that may fit the task.
    "skill_discovery" SkillDiscovery(SkillDiscovery), Outside, Once, Own;
    /// The active output style.
    "output_style" OutputStyle(OutputStyle), Outside, Latest, Begins;
    /// Diagnostics of language servers.
    "diagnostics" Diagnostics(Diagnostics), Outside, Latest, Tagged;
    /// Plan mode is on.
    "plan_mode" PlanMode(PlanMode), ByValue(PlanMode::trust), Mode(SessionMode::Plan), Own;
    /// Plan mode is on again.
    "plan_mode_reentry" PlanModeReentry(PlanModeReentry), Outside, ModeReentry(SessionMode::Plan), Own;
    /// Plan mode has ended.
    "plan_mode_exit" PlanModeExit(PlanModeExit), ByValue(PlanModeExit::trust),
        ModeExit(SessionMode::Plan), Begins;
    /// Auto mode is on.
    "auto_mode" AutoMode(AutoMode), Harness, Mode(SessionMode::Auto), Own;
    /// Auto mode has ended.
    "auto_mode_exit" AutoModeExit(AutoModeExit), Harness, ModeExit(SessionMode::Auto), Begins;
    /// The plan, sent again after a compaction.
    "plan_file_reference" PlanFileReference(PlanFileReference), Outside, Once, Own;
    /// A reminder that must not be missed.
    "critical_system_reminder" CriticalSystemReminder(CriticalSystemReminder),
        ByValue(CriticalSystemReminder::trust), Latest, Given;
    /// A message that arrived while the model was working.
    "queued_command" QueuedCommand(QueuedCommand), Outside, OnRequest, Exact;
    /// An agent that the user mentioned.
    "agent_mention" AgentMention(AgentMention), Outside, OnRequest, Begins;
    /// The state of a background task.
    "task_status" TaskStatus(TaskStatus), Outside, Once, ExactIfStopped;
    /// A hint that old messages can be snipped.
    "context_efficiency" ContextEfficiency(ContextEfficiency), Harness, ContextGrowth, Own;
    /// A note that automatic compaction is on.
    "compaction_reminder" CompactionReminder(CompactionReminder), Harness, LargeWindow, Own;
    /// The tokens used of the context.
    "token_usage" TokenUsage(TokenUsage), Harness, Latest, Own;
    /// The money spent of the budget.
    "budget_usd" BudgetUsd(BudgetUsd), Harness, Latest, Own;
    /// The date has changed.
    "date_change" DateChange(DateChange), ByValue(DateChange::trust), NewDate, Own;
    /// A hook stopped the model.
    "hook_stopped_continuation" HookStoppedContinuation(HookStoppedContinuation), Outside, Once, Exact;
    /// Context that a hook adds.
    "hook_additional_context" HookAdditionalContext(HookAdditionalContext), Outside, Once, Own;
    /// The response of an asynchronous hook.
    "async_hook_response" AsyncHookResponse(AsyncHookResponse), Outside, Once, Given;
    /// The team that the model works in.
    "team_context" TeamContext(TeamContext), Outside, Latest, Own;
    /// Tools that were added or removed.
    "tools_delta" ToolsDelta(ToolsDelta), Outside, Announcement, Own;
    /// Agents that were added, changed or removed.
    "agents_delta" AgentsDelta(AgentsDelta), Outside, Announcement, Own;
    /// Instructions of MCP servers that were added, changed or removed.
    "mcp_instructions_delta" McpInstructionsDelta(McpInstructionsDelta), Outside, Announcement, Own;
    /// Sections of the session context that were changed or removed.
    "sections_delta" SectionsDelta(SectionsDelta), Outside, SectionChange, Own;
}

/// A file is sent as a reference if it is too large.
impl<T: IntoEntry> IntoEntry for Result<T, PdfReference> {
    fn into_entry(self, kind: &str) -> Option<EntryDraft> {
        match self {
            Ok(it) => it.into_entry(kind),
            Err(it) => Attachment::PdfReference(it).into_entries().pop(),
        }
    }
}

#[cfg(test)]
mod tests;
