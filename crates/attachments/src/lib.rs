#![doc = include_str!("../README.md")]

mod attachment;
mod cadence_class;
mod trust;
#[cfg(test)]
mod wire_text;

mod agent_mention;
mod auto_mode;
mod context_window;
mod critical_system_reminder;
mod date_change;
mod deltas;
mod diagnostics;
mod directory;
mod edited_file;
mod file;
mod hooks;
mod ide;
mod mcp_resource;
mod media;
mod memory;
mod output_style;
mod plan_mode;
mod queued_command;
mod skills;
mod task_status;
mod tasks;
mod team;
mod usage;

pub mod cadence;
mod mentions;

mod announcement;
mod byte_size;
mod draft;
mod no_fields;
mod tag;
mod truncate;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_messages as messages;

pub use agent_mention::AgentMention;
pub use attachment::Attachment;
pub use auto_mode::{AutoMode, AutoModeExit};
pub use context_window::{CompactionReminder, ContextEfficiency};
pub use critical_system_reminder::CriticalSystemReminder;
pub use date_change::DateChange;
pub use deltas::{
    AgentListing, AgentsDelta, ContextSection, McpInstructionsDelta, McpServerInstructions,
    SectionsDelta, ToolsDelta,
};
pub use diagnostics::{DiagnosticSeverity, Diagnostics, FileDiagnostics, LineDiagnostic};
pub use directory::Directory;
pub use edited_file::EditedFile;
pub use file::{
    AlreadyReadFile, Cell, CellKind, CellOutput, CompactFileReference, File, FileContent,
    ImageFile, MAX_FILE_BYTES, MAX_FILE_LINES, MAX_PDF_PAGES, Notebook, Pdf, PdfReference,
    TextFile, numbered_lines,
};
pub use hooks::{AsyncHookResponse, HookAdditionalContext, HookStoppedContinuation};
pub use ide::{OpenedFile, SelectedLines};
pub use mcp_resource::{McpContent, McpResource};
pub use media::Media;
pub use memory::{NestedMemory, RelevantMemories, RelevantMemory};
pub use mentions::{LineRange, Mention, mentions};
pub use output_style::OutputStyle;
pub use plan_mode::{Detail, PlanFileReference, PlanMode, PlanModeExit, PlanModeReentry};
pub use queued_command::{QueuedCommand, QueuedOrigin};
pub use skills::{InvokedSkill, InvokedSkills, Skill, SkillDiscovery, SkillListing};
pub use task_status::{TaskEnd, TaskState, TaskStatus};
pub use tasks::{Task, TaskProgress, TaskReminder, Todo, TodoReminder};
pub use team::{TeamContext, TeamMember};
pub use trust::Trust;
pub use usage::{BudgetUsd, TokenUsage};
