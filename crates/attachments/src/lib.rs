#![doc = include_str!("../README.md")]

mod attachment;

mod agent_mention;
mod auto_mode;
mod context_window;
mod critical_reminder;
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

mod announced;
mod cut;
mod draft;
mod left_out;
mod no_fields;
mod size;
mod tag;

pub use agent_mention::AgentMention;
pub use attachment::Attachment;
pub use auto_mode::AutoMode;
pub use critical_reminder::CriticalSystemReminder;
pub use date_change::DateChange;
pub use deltas::{
    AgentListing, AgentsDelta, ContextSection, McpInstructions, McpInstructionsDelta,
    SectionsDelta, ToolsDelta,
};
pub use diagnostics::{
    DIAGNOSTICS_CHARACTERS, DiagnosticSeverity, Diagnostics, FileDiagnostics, LineDiagnostic,
};
pub use directory::{DIRECTORY_ENTRIES, Directory};
pub use edited_file::{DIFF_CHARACTERS, EditedFile};
pub use file::{
    AlreadyReadFile, Cell, CellKind, CellOutput, CompactFileReference, FILE_BYTES, FILE_LINES,
    File, FileContent, ImageFile, Notebook, PDF_PAGES, Pdf, PdfReference, TextFile, numbered_lines,
};
pub use hooks::{
    AsyncHookResponse, HOOK_CHARACTERS, HookAdditionalContext, HookStoppedContinuation,
};
pub use ide::{OpenedFile, SELECTION_CHARACTERS, SelectedLines};
pub use mcp_resource::{McpContent, McpResource};
pub use media::Media;
pub use memory::{
    MEMORIES, MEMORY_BYTES, MEMORY_LINES, NestedMemory, RelevantMemories, RelevantMemory,
};
pub use mentions::{LineRange, Mention, mentions};
pub use output_style::OutputStyle;
pub use plan_mode::{Detail, PlanFileReference, PlanMode, PlanModeExit, PlanModeReentry};
pub use queued_command::{QueuedCommand, QueuedOrigin};
pub use skills::{
    INVOKED_SKILL_TOKENS, INVOKED_SKILLS_TOKENS, InvokedSkill, InvokedSkills,
    SKILL_LISTING_CHARACTERS, Skill, SkillDiscovery, SkillListing,
};
pub use task_status::{TaskEnd, TaskState, TaskStatus};
pub use tasks::{Progress, Task, TaskReminder, Todo, TodoReminder};
pub use team::{TeamContext, TeamMember};
pub use usage::{BudgetUsd, TokenUsage};
