//! Bodies without further facts.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::exchange::{Exchange, RecordedBody};

use super::{Fault, not_json};

/// Reads a line, which is a body.
pub(super) fn read(line: &[u8]) -> Result<Exchange, Fault> {
    serde_json::from_slice::<IgnoredAny>(line).map_err(not_json)?;
    Ok(exchange(line.to_vec()))
}

/// Reads one body of several lines, or a list of bodies.
pub(super) fn document(text: &[u8]) -> Result<Vec<Exchange>, Fault> {
    let text = text.trim_ascii();
    if !text.starts_with(b"[") {
        return Ok(vec![read(text)?]);
    }
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let all = Vec::<Box<RawValue>>::deserialize(&mut deserializer).map_err(not_json)?;
    let bodies = all.into_iter();
    Ok(bodies
        .map(|it| exchange(it.get().as_bytes().to_vec()))
        .collect())
}

fn exchange(body: Vec<u8>) -> Exchange {
    Exchange {
        request: RecordedBody::Bytes(body),
        ..Exchange::default()
    }
}
