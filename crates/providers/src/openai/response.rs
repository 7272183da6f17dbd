//! Whole completions.

use super::stream::Reader;
use crate::answer::{Answer, whole};
use crate::names::Names;
use crate::provider_spec::ChatDialect;
use crate::stream_error::StreamError;

/// Reads a whole response, as a stream of one chunk: a choice has `message` in place of
/// `delta`.
///
/// # Errors
///
/// The body is no completion, reports an error, or has no `finish_reason`.
pub(crate) fn answer(
    body: &[u8],
    dialect: ChatDialect,
    names: &Names,
) -> Result<Answer, StreamError> {
    let mut reader = Reader::new(dialect, names.clone());
    whole(body, |json, events| {
        reader.event(json, events)?;
        reader.finish(events)
    })
}
