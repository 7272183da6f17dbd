//! Bodies without further facts: one body, a JSON list of bodies, or one body
//! per line. Times and sessions are unknown, and the bytes are the file's.

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::exchange::{Exchange, RecordedBody};

use super::{Fault, not_json};

/// Reads a line, which is a body. Its JSON is checked, but not parsed into a
/// value.
pub(super) fn read(line: &Bytes) -> Result<Exchange, Fault> {
    serde_json::from_slice::<IgnoredAny>(line).map_err(not_json)?;
    Ok(exchange(line.clone()))
}

/// Reads one body over several lines, or a list of bodies.
pub(super) fn document(text: &Bytes) -> Result<Vec<Exchange>, Fault> {
    let text = text.slice_ref(text.trim_ascii());
    if !text.starts_with(b"[") {
        return Ok(vec![read(&text)?]);
    }
    let all: Vec<&RawValue> = serde_json::from_slice(&text).map_err(not_json)?;
    let bodies = all.iter().map(|it| it.get().as_bytes());
    Ok(bodies.map(|it| exchange(text.slice_ref(it))).collect())
}

/// Only the body is known.
fn exchange(body: Bytes) -> Exchange {
    Exchange { request: RecordedBody::Bytes(body), ..Exchange::default() }
}
