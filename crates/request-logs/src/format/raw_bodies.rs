//! A directory with raw bodies: `index.jsonl`, `<uuid>.request.json`,
//! `<request_id>.response.json`. You read the files.
//!
//! This crate opens no file: read the index line by line, open the two files
//! that an entry names, and complete the exchange.

use bytes::Bytes;
use serde_json::Value;

use crate::answer;
use crate::error::{LogError, LogErrorKind};
use crate::exchange::{Exchange, RecordedBody};
use crate::json::text;

/// A line in the index: the exchange without its body, and file names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RawBodyEntry {
    /// The exchange, with what the index says.
    pub exchange: Exchange,
    /// The file that holds the request.
    pub request_file: String,
    /// The file that holds the response.
    pub response_file: Option<String>,
}

/// Reads a line from `index.jsonl`.
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
    // A session's requests for other purposes, such as titles, are
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
            model: text(&value, &["model"]),
            ..Exchange::sent(value.get("timestamp"))
        },
        request_file,
        response_file: text(&value, &["response_file"]),
    })
}

/// Completes an exchange with its files. When these were written, parameters
/// were serialized again and thinking was removed.
#[must_use]
pub fn raw_body_exchange(entry: RawBodyEntry, request: Bytes, response: Option<&str>) -> Exchange {
    let mut exchange = entry.exchange;
    exchange.request = RecordedBody::Reserialized(request);
    if let Some(response) = response {
        answer::add_text(&mut exchange, response.as_bytes());
    }
    exchange
}
