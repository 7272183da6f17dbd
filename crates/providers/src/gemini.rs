//! Gemini's `generateContent`.

mod content;
mod models;
mod part;
mod request;
mod response;
mod schema;
mod seal;
mod stream;
mod tools;

pub(crate) use content::{UNSIGNED, Writer};
pub(crate) use request::head;
pub(crate) use response::answer;
pub(crate) use seal::SEAL;
pub(crate) use stream::Reader;
