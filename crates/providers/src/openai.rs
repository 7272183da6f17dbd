//! Chat Completions, of OpenAI, xAI and compatible servers.

mod effort;
mod message;
mod numbers;
mod request;
mod response;
mod stream;
mod tools;

pub(crate) use message::Writer;
pub(crate) use request::head;
pub(crate) use response::answer;
pub(crate) use stream::Reader;
