#![doc = include_str!("../README.md")]

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_attachments as attachments;
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_providers as providers;
pub use aside_session::reminder;

pub use aside_session::{
    Diagnostic, Dirs, FileIdentity, FileRead, FileStamp, Files, Loader, McpServer,
    McpServerResource, MentionError, MentionErrorKind, Mentioned, OsKind, PrepareError, Prepared,
    ReadExtent, Session, SessionConfig, SessionContext, SessionTool, ToolOrigin,
};

/// Conversation and wire types in this crate's signatures.
pub use aside_messages::{Uuid, conversation, wire};

// The client and the tools.
mod client;
mod client_error;
mod tool;
mod tool_servers;

// The steps between a request and its response.
mod agent_loop;
mod calls;

// Controlling and observing a run.
mod cancel;
mod compaction;
mod inbox;
mod kinds;
mod outcome;
mod progress;

pub use agent_loop::{Clock, Loop};
pub use aside_models::{Usage, UsageSum};
pub use aside_session::{AppliedEdits, CompactionMethod, CompactionPolicy, ContextSize};
pub use aside_session::{Journal, JournalError, SentRequest};
pub use cancel::CancelHandle;
pub use client::{Client, CompleteFuture, EventStream};
pub use client_error::{ClientError, ClientErrorKind};
pub use inbox::Inbox;
pub use kinds::DIAGNOSTICS;
pub use outcome::{Limit, LoopError, Outcome, ReportedReset, RunLimits, RunReport};
pub use progress::{Observer, Progress};
pub use tool::{FileUse, Tool, ToolFuture, ToolOutput};
pub use tool_servers::{ReadFuture, ServerOffer, ServerUpdate, ToolServers};
