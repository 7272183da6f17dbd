#![doc = include_str!("../README.md")]

mod anew;
mod attachments;
mod cache_options;
mod composed;
mod config;
mod diagnostic;
mod files;
mod mentions;
mod opened;
mod past;
mod prefix;
mod prepared;
mod prompt_options;
mod prompt_report;
mod read_state;
mod reading;
mod refresh;
mod reminders;
mod resume;
mod sections;
mod session;
mod state;
mod tool;
mod tools;

pub use cache_options::CacheOptions;
pub use config::{DEFAULT_MAX_TOKENS, DEFAULT_MODEL, Git, PromptMode, SessionConfig};
pub use diagnostic::{Area, Diagnostic};
pub use files::{Files, Mentioned};
pub use opened::Opened;
pub use past::{Note, Past, ReadNote};
pub use prepared::Prepared;
pub use prompt_options::{AgentDefinition, Coordinator, PromptOptions};
pub use prompt_report::{Fate, PromptReport, SectionReport};
pub use read_state::{KnownFile, ReadState};
pub use reminders::SessionTime;
pub use session::{PrepareError, Session};
pub use state::{HookOutput, McpServer, McpServerResource, McpTool, Plan, SessionState};
pub use tool::{FileIdentity, FileRead, ReadExtent, Tool, ToolFuture, ToolOutput};
pub use tools::{SessionTool, ToolOrigin};

// Who answers.
mod client;
mod client_error;
mod replay;

// What goes on between request and answer.
mod agent_loop;
mod call_ids;
mod calls;
mod received;
mod standing;

// How it is steered and watched.
mod cancel;
mod inbox;
mod journal;
mod outcome;
mod progress;

pub use agent_loop::{Clock, Loop};
pub use cancel::CancelHandle;
pub use client::{Client, CompleteFuture, EventStream};
pub use client_error::{ClientError, ClientErrorKind};
pub use inbox::Inbox;
pub use journal::{Journal, JournalError, SentRequest};
pub use outcome::{Limit, Limits, LoopError, Outcome, Report};
pub use progress::{Observer, Progress};
pub use replay::{CassetteError, Replay};
