//! What an observer of the server sees: each request that was answered, with its response.

use aside_cache_model::CacheModel;
use aside_models::Wire;

use crate::strict::{Billed, Response, ResponseBlock};

/// A request that a response of the script answered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The number of the request, from 1.
    pub request: u64,
    /// The number of the response in the script, from 1.
    pub answer: usize,
    /// The API.
    pub wire: Wire,
    /// The body, with the items that the server stores for the client (Responses).
    pub body: &'a [u8],
    /// The same request in the form of the Messages API.
    pub messages_form: &'a [u8],
    /// The cache of the server, and what it has billed; `None` for an error.
    pub(crate) billed: Option<(&'a CacheModel, &'a Billed)>,
    /// The response. Empty if it is an error, or breaks off.
    pub sent: &'a [SentBlock],
}

/// A block of a response that the client has to send back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SentBlock {
    /// A text.
    Text(String),
    /// The signature of thinking.
    Thinking(String),
    /// The id of a call.
    Call(String),
}

/// A function that is called with each request, in order, before its response is sent.
pub(crate) struct Observer(pub(crate) Box<dyn FnMut(&Observed<'_>) + Send>);

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Observer")
    }
}

/// Returns the blocks of a response that come back.
pub(super) fn sent(response: &Response) -> Vec<SentBlock> {
    let blocks = response.content.iter();
    let blocks = blocks.filter_map(|block| match block {
        ResponseBlock::Text { text } => Some(SentBlock::Text(text.clone())),
        ResponseBlock::Thinking {
            signature: seal, ..
        }
        | ResponseBlock::RedactedThinking { data: seal } => Some(SentBlock::Thinking(seal.clone())),
        ResponseBlock::ToolUse { id, .. } => Some(SentBlock::Call(id.clone())),
        _ => None,
    });
    blocks.collect()
}
