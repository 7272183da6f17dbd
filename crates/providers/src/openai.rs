//! Chat Completions, as OpenAI and xAI have it, and many a compatible server.

mod message;
mod numbers;
mod request;
mod response;
mod stream;

pub(crate) use message::Writer;
pub(crate) use request::head;
pub(crate) use response::answer;
pub(crate) use stream::Reader;
