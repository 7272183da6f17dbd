//! YAML recordings: VCR cassettes, as a list of interactions or as one list of
//! requests and one of responses, and `when` / `then` pairs from HTTP mocks.
//!
//! Recorders keep a body as a string, as base64 or as a parsed value. Only the
//! first two have the bytes that were sent.
//!
//! ```text
//! interactions:
//! - request: {uri: https://…, headers: {…}, body: '{"model":…}'}    # or parsed_body: {…}
//!   response: {status: {code: 200}, body: {string: '{"usage":…}'}}
//! ---
//! requests: [{…}]
//! responses: [{…}]        # by position; may be shorter
//! ---
//! when: {path: /v1/messages, body: '{…}'}
//! then: {status: 200, body: '{…}'}
//! ```

use bytes::Bytes;
use serde_json::Value;

use crate::answer;
use crate::error::LogErrorKind;
use crate::exchange::{Exchange, RecordedBody};
use crate::guess::is_batch;
use crate::json::{at, headers, list, text};

use super::encoded::{GZIP_BASE64, base64, plain_or_base64};
use super::{Fault, no_entry};

/// Reads all documents in a YAML stream. A document that is no recording is
/// skipped.
///
/// Exchanges are numbered over the pairs in all documents, from 1. A text that
/// is not UTF-8, is not YAML, or has no pair at all is no entry.
pub(super) fn read(text: &[u8]) -> Result<Vec<Exchange>, Fault> {
    let text =
        std::str::from_utf8(text).map_err(|error| (LogErrorKind::NotAnEntry, error.to_string()))?;
    let mut all = Vec::new();
    for document in documents(text) {
        let value: Value = aside_user_files::yaml(&document)
            .map_err(|error| (LogErrorKind::NotAnEntry, error.to_string()))?;
        all.extend(of_document(&value));
    }
    if all.is_empty() {
        return Err(no_entry("interactions, and no pair of when and then"));
    }
    for (index, exchange) in all.iter_mut().enumerate() {
        exchange.line = index + 1;
    }
    Ok(all)
}

/// Splits a YAML stream into documents at `---` lines. `!!binary` tags are
/// removed, so that their values are read as base64 strings.
fn documents(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            all.push(String::new());
        } else if let Some(last) = all.last_mut() {
            last.push_str(&line.replacen(": !!binary ", ": ", 1));
        }
    }
    all.retain(|it| !it.trim().is_empty());
    all
}

/// Reads a document's pairs, in any of the three shapes.
fn of_document(value: &Value) -> Vec<Exchange> {
    let requests = list(value, &["requests"]).iter();
    let responses = list(value, &["responses"]).iter().map(Some).chain(std::iter::repeat(None));
    let apart =
        requests.zip(responses).filter_map(|(request, response)| exchange(request, response));
    let interactions = list(value, &["interactions"]).iter();
    let pairs = match value {
        Value::Array(list) => list.as_slice(),
        other => std::slice::from_ref(other),
    };
    let pairs = pairs.iter().filter(|it| it.get("when").is_some());
    let interactions = interactions.filter_map(|it| {
        let mut read = exchange(it.get("request")?, it.get("response"))?;
        let sent = Exchange::sent(it.get("recorded_at"));
        (read.at, read.unread_time) = (sent.at, sent.unread_time);
        Some(read)
    });
    let pairs = pairs.filter_map(|it| exchange(it.get("when")?, it.get("then")));
    interactions.chain(apart).chain(pairs).collect()
}

/// Reads a pair; `None` if the request has no JSON body.
///
/// `sent` names its address `uri`, `url` or `path`. In `response`, the status
/// is a number or an object with `code`, and the body is the first of
/// `parsed_body`, `body.string` and `body`.
fn exchange(sent: &Value, response: Option<&Value>) -> Option<Exchange> {
    let request = body(sent)?;
    let uri = text(sent, &["uri"]).or(text(sent, &["url"])).or(text(sent, &["path"]));
    let status = response.and_then(|it| {
        let status = at(it, &["status", "code"]).or(it.get("status"));
        status.and_then(Value::as_u64)
    });
    let mut exchange = Exchange {
        headers: headers(sent.get("headers")),
        status: status.and_then(|it| u16::try_from(it).ok()),
        request,
        ..Exchange::default().to(uri)
    };
    let body = response.and_then(|it| {
        let parsed = it.get("parsed_body").or(at(it, &["body", "string"]));
        parsed.or(it.get("body"))
    });
    match body {
        Some(Value::String(text)) if text.starts_with(GZIP_BASE64) => {
            answer::add_text(&mut exchange, &base64(text));
        }
        _ => answer::add(&mut exchange, body),
    }
    Some(exchange)
}

/// Returns a request's body: the exact bytes when the recorder kept JSON or
/// base64 as a string, serialized again when it parsed them. `None` without a
/// body, or when the string is neither a JSON object nor a batch.
fn body(request: &Value) -> Option<RecordedBody> {
    let json = |it: &Value| serde_json::to_vec(it).ok().map(Bytes::from);
    if let Some(parsed) = request.get("parsed_body") {
        return json(parsed).map(RecordedBody::Reserialized);
    }
    match request.get("body")? {
        Value::String(text) => {
            let bytes = plain_or_base64(text.clone());
            let is_body = bytes.starts_with(b"{") || is_batch(text);
            is_body.then(|| RecordedBody::Bytes(bytes.into()))
        }
        Value::Object(map) => match map.get("string").or(map.get("json")) {
            Some(Value::String(text)) => Some(RecordedBody::Bytes(text.clone().into())),
            Some(other) => json(other).map(RecordedBody::Reserialized),
            None => json(&Value::Object(map.clone())).map(RecordedBody::Reserialized),
        },
        _ => None,
    }
}
