//! Whole responses of `generateContent`.

use super::stream::Reader;
use crate::answer::{Answer, whole};
use crate::names::Names;
use crate::stream_error::StreamError;

/// Reads a whole response, which has the form of a chunk.
///
/// # Errors
///
/// The body is malformed, is an error of the provider, or has no reason for its end.
pub(crate) fn answer(body: &[u8], names: &Names) -> Result<Answer, StreamError> {
    let mut reader = Reader::new(names.clone());
    whole(body, |json, events| {
        reader.event(json, events)?;
        reader.finish(events)
    })
}
