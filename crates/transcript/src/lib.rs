#![doc = include_str!("../README.md")]

mod record;

mod contents;
mod transcript;

mod resume;
mod session_log;
mod store;

mod error;

// The crates whose types the signatures of this one name: one dependency is enough.
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_session as session;

pub use aside_messages::Uuid;
pub use contents::{Contents, Torn};
pub use error::{TranscriptError, TranscriptErrorKind};
pub use record::{Record, RecordedHash, Sent};
pub use resume::{ResumeError, ResumeErrorKind, ResumedSession, resume};
pub use session_log::SessionLog;
pub use store::SessionStore;
pub use transcript::{Transcript, read};
