//! The Messages API, as Anthropic, Bedrock, Vertex and Foundry have it.

mod fields;
mod head;
mod request;
mod response;
mod stream;

pub(crate) use request::{Writer, count_body};
pub(crate) use response::answer;
pub(crate) use stream::Reader;
