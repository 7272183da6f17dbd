//! Logs from recording proxies, in two shapes: `{request{timestamp, method,
//! url, headers, body}, response{timestamp, status_code, headers, body?,
//! body_raw?, events?}}` and `{timestamp, request_id, turn, duration_ms,
//! request{method, path, headers, body}, response{status, headers, body,
//! sse_events?}}`.
//!
//! The first shape says when request and response began, the second when the
//! response ended. A response is a parsed `body`, a stream's text (`body_raw`),
//! or a list of events; whatever is present is read.

use aside_body::response::Facts;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer;
use crate::exchange::{Exchange, RecordedBody};
use crate::json::{at, headers, text};
use crate::time::{self, milliseconds};

use super::{Fault, no_entry, not_json, plain};

/// The parts of an entry that are read as bytes.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    request: Request<'a>,
    response: Option<&'a RawValue>,
}

/// An entry's request, whose body is all that matters here.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

/// The parts of a response that have facts.
#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    events: Option<&'a RawValue>,
    sse_events: Option<&'a RawValue>,
}

/// Reads an entry in either shape.
///
/// `value` is the same entry, parsed. The session is the header
/// `x-claude-code-session-id`, else `x-session-id`. Fails without
/// `request.body`.
pub(super) fn read(line: &Bytes, value: &Value) -> Result<Exchange, Fault> {
    let raw: Line<'_> = serde_json::from_slice(line).map_err(not_json)?;
    let body = raw.request.body.ok_or_else(|| no_entry("request.body"))?;
    let body = plain::body(line, body)?;
    let headers = headers(at(value, &["request", "headers"]));
    let duration = at(value, &["duration_ms"]).and_then(Value::as_f64).and_then(milliseconds);
    let mut sent = Exchange::sent(at(value, &["request", "timestamp"]));
    let begun = sent.at;
    let answered = at(value, &["response", "timestamp"]).and_then(time::read);
    if begun.is_none() {
        // In the second shape, this is when the response ended.
        let ended = Exchange::sent(at(value, &["timestamp"]));
        sent.at = ended.at.map(|it| it.saturating_sub(duration.unwrap_or_default()));
        sent.unread_time = sent.unread_time.or(ended.unread_time);
    }
    let header = |name: &str| headers.iter().find(|it| it.0 == name).map(|it| it.1.clone());
    let url = text(value, &["request", "url"]).or(text(value, &["request", "path"]));
    let status = at(value, &["response", "status_code"]).or(at(value, &["response", "status"]));
    let mut exchange = Exchange {
        session: header("x-claude-code-session-id").or(header("x-session-id")),
        id: text(value, &["request_id"]),
        duration: duration.or(answered.zip(begun).map(|(end, start)| end.saturating_sub(start))),
        request: RecordedBody::Bytes(body),
        status: status.and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok()),
        headers,
        ..sent.to(url)
    };
    let response = raw.response.map(|it| serde_json::from_str(it.get()));
    let it: Response<'_> = response.and_then(Result::ok).unwrap_or_default();
    let stream = at(value, &["response", "body_raw"]).and_then(Value::as_str);
    let parts = [it.body, it.events, it.sse_events];
    let mut facts = Facts::default();
    for part in parts.iter().flatten().map(|it| it.get()).chain(stream) {
        facts.add_text(part.as_bytes());
    }
    answer::add_facts(&mut exchange, facts);
    Ok(exchange)
}
