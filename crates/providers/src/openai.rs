//! Chat Completions, of OpenAI, xAI and compatible servers.
//!
//! ```text
//! system prompt          one developer or system message
//! tool_use               tool_calls of the assistant message
//! tool_result            a tool message, directly after the calls
//! thinking               left out, or reasoning_content
//! ```
//!
//! `request` writes everything before the conversation, `message` the conversation.
//! `stream` reads chunks, and `response` a whole completion as a single chunk. Servers
//! that are compatible with this wire differ in details, which the readers accept:
//! missing indices and ids of calls, arguments as an object, an `error` in place of
//! choices.

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
