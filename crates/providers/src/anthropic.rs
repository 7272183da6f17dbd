//! The Messages API, as Anthropic, Bedrock, Vertex and Foundry have it.

mod models;
mod request;
mod response;
mod stream;

pub(crate) use models::MODELS;
pub(crate) use models::{on_bedrock, on_vertex};
pub(crate) use request::{body, count_body};
pub(crate) use response::answer;
pub(crate) use stream::Reader;
