#![doc = include_str!("../README.md")]

mod owner;
mod record;

mod contents;
mod session_file;
mod snapshot;

mod journal;
mod resume;
mod store;

mod error;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_session as session;

pub use aside_messages::Uuid;
pub use contents::{Contents, Torn, is_of_session, read_lines_of_caller};
pub use error::{TranscriptError, TranscriptErrorKind};
pub use owner::Owner;
pub use record::{Record, RecordedHash, Sent};
pub use resume::{ResumeError, ResumeErrorKind, ResumedSession, resume};
pub use session_file::{SessionFile, read};
pub use snapshot::Snapshot;
pub use store::SessionStore;
