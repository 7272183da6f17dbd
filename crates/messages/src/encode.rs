//! From messages to bytes.
//!
//! Parts that cannot change any more are encoded once, without cache markers. A
//! marker is the last key in its block, so it can be inserted when a request is
//! written: a breakpoint plan is a list of positions, never a field in a stored
//! message.
//!
//! ```text
//! {"model":"m","max_tokens":64,   parameters         written for each request
//! "tools":[…],                    Encoded, shared    until they change
//! "system":[…],                   Encoded, shared
//! "messages":[
//!   {…},{…},{…}                   Chunk, shared      closed messages, up to 256 KiB
//!   ,{…}                          Encoded            open messages, the tail
//! ]}
//! ```
//!
//! A body is a list of these segments. The next request has the same segments
//! up to the last closed message, so neither encoding nor hashing reads them
//! again, and both requests have equal bytes up to there, as the prompt cache
//! requires.

mod append;
mod betas;
mod body;
mod builder;
mod chunk;
mod encoded;
mod features;
mod hash;
mod history;
mod json;
mod marker;
mod measure;
mod pieces;
mod spans;
mod turns;
mod typed;
mod verbatim;
mod written;

pub use betas::{CLEAR_AT_BETA, COMPACTION_BETA, OUTPUT_CONFIG_BETA, TOOL_CHANGES_BETA};
pub use body::{Body, BodyParts};
pub use encoded::Encoded;
pub use hash::BodyHash;
pub use history::{History, HistoryPosition};
pub use marker::{BlockRef, Marker, MarkerError};
pub use spans::SourceSpan;
pub use turns::{CHECKPOINT_POSITIONS, StepBlock, StepKind, TurnStep, Turns};
pub use written::EncodedBlock;
