//! The events that hold a piece of an item.
//!
//! ```json
//! {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"}
//! {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hi, all"}
//! ```
//!
//! A `delta` event has a piece, a `done` event the whole part. Both are read, since some
//! servers leave out one of them.

use super::received::Raw;
use crate::read::filled;
use crate::responses::output::{PartKind, Piece};

/// Returns the piece of an item that an event holds; `None` for an event of another type,
/// and for a part of a type that is not known here.
pub(super) fn piece<'a>(kind: &str, raw: &'a Raw<'_>) -> Option<Piece<'a>> {
    let content = raw.content_index.unwrap_or(0);
    let summary = raw.summary_index.unwrap_or(0);
    let (kind, part, text, is_whole) = match kind {
        "response.output_text.delta" => (PartKind::Text, content, &raw.delta, false),
        "response.output_text.done" => (PartKind::Text, content, &raw.text, true),
        "response.refusal.delta" => (PartKind::Refusal, content, &raw.delta, false),
        "response.refusal.done" => (PartKind::Refusal, content, &raw.refusal, true),
        "response.function_call_arguments.delta" => (PartKind::Arguments, 0, &raw.delta, false),
        "response.function_call_arguments.done" => (PartKind::Arguments, 0, &raw.arguments, true),
        "response.custom_tool_call_input.delta" => (PartKind::Input, 0, &raw.delta, false),
        "response.custom_tool_call_input.done" => (PartKind::Input, 0, &raw.input, true),
        "response.reasoning_summary_text.delta" => (PartKind::Summary, summary, &raw.delta, false),
        "response.reasoning_summary_text.done" => (PartKind::Summary, summary, &raw.text, true),
        "response.reasoning_summary_part.done" => {
            let part = raw.part.as_ref()?;
            (PartKind::Summary, summary, &part.text, true)
        }
        "response.reasoning_text.delta" => (PartKind::Reasoning, content, &raw.delta, false),
        "response.reasoning_text.done" => (PartKind::Reasoning, content, &raw.text, true),
        "response.content_part.done" => {
            let part = raw.part.as_ref()?;
            match filled(&part.kind)? {
                "refusal" => (PartKind::Refusal, content, &part.refusal, true),
                "reasoning_text" => (PartKind::Reasoning, content, &part.text, true),
                "output_text" => (PartKind::Text, content, &part.text, true),
                _ => return None,
            }
        }
        _ => return None,
    };
    let text = filled(text).unwrap_or_default();
    Some(Piece { kind, part, text, is_whole })
}
