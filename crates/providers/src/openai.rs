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
//! `stream` reads chunks, and a whole completion as a single chunk. Servers that are
//! compatible with this wire differ in details, which the reader accepts:
//! missing indices and ids of calls, arguments as an object, an `error` in place of
//! choices.

mod effort;
mod message;
mod numbers;
mod request;
mod stream;
mod tools;

pub(crate) use message::Writer;
pub(crate) use request::head;
pub(crate) use stream::Reader;
