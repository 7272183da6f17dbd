//! The events and the response as a server writes them.
//!
//! Every member is optional here: `Reader` requires those that belong to the type of the
//! event.

use aside_models::usage::Responses;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ReceivedItem, ReceivedPart};
use crate::read::{Text, delta};

/// An event of any type.
///
/// ```json
/// {"type": "response.created", "response": {"id": "resp_1", "model": "gpt-6.2-sol"}}
/// {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message"}}
/// {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "delta": "Hi"}
/// {"type": "error", "error": {"type": "server_error", "message": "…"}}
/// ```
#[derive(Deserialize)]
pub(super) struct Raw<'a> {
    /// The type; without one, only an `error` is read.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    /// The response, in the events of its start and its end.
    pub(super) response: Option<&'a RawValue>,
    /// The item, as it begins or whole. Boxed, since few events have one.
    pub(super) item: Option<Box<ReceivedItem<'a>>>,
    /// The item that a piece belongs to.
    pub(super) item_id: Option<Text<'a>>,
    /// The position of the item in the output, from 0.
    pub(super) output_index: Option<u64>,
    /// The position of the part in `content`; 0 if it is missing.
    pub(super) content_index: Option<u64>,
    /// The position of the part in `summary`; 0 if it is missing.
    pub(super) summary_index: Option<u64>,
    /// The piece, in `….delta` events.
    #[serde(borrow, default, deserialize_with = "delta")]
    pub(super) delta: Option<Text<'a>>,
    /// The whole text, in `….done` events.
    pub(super) text: Option<Text<'a>>,
    /// The whole refusal, in `response.refusal.done`.
    pub(super) refusal: Option<Text<'a>>,
    /// The whole input of a call, in `response.function_call_arguments.done`.
    pub(super) arguments: Option<Text<'a>>,
    /// The whole input, in `response.custom_tool_call_input.done`.
    pub(super) input: Option<Text<'a>>,
    /// The whole part, in `response.content_part.done` and its counterpart for summaries.
    pub(super) part: Option<ReceivedPart<'a>>,
    /// The error, nested on some servers; on others its members are those of the event.
    pub(super) error: Option<&'a RawValue>,
}

/// A response: at the beginning, without output, or complete.
#[derive(Deserialize)]
pub(super) struct Response<'a> {
    /// The id of the response.
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    /// The model that responds.
    pub(super) model: Option<Text<'a>>,
    /// `completed`, `incomplete`, `failed`, `cancelled`, `queued` or `in_progress`.
    pub(super) status: Option<Text<'a>>,
    /// The reason for `incomplete`; see `Incomplete`.
    pub(super) incomplete_details: Option<&'a RawValue>,
    /// The error, for `failed`.
    pub(super) error: Option<&'a RawValue>,
    /// All items, in the final event and in a whole response.
    pub(super) output: Option<Vec<ReceivedItem<'a>>>,
    /// The usage, at the end.
    pub(super) usage: Option<Responses>,
    /// Kept for the caller, as the Messages API has it.
    pub(super) input_transformations: Option<&'a RawValue>,
    /// Kept for the caller in `End::extra`: the comparison with an earlier response.
    pub(super) prompt_cache_diagnostics: Option<&'a RawValue>,
}

/// The reason for which a response is incomplete.
///
/// ```json
/// {"reason": "max_output_tokens"}
/// ```
#[derive(Deserialize)]
pub(super) struct Incomplete<'a> {
    /// Such as `max_output_tokens` or `content_filter`.
    #[serde(borrow)]
    pub(super) reason: Option<Text<'a>>,
}
