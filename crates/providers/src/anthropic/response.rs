//! Whole responses of the Messages API.

use aside_messages::wire::Message;

use super::fields::{optional, text, usage};
use crate::message::Answer;
use crate::stream_error::StreamError;

/// Reads a whole response.
///
/// The content is read as that of any message. Keys that are not known here are kept in
/// `Answer::extra`, in their order; `null` as `stop_sequence` and a missing one are the
/// same.
///
/// # Errors
///
/// The body is an error of the provider (`{"type":"error","error":{…}}`), which is
/// returned as such, or it is no message, or a known key has a value of another type.
pub(crate) fn answer(body: &[u8]) -> Result<Answer, StreamError> {
    let message = Message::parse(body).map_err(|error| {
        let json = std::str::from_utf8(body).unwrap_or_default();
        StreamError::in_place_of(error.to_string(), json)
    })?;
    let message = message.value;
    let mut answer = Answer { content: message.content, ..Answer::default() };
    for (key, value) in message.extra.0 {
        match key.as_str() {
            "id" => answer.id = text(value.get())?,
            "model" => answer.model = text(value.get())?,
            "stop_reason" => answer.stop_reason = optional(value.get())?.map(Into::into),
            "stop_sequence" => answer.stop_sequence = optional(value.get())?,
            "usage" => answer.usage = usage(value.get())?,
            "type" => {}
            _ => answer.extra.0.push((key, value)),
        }
    }
    Ok(answer)
}
