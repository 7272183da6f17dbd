#![doc = include_str!("../README.md")]

mod agent;
mod error;
mod exchange;
mod time;

mod json;

mod answer;
mod format;

mod guess;
mod window;

mod read;

#[cfg(feature = "files")]
mod files;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_models as models;
pub use bytes::Bytes;

pub use agent::Agent;
pub use error::{LogError, LogErrorKind};
pub use exchange::{Exchange, RecordedBody};
#[cfg(feature = "files")]
pub use files::{LogFault, LogFiles, LogListing, list_logs, raw_requests, unopened};
pub use format::raw_bodies::{RawBodyEntry, raw_body_exchange, raw_body_index};
pub use guess::Format;
pub use read::{Exchanges, MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, ReadOptions, read, read_with};
pub use time::{day, rfc3339};
