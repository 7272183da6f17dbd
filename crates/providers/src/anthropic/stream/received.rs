//! The events as a server writes them.
//!
//! Every member is optional here: `Reader` requires those that belong to the type of the
//! event. Values that are kept as they are, or read in a second step, are raw JSON.

use aside_messages::wire::ContentBlock;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::event::Delta;
use crate::read::{Text, delta};

/// The type of the block that is open, as far as it limits the types of deltas.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Accepts `text_delta`.
    Text,
    /// Accepts `thinking_delta` and `signature_delta`.
    Thinking,
    /// A `tool_use` block, which accepts `input_json_delta`.
    Call,
    /// Any other block; the calls of server tools also accept `input_json_delta`.
    Other,
}

impl Kind {
    /// Returns the kind of a block.
    pub(super) fn of(block: &ContentBlock) -> Self {
        match block {
            ContentBlock::Text(_) => Self::Text,
            ContentBlock::Thinking(_) => Self::Thinking,
            ContentBlock::ToolUse(_) => Self::Call,
            _ => Self::Other,
        }
    }
}

/// An event of any type.
///
/// ```json
/// {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
/// {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
/// {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}
/// ```
#[derive(Deserialize)]
pub(super) struct Raw<'a> {
    /// The type of the event; without one, only an `error` is read.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    /// The index of the block, in the events of blocks.
    pub(super) index: Option<usize>,
    /// In `message_start`: the message without content.
    pub(super) message: Option<&'a RawValue>,
    /// In `content_block_start`: the block as it begins.
    pub(super) content_block: Option<&'a RawValue>,
    /// In `content_block_delta` and `message_delta`.
    pub(super) delta: Option<&'a RawValue>,
    /// In `message_delta`: the counts that changed.
    pub(super) usage: Option<&'a RawValue>,
    /// In `message_delta`: the edits of the context that the API applied.
    pub(super) context_management: Option<&'a RawValue>,
    /// In `message_delta`: what the API left out of the input.
    pub(super) input_transformations: Option<&'a RawValue>,
    /// In `error`, and in the bodies of servers that respond with a bare error.
    pub(super) error: Option<&'a RawValue>,
}

/// The delta of a block. Only the member that belongs to its type is used.
#[derive(Deserialize)]
pub(super) struct RawDelta<'a> {
    /// Such as `text_delta`.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    /// In `text_delta`.
    #[serde(borrow, default, deserialize_with = "delta")]
    pub(super) text: Option<Text<'a>>,
    /// In `thinking_delta`.
    #[serde(borrow, default, deserialize_with = "delta")]
    pub(super) thinking: Option<Text<'a>>,
    /// In `signature_delta`.
    pub(super) signature: Option<Text<'a>>,
    /// In `input_json_delta`: a piece of the JSON text of the input.
    #[serde(borrow, default, deserialize_with = "delta")]
    pub(super) partial_json: Option<Text<'a>>,
}

/// The beginning of a delta, as Anthropic writes it.
///
/// An event that begins otherwise, such as one with spaces, is read in the general way.
pub(super) const DELTA: &str = r#"{"type":"content_block_delta""#;

/// A `content_block_delta` in the usual form, which is read in one step.
#[derive(Deserialize)]
pub(super) struct KnownDelta<'a> {
    /// The index of the open block.
    pub(super) index: usize,
    /// The delta, of any type.
    #[serde(borrow)]
    pub(super) delta: RawDelta<'a>,
}

/// The relation of a delta to the block that is open.
pub(super) enum Piece {
    /// A delta of the block's type; it may be empty.
    Fits(Delta),
    /// A delta of the type of another block.
    Misfits,
    /// A delta of a type that is not known here, such as `citations_delta`.
    Unknown,
}

impl Piece {
    /// Assigns the delta to the block. A delta of a known type without its member counts
    /// as empty.
    pub(super) fn of(delta: RawDelta<'_>, kind: Kind) -> Self {
        let (make, piece): (fn(String) -> Delta, _) = match (&*delta.kind.0, kind) {
            ("text_delta", Kind::Text) => (Delta::Text, delta.text),
            ("thinking_delta", Kind::Thinking) => (Delta::Thinking, delta.thinking),
            ("signature_delta", Kind::Thinking) => (Delta::Signature, delta.signature),
            ("input_json_delta", Kind::Call | Kind::Other) => {
                (Delta::InputJson, delta.partial_json)
            }
            ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta", _) => {
                return Self::Misfits;
            }
            _ => return Self::Unknown,
        };
        Self::Fits(make(piece.map(Text::into_string).unwrap_or_default()))
    }
}
