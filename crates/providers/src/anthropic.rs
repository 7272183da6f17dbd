//! The Messages API, as Anthropic, Bedrock, Vertex and Foundry have it.
//!
//! The requests are in this form already, so a conversion changes only the parameters:
//! `request` and `head` write them, and the bytes of tools, system prompt and messages
//! are sent as they were encoded. `response` and `stream` read the responses, and
//! `fields` what both have in common. The stream is checked for its order, since later
//! code relies on it.

mod fields;
mod head;
mod output_format;
mod request;
mod response;
mod stream;

pub(crate) use request::{Writer, count_body};
pub(crate) use response::answer;
pub(crate) use stream::Reader;
