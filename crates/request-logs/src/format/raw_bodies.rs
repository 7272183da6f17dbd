//! A directory of raw bodies: `index.jsonl`, `<uuid>.request.json`,
//! `<request_id>.response.json`. The caller reads the files.
//!
//! This crate opens no file, so a caller reads the index line by line, opens
//! the two files that an entry names, and completes the exchange.

use aside_body::response::Facts;
use bytes::Bytes;
use serde_json::Value;

use crate::answer;
use crate::error::{LogError, LogErrorKind};
use crate::exchange::{Exchange, RecordedBody};
use crate::json::text;
use crate::time;

/// A line of the index: the exchange without its body, and the names of the
/// files.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RawBodyEntry {
    /// The exchange, with the facts of the index.
    pub exchange: Exchange,
    /// The file with the request.
    pub request_file: String,
    /// The file with the response.
    pub response_file: Option<String>,
}

/// Reads a line of `index.jsonl`.
///
/// # Errors
///
/// The line is not JSON, or names no file.
pub fn raw_body_index(line: &[u8], number: usize) -> Result<RawBodyEntry, LogError> {
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| LogError::new(LogErrorKind::NotJson, number, error))?;
    let file = text(&value, &["request_file"]);
    let request_file =
        file.ok_or_else(|| LogError::new(LogErrorKind::NotAnEntry, number, "no request_file"))?;
    // Requests of one session for other purposes, such as titles, are
    // conversations of their own.
    let session = text(&value, &["session_id"]);
    let source = text(&value, &["query_source"]);
    let session = session.map(|it| match source {
        Some(source) => format!("{it}/{source}"),
        None => it,
    });
    Ok(RawBodyEntry {
        exchange: Exchange {
            line: number,
            session,
            id: text(&value, &["message_id"]).or(text(&value, &["request_id"])),
            at: value.get("timestamp").and_then(time::read),
            model: text(&value, &["model"]),
            ..Exchange::default()
        },
        request_file,
        response_file: text(&value, &["response_file"]),
    })
}

/// Completes an exchange with its files. The parameters were serialized again
/// and thinking was removed when they were written.
#[must_use]
pub fn raw_body_exchange(entry: RawBodyEntry, request: Bytes, response: Option<&str>) -> Exchange {
    let mut exchange = entry.exchange;
    exchange.request = RecordedBody::Reserialized(request);
    if let Some(response) = response {
        let mut facts = Facts::default();
        facts.add_text(response.as_bytes());
        answer::add_facts(&mut exchange, facts);
    }
    exchange
}
