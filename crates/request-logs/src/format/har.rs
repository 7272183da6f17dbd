//! HAR 1.2, as browsers and proxies export it.
//!
//! Source: the HAR 1.2 specification. `postData.text` is the body; browsers
//! leave it out for binary requests, and proxies write base64. Base64 may hold the
//! compressed bytes that went over the line.
//!
//! ```json
//! {"log": {"entries": [{
//!   "startedDateTime": "2026-11-22T00:00:00.000Z", "time": 1500,
//!   "request": {"url": "https://…", "headers": [{"name": "A", "value": "b"}],
//!               "postData": {"text": "{\"model\":…}"}},
//!   "response": {"status": 200, "content": {"text": "…", "encoding": "base64"}}
//! }]}}
//! ```

use serde_json::Value;

use crate::answer;
use crate::exchange::{Exchange, NO_RESPONSE, RecordedBody};
use crate::guess::{Format, is_batch};
use crate::json::{at, headers, list, text};
use crate::time::milliseconds;

use super::encoded::{base64, plain_or_base64};
use super::{Fault, no_entry};

/// Reads all entries in a HAR log, in order. Entries that are no requests to a
/// model, such as a browser's page loads, are skipped, but counted in exchange
/// numbers.
pub(super) fn read(value: &Value) -> Result<Vec<Exchange>, Fault> {
    if at(value, &["log", "entries"]).is_none() {
        return Err(no_entry("log.entries"));
    }
    let entries = list(value, &["log", "entries"])
        .iter()
        .enumerate()
        .filter_map(|(index, it)| entry(it, index + 1));
    Ok(entries.collect())
}

/// Reads an entry; `None` if it is no request to a model.
///
/// `time` is how long the exchange took, in milliseconds.
fn entry(entry: &Value, number: usize) -> Option<Exchange> {
    let body = text(entry, &["request", "postData", "text"])?;
    let is_batch = is_batch(&body);
    let body = plain_or_base64(body);
    let value = || serde_json::from_slice(&body).ok();
    if !is_batch && Format::of_value(&value()?) != Some(Format::Bodies) {
        return None;
    }
    let status = at(entry, &["response", "status"]).and_then(Value::as_u64);
    let mut exchange = Exchange {
        line: number,
        duration: at(entry, &["time"]).and_then(Value::as_f64).and_then(milliseconds),
        headers: headers(at(entry, &["request", "headers"])),
        request: RecordedBody::Bytes(body.into()),
        // A request that was blocked or broken off has status 0.
        error: (status == Some(0)).then(|| NO_RESPONSE.to_owned()),
        status: status.and_then(|it| u16::try_from(it).ok()),
        ..Exchange::sent(at(entry, &["startedDateTime"])).to(text(entry, &["request", "url"]))
    };
    let content = text(entry, &["response", "content", "text"]).unwrap_or_default();
    let encoding = text(entry, &["response", "content", "encoding"]);
    let content = match encoding.as_deref() {
        Some("base64") => base64(&content),
        _ => content.into_bytes(),
    };
    answer::add_text(&mut exchange, &content);
    Some(exchange)
}
