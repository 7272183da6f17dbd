#![doc = include_str!("../README.md")]

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_attachments as attachments;
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_providers as providers;
pub use aside_reminder as reminder;

pub use aside_session::{
    Diagnostic, Dirs, FileIdentity, FileRead, FileStamp, Files, Loader, MentionError,
    MentionErrorKind, Mentioned, OsKind, PrepareError, Prepared, ReadExtent, Session,
    SessionConfig, SessionContext, SessionTool, ToolOrigin,
};

/// The types of conversations and of the wire, which signatures of this crate
/// name.
pub use aside_messages::{Uuid, conversation, wire};

// The client and the tools.
mod client;
mod client_error;
mod prefix_gate;
mod replay;
mod tool;

// The steps between a request and its response.
mod agent_loop;
mod call_ids;
mod calls;
mod partial_response;
mod snip;

// Control and observation of a run.
mod applied_edits;
mod cancel;
mod compaction;
mod delegated_usage;
mod inbox;
mod journal;
mod kinds;
mod outcome;
mod progress;
mod usage_totals;

pub use agent_loop::{Clock, Loop};
pub use applied_edits::AppliedEdits;
pub use aside_models::Usage;
pub use aside_session::{CompactionMethod, CompactionPolicy};
pub use cancel::CancelHandle;
pub use client::{Client, CompleteFuture, EventStream};
pub use client_error::{ClientError, ClientErrorKind};
pub use delegated_usage::DelegatedUsage;
pub use inbox::Inbox;
pub use journal::{Journal, JournalError, SentRequest};
pub use kinds::DIAGNOSTICS;
pub use outcome::{Limit, LoopError, Outcome, ReportedReset, RunLimits, RunReport};
pub use prefix_gate::PrefixGate;
pub use progress::{Observer, Progress};
pub use replay::{CassetteError, Replay};
pub use tool::{Tool, ToolFuture, ToolOutput};
