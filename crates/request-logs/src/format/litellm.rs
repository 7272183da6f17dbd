//! `StandardLoggingPayload` of LiteLLM.
//!
//! The payload holds the messages in the form of Chat Completions, whatever the
//! provider gets, so the bytes are never those of the request.
//!
//! ```json
//! {"id": "chatcmpl-1", "trace_id": "t", "call_type": "acompletion", "model": "gpt-4o",
//!  "custom_llm_provider": "openai", "messages": […], "model_parameters": {"temperature": 0},
//!  "response": {…, "usage": {…}}, "prompt_tokens": 100, "completion_tokens": 5,
//!  "startTime": 1795305600.5, "endTime": 1795305602.5, "status": "success"}
//! ```

use serde_json::{Map, Value};

use crate::answer::AnswerReader;
use crate::exchange::{Exchange, RecordedBody};
use crate::json::{at, text};
use crate::time;

use super::{Fault, no_entry};

/// Reads a payload. Its body is put together from `model`, `model_parameters`
/// and `messages`, and the session is `trace_id`. A payload has no HTTP status:
/// the status `failure` is read as 500, any other as unknown.
pub(super) fn read(value: &Value) -> Result<Exchange, Fault> {
    let messages = value.get("messages").ok_or_else(|| no_entry("messages"))?;
    let mut body = Map::new();
    body.insert(
        "model".to_owned(),
        value.get("model").cloned().unwrap_or_default(),
    );
    if let Some(Value::Object(parameters)) = value.get("model_parameters") {
        body.extend(parameters.clone());
    }
    body.insert("messages".to_owned(), messages.clone());
    let body = serde_json::to_vec(&body).map_err(super::not_json)?;
    let start = value.get("startTime").and_then(time::read);
    let end = value.get("endTime").and_then(time::read);
    let mut exchange = Exchange {
        session: text(value, &["trace_id"]),
        id: text(value, &["id"]),
        at: start,
        duration: end.zip(start).map(|(end, start)| end.saturating_sub(start)),
        provider: text(value, &["custom_llm_provider"]),
        model: text(value, &["model"]),
        request: RecordedBody::Reserialized(body.into()),
        status: match text(value, &["status"]).as_deref() {
            Some("failure") => Some(500),
            _ => None,
        },
        ..Exchange::default()
    };
    let mut answer = AnswerReader::new();
    if let Some(response) = value.get("response") {
        answer.add(response);
    }
    // The figures of the payload itself include cached tokens.
    if at(value, &["response", "usage"]).is_none()
        && let Some(prompt) = value.get("prompt_tokens")
    {
        let output = value.get("completion_tokens").cloned().unwrap_or_default();
        answer.add(
            &serde_json::json!({"usage": {"prompt_tokens": prompt, "completion_tokens": output}}),
        );
    }
    answer.finish(&mut exchange);
    exchange.id = text(value, &["id"]);
    Ok(exchange)
}
