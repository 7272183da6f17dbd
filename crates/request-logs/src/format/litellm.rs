//! LiteLLM's `StandardLoggingPayload`.
//!
//! The payload holds messages in Chat Completions form, whatever the provider gets, so the bytes
//! are never the request's.
//!
//! ```json
//! {"id": "chatcmpl-1", "trace_id": "t", "call_type": "acompletion", "model": "gpt-4o",
//!  "custom_llm_provider": "openai", "messages": […], "model_parameters": {"temperature": 0},
//!  "response": {…, "usage": {…}}, "prompt_tokens": 100, "completion_tokens": 5,
//!  "startTime": 1795305600.5, "endTime": 1795305602.5, "status": "success"}
//! ```

use aside_models::usage::Billed;
use serde_json::{Map, Value};

use crate::answer;
use crate::exchange::{Exchange, RecordedBody};
use crate::json::text;
use crate::time;

use super::{Fault, no_entry};

/// Reads a payload. Its body is put together from `model`, `model_parameters` and `messages`, and
/// the session is `trace_id`. There is no HTTP status: `failure` is read as 500, any other status
/// as unknown. What LiteLLM's own cache answered was no request.
pub(super) fn read(value: &Value) -> Result<Vec<Exchange>, Fault> {
    if value.get("cache_hit") == Some(&Value::Bool(true)) {
        return Ok(Vec::new());
    }
    let messages = value.get("messages").ok_or_else(|| no_entry("messages"))?;
    let mut body = Map::new();
    body.insert("model".to_owned(), value.get("model").cloned().unwrap_or_default());
    if let Some(Value::Object(parameters)) = value.get("model_parameters") {
        body.extend(parameters.clone());
    }
    body.insert("messages".to_owned(), messages.clone());
    let body = serde_json::to_vec(&body).map_err(super::not_json)?;
    let sent = Exchange::sent(value.get("startTime"));
    let end = value.get("endTime").and_then(time::read);
    let mut exchange = Exchange {
        session: text(value, &["trace_id"]),
        id: text(value, &["id"]),
        duration: end.zip(sent.at).map(|(end, start)| end.saturating_sub(start)),
        provider: text(value, &["custom_llm_provider"]),
        model: text(value, &["model"]),
        request: RecordedBody::Reserialized(body.into()),
        status: match text(value, &["status"]).as_deref() {
            Some("failure") => Some(500),
            _ => None,
        },
        ..sent
    };
    answer::add(&mut exchange, value.get("response"));
    // The payload has its own figures, in Chat Completions form.
    exchange.bill(Billed::from_any_vendor(value));
    exchange.id = text(value, &["id"]);
    Ok(vec![exchange])
}
