//! What a server's observer sees: each request that was answered, with its response.

use aside_cache_model::CacheModel;
use aside_models::Wire;

use crate::strict::{Billed, Response, ResponseBlock};

/// A request that a scripted response answered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The request's number, from 1.
    pub request: u64,
    /// The response's number in the script, from 1.
    pub answer: usize,
    /// The API.
    pub wire: Wire,
    /// The body, with items that the server stores for the client (Responses).
    pub body: &'a [u8],
    /// The same request in the Messages API's form.
    pub messages_form: &'a [u8],
    /// The cache of the server, and what it has billed; `None` for an error.
    pub(crate) billed: Option<(&'a CacheModel, &'a Billed)>,
    /// The response. Empty if it is an error, or breaks off.
    pub sent: &'a [SentBlock],
}

/// A block in a response that the client has to send back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SentBlock {
    /// A text.
    Text(String),
    /// A thinking signature.
    Thinking(String),
    /// A call's id.
    Call(String),
}

/// Called with each request, in order, before its response is sent.
pub(crate) struct Observer(pub(crate) Box<dyn FnMut(&Observed<'_>) + Send>);

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Observer")
    }
}

/// Returns the blocks in a response that come back.
pub(super) fn sent(response: &Response) -> Vec<SentBlock> {
    let blocks = response.content.iter();
    let blocks = blocks.filter_map(|block| match block {
        ResponseBlock::Text { text, .. } => Some(SentBlock::Text(text.clone())),
        ResponseBlock::Thinking { signature: seal, .. }
        | ResponseBlock::RedactedThinking { data: seal } => Some(SentBlock::Thinking(seal.clone())),
        ResponseBlock::ToolUse { id, .. } => Some(SentBlock::Call(id.clone())),
        _ => None,
    });
    blocks.collect()
}
