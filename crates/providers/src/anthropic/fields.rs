//! The fields that a whole response and a stream have in common.

use aside_messages::wire::{ContentBlock, Thinking};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::read::{Members, Text};
use crate::stream_error::{StreamError, parse};
use crate::usage::ReportedUsage;

/// Reads the `content_block` of a `content_block_start` event. A thinking block without `signature`
/// becomes an empty one.
///
/// # Errors
///
/// The block is malformed: no object, without a type, or with members of other types.
pub(super) fn block(raw: &RawValue) -> Result<ContentBlock, StreamError> {
    match ContentBlock::parse(raw.get().as_bytes()) {
        Ok(parsed) => Ok(parsed.value),
        // The signature arrives in a delta, and some servers do not write an
        // empty one before it.
        Err(_) if is_thinking(raw) => Ok(ContentBlock::Thinking(Thinking::default())),
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

/// Reads a string or `null`.
pub(super) fn optional(json: &str) -> Result<Option<String>, StreamError> {
    parse::<Option<Text<'_>>>(json).map(|text| text.map(Text::into_string))
}

/// Reads a string. Lone surrogates become U+FFFD.
pub(super) fn text(json: &str) -> Result<String, StreamError> {
    parse::<Text<'_>>(json).map(Text::into_string)
}

/// Reads the `usage` of a whole response.
pub(super) fn usage(json: &str) -> Result<ReportedUsage, StreamError> {
    let mut usage = ReportedUsage::default();
    usage.update(json)?;
    Ok(usage)
}

/// Reads the members of an object, in their order.
pub(super) fn members(value: &RawValue) -> Result<Vec<(String, &RawValue)>, StreamError> {
    parse(value.get()).map(|Members(members)| members)
}
