//! The strict Messages API as a judge: bytes in, a response or a refusal out.
//!
//! It does no IO and has no clock, so you can use it in tests without HTTP:
//!
//! ```
//! use aside_gateway::strict::{Draft, Strict, StrictOptions, StrictRequest};
//!
//! let mut api = Strict::new(StrictOptions::default());
//! let first = r#"{"model":"claude-opus-5-5","max_tokens":64,
//!     "system":"Today is Monday.","messages":[{"role":"user","content":"Hi"}]}"#;
//! let answer = api.answer(&StrictRequest::new(first.as_bytes()))?;
//! assert_eq!(answer.stop_reason, "end_turn");
//!
//! // The next request repeats the signed thinking behind another prefix.
//! let content = answer.content_json();
//! let second = format!(r#"{{"model":"claude-opus-5-5","max_tokens":64,
//!     "system":"Today is Tuesday.","messages":[{{"role":"user","content":"Hi"}},
//!     {{"role":"assistant","content":{content}}},{{"role":"user","content":"Go on"}}]}}"#);
//! let refused = api.answer(&StrictRequest::new(second.as_bytes())).unwrap_err();
//! assert_eq!(refused.status(), 400);
//! assert!(refused.message().contains("bound to a different conversation"));
//! assert!(refused.message().ends_with("first at `system.0`."));
//!
//! let same = second.replace("Tuesday", "Monday");
//! let draft = Draft::new().tool_use("Read", r#"{"file_path":"a.md"}"#)?;
//! let answer = api.answer_with(&StrictRequest::new(same.as_bytes()), &draft)?;
//! assert_eq!(answer.stop_reason, "tool_use");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod body;
mod cached;
mod compaction;
pub(crate) mod digest;
mod draft;
mod error;
mod events;
mod history;
mod judge;
mod prefix;
mod refusal;
mod request;
mod response;
pub(crate) mod seal;
mod thinking;
mod threads;

#[cfg(feature = "servers")]
pub(crate) use cached::Billed;
pub use draft::Draft;
#[cfg(feature = "servers")]
pub(crate) use draft::DraftBlock;
pub use error::ApiError;
#[cfg(feature = "servers")]
pub(crate) use error::{NOT_OBJECT, envelope};
#[cfg(feature = "servers")]
pub(crate) use events::pieces;
#[cfg(feature = "servers")]
pub(crate) use judge::model_digest;
pub use judge::{Enforcement, JudgeResult, Strict, StrictOptions};
#[cfg(feature = "servers")]
pub(crate) use refusal::{choices, fill, ids, unworded};
pub use request::StrictRequest;
pub use response::{
    CacheCreation, CacheDiagnostics, CacheMissReason, CompactionUsage, ContextManagement,
    OriginalTokens, Response, ResponseBlock, ResponseUsage, ServerToolUsage, TokenCount,
    Transformation,
};
