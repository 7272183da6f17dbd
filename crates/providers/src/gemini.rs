//! Gemini's `generateContent`.

mod content;
mod models;
mod request;
mod response;
mod schema;
mod stream;

pub(crate) use content::{UNSIGNED, Writer};
pub(crate) use request::head;
pub(crate) use response::answer;
pub(crate) use stream::Reader;

/// What Gemini's own signatures begin with in the Anthropic form, so that
/// those of other providers are never given to it.
pub(crate) const SEAL: &str = "gemini:";
