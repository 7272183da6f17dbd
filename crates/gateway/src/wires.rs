//! The other wires: Responses, Chat Completions and `generateContent`.
//!
//! [`WireJudge`] takes a request and a response's content, and returns a
//! [`Reply`], which `responses`, `chat` and `gemini` write as JSON or as a
//! stream. Like [`strict`](crate::strict), it does no IO and has no clock, and
//! it shares that judge's signatures and cache rules; its own state is the
//! responses that a later request continues.

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

pub(crate) use events::{Frames, Transfer};
pub(crate) use judge::WireJudge;
pub(crate) use refusal::unknown_model;
pub(crate) use reply::Reply;
pub(crate) use request::{Endpoint, ReadRequest, ValueForm};
pub(crate) use store::{InputPage, StoredAction};
