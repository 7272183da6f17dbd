//! The wires next to Messages: Responses, Chat Completions and
//! `generateContent`.
//!
//! [`WireJudge`] takes a request and the content of a response, and returns a
//! [`Reply`], which `responses`, `chat` and `gemini` write as JSON or as a
//! stream. Like [`strict`](crate::strict), it performs no IO and has no clock.
//! It shares the signatures and the rules of the cache with it; its own state
//! are the responses that a later request continues.

mod chat;
mod compared;
mod events;
mod gemini;
mod judge;
mod reasoning;
mod refusal;
mod reply;
mod request;
mod responses;
mod store;
mod usage;
mod written;

pub(crate) use events::Frames;
pub(crate) use judge::WireJudge;
pub(crate) use reply::Reply;
pub(crate) use request::{ReadRequest, Transfer, WireRequest};
