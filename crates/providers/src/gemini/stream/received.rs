//! The chunks as Gemini writes them.
//!
//! Every member is optional, and members that are not listed are ignored.

use aside_models::usage::Gemini;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::read::{Text, delta};

/// A chunk of a stream, or a whole response.
///
/// ```json
/// {
///   "responseId": "r1", "modelVersion": "gemini-3.1-pro-preview",
///   "candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}],
///   "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2}
/// }
/// ```
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    /// The responses, of which a request gets one; none in a chunk that has only the
    /// usage.
    #[serde(borrow)]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    /// The reason for which the prompt was refused.
    pub(super) prompt_feedback: Option<Feedback<'a>>,
    /// The usage so far; the last one counts.
    pub(super) usage_metadata: Option<Gemini>,
    /// The model that responds.
    pub(super) model_version: Option<Text<'a>>,
    /// The id of the response, the same in every chunk.
    pub(super) response_id: Option<Text<'a>>,
    /// An error, in place of candidates.
    pub(super) error: Option<&'a RawValue>,
}

/// One of the alternative responses.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    /// The number of the candidate; 0 if it is missing.
    pub(super) index: Option<u64>,
    /// The next parts.
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
    /// Such as `STOP`, in the last chunk of the candidate.
    pub(super) finish_reason: Option<Text<'a>>,
    /// A text about the reason.
    pub(super) finish_message: Option<Text<'a>>,
}

/// A content of the model.
#[derive(Deserialize)]
pub(super) struct Content<'a> {
    /// The parts in order; each is whole, except that a text may continue in the next
    /// chunk.
    #[serde(borrow)]
    pub(super) parts: Option<Vec<Part<'a>>>,
}

/// A part of a content. Its data is a text or a call; a part with a signature may have
/// neither.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    /// A piece of text, or of thinking.
    #[serde(borrow, default, deserialize_with = "delta")]
    pub(super) text: Option<Text<'a>>,
    /// True if the text is thinking.
    pub(super) thought: Option<bool>,
    /// The signature that has to return with this part.
    pub(super) thought_signature: Option<Text<'a>>,
    /// A whole call.
    pub(super) function_call: Option<FunctionCall<'a>>,
}

/// A whole call of a function.
#[derive(Deserialize)]
pub(super) struct FunctionCall<'a> {
    /// The id; the queue of blocks generates one if it is missing.
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    /// The name in the form of the request.
    pub(super) name: Option<Text<'a>>,
    /// The input, an object; without it the call has no arguments.
    pub(super) args: Option<&'a RawValue>,
}

/// The verdict about the prompt.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feedback<'a> {
    /// Such as `SAFETY`, if the prompt was refused.
    #[serde(borrow)]
    pub(super) block_reason: Option<Text<'a>>,
}
