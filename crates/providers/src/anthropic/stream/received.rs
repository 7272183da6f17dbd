//! The events as a server writes them.

use aside_messages::wire::ContentBlock;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::event::Delta;
use crate::read::Text;

/// The type of the block that is open.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Thinking,
    Call,
    Other,
}

impl Kind {
    pub(super) fn of(block: &ContentBlock) -> Self {
        match block {
            ContentBlock::Text(_) => Self::Text,
            ContentBlock::Thinking(_) => Self::Thinking,
            ContentBlock::ToolUse(_) => Self::Call,
            _ => Self::Other,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Raw<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(default)]
    pub(super) index: Option<usize>,
    #[serde(borrow, default)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) context_management: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct RawDelta<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) signature: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) partial_json: Option<Text<'a>>,
}

/// The beginning of a delta, as Anthropic writes it.
pub(super) const DELTA: &str = r#"{"type":"content_block_delta""#;

#[derive(Deserialize)]
pub(super) struct KnownDelta<'a> {
    pub(super) index: usize,
    #[serde(borrow)]
    pub(super) delta: RawDelta<'a>,
}

/// The kind of a delta of the open block.
pub(super) enum Piece {
    /// Of its type.
    Fits(Delta),
    /// Of another block's.
    Misfits,
    /// Of a type that is not known here.
    Unknown,
}

impl Piece {
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
