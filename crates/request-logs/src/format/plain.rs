//! The plain form, which Aside writes itself.
//!
//! One JSON line for each request; `body` is the only key needed. If your
//! program keeps its own log, write this form. Where other names are usual,
//! these are read, too: `request` for the body, `timestamp` or `time` for `t`.
//!
//! ```text
//! {"t":1764028800.5,"provider":"anthropic","session":"s1","body":{…},"usage":{…}}
//! {"timestamp":"2026-11-22T00:00:00Z","request":{…},"response":{…}}
//! ```

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer;
use crate::exchange::{Exchange, NO_RESPONSE, RecordedBody};
use crate::json::headers;
use crate::time::{self, milliseconds};

use super::{Fault, no_entry, not_json};

/// An entry. Unlisted keys are ignored, and all but `body` are optional.
///
/// Only the bodies and `provider` borrow from the line: a body may be megabytes
/// long.
#[derive(Deserialize)]
struct Line<'a> {
    /// The request body as JSON, or as text in a string; `params` in Anthropic's batches.
    #[serde(borrow, alias = "params")]
    body: Option<&'a RawValue>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    /// When it was sent: seconds, milliseconds or RFC 3339.
    t: Option<Value>,
    timestamp: Option<Value>,
    time: Option<Value>,
    #[serde(borrow)]
    provider: Option<Cow<'a, str>>,
    model: Option<String>,
    /// The platform; comes before `provider` when both are set.
    platform: Option<String>,
    session: Option<String>,
    id: Option<String>,
    /// The id of the request before it in its conversation.
    prev: Option<String>,
    workspace: Option<String>,
    /// Request headers: an object, or a list of `{name, value}`.
    headers: Option<Value>,
    url: Option<Value>,
    /// Its path and query, when there is no address.
    path: Option<Value>,
    /// Any vendor's usage object. It comes before the usage in `response`.
    usage: Option<Value>,
    status: Option<u16>,
    /// A failure's message.
    error: Option<Value>,
    /// False if the response broke off.
    complete: Option<Value>,
    /// Milliseconds until the response began.
    latency_ms: Option<f64>,
    /// Milliseconds until the response ended.
    duration_ms: Option<f64>,
    /// A complete response, a list of events, or a stream's text.
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

/// Reads a line. The body is kept byte for byte; if it is a string, the
/// string's text is the body.
pub(super) fn read(bytes: &Bytes) -> Result<Exchange, Fault> {
    let line: Line<'_> = serde_json::from_slice(bytes).map_err(fault)?;
    let body = line.body.or(line.request).ok_or_else(|| no_entry("body"))?;
    let body = self::body(bytes, body)?;
    // A request without a body, such as a list of models.
    let request = if body.is_empty() { RecordedBody::Missing } else { RecordedBody::Bytes(body) };
    let url = line.url.or(line.path).as_ref().and_then(string);
    let is_unanswered = line.complete == Some(Value::Bool(false)) && line.status.is_none();
    let times = [&line.t, &line.timestamp, &line.time];
    let is_read = |it: &&Value| time::read(it).is_some();
    let time = times.into_iter().flatten().find(is_read).or(times.into_iter().flatten().next());
    let sent = Exchange::sent(time).to(url);
    let mut exchange = Exchange {
        session: line.session,
        id: line.id,
        previous: line.prev,
        workspace: line.workspace,
        latency: line.latency_ms.and_then(milliseconds),
        duration: line.duration_ms.and_then(milliseconds),
        provider: line.platform.or(line.provider.map(Cow::into_owned)).or(sent.provider),
        model: line.model.or(sent.model),
        headers: headers(line.headers.as_ref()),
        request,
        status: line.status,
        error: line
            .error
            .as_ref()
            .and_then(string)
            .or_else(|| is_unanswered.then(|| NO_RESPONSE.to_owned())),
        ..sent
    };
    exchange.bill_usage(line.usage.as_ref());
    if let Some(response) = line.response {
        answer::add_text(&mut exchange, response.get().as_bytes());
    }
    Ok(exchange)
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// If the body is a string, the string's text is the body.
pub(super) fn body(line: &Bytes, body: &RawValue) -> Result<Bytes, Fault> {
    let raw = body.get();
    if raw.starts_with('"') {
        let text: String = serde_json::from_str(raw).map_err(not_json)?;
        return Ok(text.into());
    }
    Ok(RecordedBody::part(line, raw.as_bytes()))
}

/// JSON without a body is no entry.
fn fault(error: serde_json::Error) -> Fault {
    if error.is_data() {
        return (crate::error::LogErrorKind::NotAnEntry, error.to_string());
    }
    not_json(error)
}
