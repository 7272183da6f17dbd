//! The types for `POST /v1/messages`, in the field order of the wire.
//!
//! `serde_json::to_vec` on a [`Request`] gives the exact body. Reading is
//! liberal: it accepts a plain string for a list of blocks, unknown keys and
//! unknown block types. Writing is canonical, and loses nothing that was read.
//!
//! This module depends on no other module in the crate, except the kinds of
//! diagnostics and `neutralize`, which depends on its types.

mod append_reminder;
mod block;
mod cache_control;
mod compaction;
mod extra;
mod from_json;
mod message;
mod object;
mod raw;
mod read;
mod read_repair;
mod request;
mod server_tool;
mod source;
mod tool;
mod tool_change;
mod wire_object;

pub(crate) use append_reminder::{JoinedReminders, Target};
pub use append_reminder::{Placement, append_reminder, append_reminders, reminder_text};
pub use block::{
    ContentBlock, Document, Image, Other, RedactedThinking, ResultContent, Text, Thinking,
    ToolResult, ToolUse,
};
pub use cache_control::{CacheControl, Ttl};
pub use compaction::Compaction;
pub use extra::Extra;
pub(crate) use message::MessageEnd;
pub use message::{ClearAt, Message, Role};
pub(crate) use object::{ObjectReader, ObjectWriter};
pub use raw::RawJson;
pub use read::{Parsed, ReadError, ReadErrorKind, without_surrogates};
pub(crate) use read::{Read, Reader, document, parsed, scalar};
pub use read_repair::ReadRepair;
pub(crate) use request::Parameters;
pub use request::{Request, SystemBlock, ThinkingConfig};
pub use server_tool::{is_paused, pending_calls};
pub use source::MediaSource;
pub use tool::{Tool, ToolChoice, ToolMode};
pub use tool_change::ToolChange;
