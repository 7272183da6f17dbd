//! The wire: exactly what `POST /v1/messages` takes, field order included.
//!
//! What `serde_json::to_vec` writes of a [`Request`] *is* the body. Reading is
//! liberal (a plain string where blocks may stand, unknown keys, unknown block
//! types), writing is canonical; nothing that was read is lost.

mod append_reminder;
mod block;
mod cache_control;
mod message;
mod object;
mod path;
mod raw;
mod read;
mod request;
mod server_tool;
mod source;
mod tool;

pub(crate) use append_reminder::append_reminders_where;
pub use append_reminder::{Placement, append_reminder, append_reminders, reminder_text};
pub use block::{
    ContentBlock, Document, Image, Other, RedactedThinking, ResultContent, Text, Thinking,
    ToolResult, ToolUse,
};
pub use cache_control::{CacheControl, Ttl};
pub use message::{Message, Role};
pub use object::Extra;
pub(crate) use object::{ObjectReader, ObjectWriter};
pub(crate) use path::Path;
pub use raw::RawJson;
pub use read::{Parsed, ReadError, ReadErrorKind, without_surrogates};
pub(crate) use read::{Read, Reader, decode_lossy, excerpt};
pub(crate) use request::Parameters;
pub use request::{Request, SystemBlock, ThinkingConfig};
pub use server_tool::is_paused;
pub use source::MediaSource;
pub use tool::{Tool, ToolChoice};
