//! OpenAI's Responses, as OpenAI and xAI have it.
//!
//! Every request is stateless: it holds all items, and the server stores
//! nothing. Reasoning is encrypted, and returns to the server in its place.

mod converted;
mod form;
mod input;
mod item;
mod models;
mod output;
mod parameters;
mod part;
mod reasoning;
mod request;
mod response;
mod stream;
mod system;
mod tool_changes;
mod tools;

pub(crate) use input::Writer;
pub(crate) use models::is_older;
pub(crate) use reasoning::{Reasoning, seal, seal_phase};
pub(crate) use request::head;
pub(crate) use response::answer;
pub(crate) use stream::Reader;
