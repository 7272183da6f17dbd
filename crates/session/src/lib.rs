#![doc = include_str!("../README.md")]

// The input of a session.
mod cache_options;
mod clear_tool_uses;
mod compaction_policy;
mod config;
mod delivery_form;
mod files;
mod prompt_options;
mod state;
mod tools;

// The context.
mod composed;
mod gather;
mod message_form;
mod prefix;
mod prompt_report;
mod section_values;
mod sections;
mod session_context;
mod summary_form;
mod tool_list;

// Delivery.
mod edit;
mod file_read;
mod live_settings;
mod on_disk;
mod partial_response;
mod read_state;
mod reminders;
mod sent_messages;
mod sent_prefixes;
mod session_time;
mod snip;

mod session;

pub mod caller;

// The output.
mod applied_edits;
mod compaction_loss;
mod context_size;
mod journal;
mod kinds;
mod prepare_error;
mod prepared;
mod resume_state;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_attachments as attachments;
pub use aside_cache_split as cache_split;
pub use aside_claudemd as claudemd;
pub use aside_git_context as git_context;
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_prompt_sections as prompt_sections;
pub use aside_providers as providers;
pub use aside_reminder as reminder;

pub use applied_edits::AppliedEdits;
/// Types in this crate's signatures, so that it is the only dependency.
pub use aside_claudemd::{Dirs, Loader};
pub use aside_diagnostic::{Diagnostic, Severity};
pub use aside_messages::{Uuid, conversation, wire};
pub use aside_prompt_sections::OsKind;
pub use aside_prompt_sections::SessionDate;
pub use cache_options::CacheOptions;
pub use clear_tool_uses::ClearToolUses;
pub use compaction_loss::CompactionLoss;
pub use compaction_policy::{CompactionMethod, CompactionPolicy};
pub use config::{DEFAULT_MAX_TOKENS, DEFAULT_MODEL, Git, Persistence, PromptMode, SessionConfig};
pub use context_size::ContextSize;
pub use file_read::{FileIdentity, FileRead, FileStamp, ReadExtent};
pub use files::{Files, MentionError, MentionErrorKind, Mentioned};
pub use journal::{Journal, JournalError, SentRequest};
pub use kinds::DIAGNOSTICS;
pub use live_settings::{LiveSettings, ResponseSettings};
pub use message_form::MessageForm;
pub use on_disk::OnDisk;
pub use partial_response::{PartialResponse, Received, ResponseTooLong};
pub use prepare_error::PrepareError;
pub use prepared::Prepared;
pub use prompt_options::{AgentDefinition, Coordinator, PromptOptions};
pub use prompt_report::{Fate, PromptReport, SectionReport};
pub use read_state::{KnownFile, ReadState};
pub use resume_state::{Note, ReadNote, ResumeState, StartedNote};
pub use session::{Session, SummaryRange};
pub use session_context::SessionContext;
pub use session_time::SessionTime;
pub use snip::removable;
pub use state::{
    HookOutput, McpServer, McpServerResource, McpTool, Plan, SectionInputs, SessionState,
};
pub use summary_form::SummaryForm;
pub use tools::{SessionTool, ToolOrigin};
