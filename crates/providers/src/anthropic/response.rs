use aside_messages::wire::{ContentBlock, Message};
use serde_json::value::RawValue;

use super::stream::{stop_reason, text, usage};
use crate::answer::{Answer, thinking};
use crate::error_body::ErrorBody;
use crate::stream_error::{StreamError, StreamErrorKind};

/// Reads a whole response.
pub(crate) fn answer(body: &[u8]) -> Result<Answer, StreamError> {
    let message = match Message::parse(body) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let json = std::str::from_utf8(body).unwrap_or_default();
            return Err(match ErrorBody::in_json(json) {
                Some(body) => StreamError::new(StreamErrorKind::Provider(body)),
                None => StreamError::malformed(error.to_string()),
            });
        }
    };
    let mut answer = Answer {
        content: message.content,
        ..Answer::default()
    };
    for (key, value) in message.extra.0 {
        match key.as_str() {
            "id" => answer.id = text(&value)?,
            "model" => answer.model = text(&value)?,
            "stop_reason" => answer.stop_reason = stop_reason(&value)?,
            "stop_sequence" if value.get() != "null" => answer.stop_sequence = Some(text(&value)?),
            "usage" => answer.usage = usage(&value)?,
            "type" | "stop_sequence" => {}
            _ => answer.extra.0.push((key, value)),
        }
    }
    Ok(answer)
}

/// Reads the block with which a stream begins one.
pub(super) fn block(raw: &RawValue) -> Result<ContentBlock, StreamError> {
    // The reading of messages knows every block; it reads whole messages.
    let message = format!(r#"{{"role":"assistant","content":[{}]}}"#, raw.get());
    match Message::parse(message.as_bytes()) {
        Ok(parsed) => {
            let block = parsed.value.content.into_iter().next();
            block.ok_or_else(|| StreamError::malformed("expected a content block"))
        }
        // The signature comes in a delta, and not everybody writes an empty one
        // before it.
        Err(_) if is_thinking(raw) => Ok(thinking()),
        Err(error) => Err(StreamError::malformed(error.to_string())),
    }
}

fn is_thinking(raw: &RawValue) -> bool {
    #[derive(serde::Deserialize)]
    struct Tagged<'a> {
        #[serde(borrow, rename = "type")]
        kind: crate::read::Text<'a>,
    }
    serde_json::from_str::<Tagged<'_>>(raw.get()).is_ok_and(|tagged| tagged.kind.0 == "thinking")
}
