//! A response before it is written for its wire.

use aside_cache_model::{Miss, ResponseParts};
use aside_models::{Usage, Wire};
use serde::Serialize;
use serde_json::value::RawValue;

use super::compared::Diagnostics;
use super::events::Transfer;
use super::reasoning::RemovedReasoning;
use crate::serve::SentBlock;

/// A response, with its request's tokens.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(super) wire: Wire,
    pub(crate) transfer: Transfer,
    /// Whether a stream ends with a chunk that has the usage
    /// (`stream_options.include_usage`).
    pub(super) has_final_usage: bool,
    /// The id, as in `resp_0000000000000001`.
    pub(crate) id: String,
    /// The model as the request names it.
    pub(crate) model: String,
    /// Seconds since 1970.
    pub(crate) created: u64,
    pub(super) blocks: Vec<ReplyBlock>,
    /// Whether the call is a `function_call` of the message, not in `tool_calls` (Chat Completions).
    pub(super) is_legacy: bool,
    /// How often it has the blocks (`n`, `candidateCount`).
    pub(super) choices: u64,
    /// The stop reason in the Messages API's words.
    pub(super) stop: String,
    /// The tokens. Output includes reasoning.
    pub(crate) usage: Usage,
    pub(super) reasoning_tokens: u64,
    /// The reasoning that the model does not see (Responses).
    pub(crate) removed: Vec<RemovedReasoning>,
    /// How it compares with an earlier response, if the request names one
    /// (Responses).
    pub(super) diagnostics: Option<Diagnostics>,
    /// In which form it has the model's thinking.
    pub(super) shown: Shown,
    /// The parameters that the response repeats, as JSON (Responses).
    pub(super) echo: Vec<(&'static str, Box<RawValue>)>,
    /// Why less was read from the cache than the request before had left.
    pub(crate) miss: Option<Miss>,
}

#[derive(Clone, Debug)]
pub(super) enum ReplyBlock {
    /// Text of the model.
    Text { id: String, text: String },
    /// Reasoning, with its signature.
    Reasoning { id: String, text: String, seal: String },
    /// A search or a page that the server fetched, with its action as JSON (Responses).
    Search { id: String, action: Box<RawValue> },
    /// A call of a tool.
    Call {
        /// The item's id (Responses).
        id: String,
        call_id: String,
        name: String,
        /// The namespace of the tool, if it is in one (Responses).
        namespace: Option<String>,
        input: CallInput,
        /// The signature of the thought before it (Gemini).
        seal: Option<String>,
    },
}

/// What a call passes to its tool.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum CallInput {
    /// The arguments of a function.
    Json(Box<RawValue>),
    /// The text for a custom tool.
    Text(String),
}

impl CallInput {
    /// Returns the input as a string of the wire has it.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Json(arguments) => arguments.get(),
            Self::Text(text) => text,
        }
    }
}

/// In which form a response has the model's thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// Whether the text is shown.
    pub(super) has_text: bool,
    /// Whether the signature is sent (Responses).
    pub(super) has_seal: bool,
}

impl Reply {
    /// Returns the blocks that the client has to send back, as it gets them.
    pub(crate) fn sent(&self) -> Vec<SentBlock> {
        let has_seal = self.shown.has_seal || self.wire == Wire::GenerateContent;
        let blocks = self.blocks.iter().flat_map(|block| match block {
            ReplyBlock::Text { text, .. } => vec![SentBlock::Text(text.clone())],
            ReplyBlock::Reasoning { seal, .. } if self.shown.has_seal => {
                vec![SentBlock::Thinking(seal.clone())]
            }
            ReplyBlock::Reasoning { .. } | ReplyBlock::Search { .. } => Vec::new(),
            // It has no id.
            ReplyBlock::Call { .. } if self.is_legacy => Vec::new(),
            ReplyBlock::Call { call_id, seal, .. } => {
                let seal = seal.clone().filter(|_| has_seal).map(SentBlock::Thinking);
                let call = SentBlock::Call(call_id.clone());
                seal.into_iter().chain([call]).collect()
            }
        });
        blocks.collect()
    }

    /// Returns what the next request recognizes this response by.
    pub(super) fn parts(&self) -> ResponseParts {
        let calls = self.blocks.iter().filter_map(|block| match block {
            ReplyBlock::Call { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        let text = self.blocks.iter().find_map(|block| match block {
            ReplyBlock::Text { text, .. } => Some(text.clone()),
            _ => None,
        });
        ResponseParts::new(calls.collect(), text)
    }
}

impl Shown {
    /// As an item is stored: complete.
    pub(super) const ALL: Self = Self { has_text: true, has_seal: true };
}

impl ReplyBlock {
    pub(super) const fn is_reasoning(&self) -> bool {
        matches!(self, Self::Reasoning { .. })
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Text { id, .. }
            | Self::Reasoning { id, .. }
            | Self::Search { id, .. }
            | Self::Call { id, .. } => id,
        }
    }
}
