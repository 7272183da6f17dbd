//! The fields that a whole response and a stream have in common.

use aside_messages::wire::{ContentBlock, Message, RawJson};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::thinking;
use crate::read::{Members, Text};
use crate::stop_reason::StopReason;
use crate::stream_error::{StreamError, parse};
use crate::usage::ReportedUsage;

/// Reads the `content_block` of a `content_block_start` event.
///
/// The code that reads messages knows every type of block, so the block is read as the
/// content of a message. A thinking block without `signature`, which that code refuses,
/// becomes an empty one.
///
/// # Errors
///
/// The block is malformed: no object, without a type, or with members of other types.
pub(super) fn block(raw: &RawValue) -> Result<ContentBlock, StreamError> {
    // The parser of messages knows every block, and accepts only whole messages.
    let message = format!(r#"{{"role":"assistant","content":[{}]}}"#, raw.get());
    match Message::parse(message.as_bytes()) {
        Ok(parsed) => {
            let block = parsed.value.content.into_iter().next();
            block.ok_or_else(|| StreamError::malformed("expected a content block"))
        }
        // The signature arrives in a delta, and some servers do not write an
        // empty one before it.
        Err(_) if is_thinking(raw) => Ok(thinking()),
        Err(error) => Err(StreamError::malformed(error.to_string())),
    }
}

/// Returns true for an object whose `type` is `thinking`.
fn is_thinking(raw: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Tagged<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
    }
    serde_json::from_str::<Tagged<'_>>(raw.get()).is_ok_and(|tagged| tagged.kind.0 == "thinking")
}

/// Reads a stop reason; `null` is none. A name that is not known here becomes
/// `StopReason::Other`.
pub(super) fn stop_reason(value: &RawJson) -> Result<Option<StopReason>, StreamError> {
    match value.get() {
        "null" => Ok(None),
        _ => Ok(Some(text(value)?.into())),
    }
}

/// Reads a string. Lone surrogates become U+FFFD.
pub(super) fn text(value: &RawJson) -> Result<String, StreamError> {
    parse::<Text<'_>>(value.get()).map(Text::into_string)
}

/// Reads the `usage` of a whole response.
pub(super) fn usage(value: &RawJson) -> Result<ReportedUsage, StreamError> {
    let mut usage = ReportedUsage::default();
    usage.update(value.get())?;
    Ok(usage)
}

/// Reads the members of an object, in their order.
pub(super) fn members(value: &RawValue) -> Result<Vec<(String, RawJson)>, StreamError> {
    parse(value.get()).map(|Members(members)| members)
}
