//! Whole responses.

use super::stream::Reader;
use crate::answer::{Answer, whole};
use crate::names::Names;
use crate::provider_spec::ResponsesDialect;
use crate::stream_error::StreamError;

/// Reads a complete response, which has the form of the last event of a stream.
///
/// # Errors
///
/// The body is malformed or no response, the response failed or was cancelled, or it has
/// more items or calls than a stream may have.
pub(crate) fn answer(
    body: &[u8],
    dialect: ResponsesDialect,
    names: &Names,
) -> Result<Answer, StreamError> {
    let mut reader = Reader::new(dialect, names.clone());
    whole(body, |json, events| {
        reader.response(json, events)?;
        reader.finish(events)
    })
}
