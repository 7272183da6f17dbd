//! Server-sent events, as the wires use them.
//!
//! To get an event's data, its `data` lines are joined; an empty line ends the event:
//!
//! ```text
//! event: message_stop
//! data: {"type":"message_stop"}
//!
//! ```
//!
//! Lines may end with LF, CR or CRLF, and a byte order mark at the start is skipped. Bytes arrive
//! in chunks, whatever their size. When a chunk has a whole line, this reads it without a copy.

use memchr::memchr2;

use crate::error_body::ErrorBody;
use crate::fault_line::fault_line;
use crate::stream_error::{MAX_LINE_BYTES, StreamError, StreamErrorKind};

/// The maximum number of bytes outside fields to keep: they may be a plain JSON error instead of
/// events.
const MAX_STRAY_BYTES: usize = 64 << 10;

/// A larger buffer is not kept for the next line.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// An event's `data` lines.
#[derive(Clone, Copy, Debug, Default)]
struct DataLines {
    /// How many `data` lines the event has so far.
    count: u64,
    /// The first one's line number in the stream, from 1.
    first: u64,
    /// The last one's line number; other fields may be in between.
    last: u64,
}

/// Finds the data of server-sent events in bytes that arrive in arbitrary pieces. Comments,
/// `event`, `id` and `retry` fields and empty events are skipped: on all wires the data contains
/// its type.
///
/// To read the events of one wire, use [`Stream`](crate::Stream).
///
/// ```
/// let mut sse = aside_providers::Sse::default();
/// let mut events = Vec::new();
/// for bytes in ["event: a\r\ndata: {\"a\":", "\r\ndata: 1}\r\n\r\n"] {
///     sse.push(bytes.as_bytes(), &mut |data| Ok(events.push(data.to_vec())))?;
/// }
/// assert_eq!(events, [b"{\"a\":\n1}"]);
/// # Ok::<(), aside_providers::StreamError>(())
/// ```
#[derive(Debug, Default)]
pub struct Sse {
    /// The start of an incomplete line.
    line: Vec<u8>,
    /// The event's `data` lines so far, joined by newlines.
    data: Vec<u8>,
    data_lines: DataLines,
    /// Lines that are not fields, at most `MAX_STRAY_BYTES`.
    stray: Vec<u8>,
    /// How many lines are complete so far, including empty ones.
    number: u64,
    /// The last byte was CR, so a following LF belongs to it.
    after_cr: bool,
}

impl Sse {
    /// Calls `each` with every complete event's data.
    ///
    /// An event is complete at its empty line. `each` is called in order, never with blank data.
    ///
    /// # Errors
    ///
    /// When a line, or an event's data, is longer than [`MAX_LINE_BYTES`], or `each` fails. The
    /// error has the faulty line's number, from 1. Push no more bytes after it.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(&[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some(rest) = bytes.strip_prefix(b"\n")
            {
                bytes = rest;
                continue;
            }
            let end = memchr2(b'\n', b'\r', bytes);
            let length = end.unwrap_or(bytes.len());
            if self.line.len() + length > MAX_LINE_BYTES {
                // The data so far is no longer needed.
                self.line = Vec::new();
                return Err(too_long(self.number + 1));
            }
            let Some(end) = end else {
                self.line.extend_from_slice(bytes);
                return Ok(());
            };
            self.number += 1;
            self.after_cr = bytes[end] == b'\r';
            if self.line.is_empty() {
                self.take_line(&bytes[..end], each)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&bytes[..end]);
                self.take_line(&line, each)?;
                self.line = emptied(line);
            }
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// Call this when the bytes end: the last event need not be followed by an empty line.
    ///
    /// If there was no data since the last event, this calls nothing.
    ///
    /// # Errors
    /// See [`Sse::push`].
    pub fn finish(
        &mut self,
        each: &mut impl FnMut(&[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        if !self.line.is_empty() {
            self.number += 1;
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, each)?;
        }
        self.dispatch(each)
    }

    /// Returns how many bytes of an incomplete event are kept, and of lines that are no fields.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.line.len() + self.data.len() + self.stray.len()
    }

    /// Returns the plain JSON error sent instead of events, if there was one, such as
    /// `{"error":{"message":"…"}}`. It may span several lines.
    #[must_use]
    pub fn stray_error(&self) -> Option<ErrorBody> {
        ErrorBody::in_json(std::str::from_utf8(&self.stray).ok()?.trim())
    }

    /// Reads a line without its ending. An empty one completes the event, fields other than `data`
    /// are skipped, and a line that is not a field is kept, because it may be plain JSON.
    fn take_line(
        &mut self,
        line: &[u8],
        each: &mut impl FnMut(&[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let line = match self.number {
            1 => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
            _ => line,
        };
        if line.is_empty() {
            return self.dispatch(each);
        }
        if let Some(value) = line.strip_prefix(b"data:") {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            if self.data.len() + value.len() + 1 > MAX_LINE_BYTES {
                self.data = Vec::new();
                return Err(too_long(self.number));
            }
            if self.data_lines.count > 0 {
                self.data.push(b'\n');
            }
            self.data_lines.add(self.number);
            self.data.extend_from_slice(value);
        } else if !is_field(line) && self.stray.len() + line.len() < MAX_STRAY_BYTES {
            self.stray.extend_from_slice(line);
            self.stray.push(b'\n');
        }
        Ok(())
    }

    /// Calls `each` with the event's data, and begins the next event, to which it gives the data
    /// buffer.
    fn dispatch(
        &mut self,
        each: &mut impl FnMut(&[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let lines = std::mem::take(&mut self.data_lines);
        if lines.count == 0 {
            return Ok(());
        }
        let data = std::mem::take(&mut self.data);
        let result = if data.trim_ascii().is_empty() { Ok(()) } else { each(&data) };
        let result = result.map_err(|error| error.at(lines.at_fault(&data)));
        self.data = emptied(data);
        result
    }
}

impl DataLines {
    fn add(&mut self, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
        self.last = number;
    }

    /// Returns the number of the faulty line in the stream: where the JSON fault is if the `data`
    /// lines directly follow each other, else the first one.
    fn at_fault(self, data: &[u8]) -> u64 {
        let is_unbroken = self.last - self.first + 1 == self.count;
        let offset = fault_line(data).filter(|_| is_unbroken);
        self.first + offset.unwrap_or(0)
    }
}

/// Returns an event's data as text.
///
/// # Errors
/// It is not UTF-8.
pub(crate) fn text(data: &[u8]) -> Result<&str, StreamError> {
    std::str::from_utf8(data)
        .map_err(|error| StreamError::malformed(format!("expected UTF-8: {error}")))
}

fn too_long(line: u64) -> StreamError {
    StreamError::new(StreamErrorKind::TooLong).at(line)
}

/// Returns true for comments and for fields other than `data`.
fn is_field(line: &[u8]) -> bool {
    let names: [&[u8]; 4] = [b":", b"event", b"id", b"retry"];
    names.iter().any(|name| line.starts_with(name)) || line == b"data"
}

/// Empties the buffer for its next use. A large one is released, so that one long line does not
/// hold its memory until the stream ends.
fn emptied(mut buffer: Vec<u8>) -> Vec<u8> {
    if buffer.capacity() > MAX_KEPT_BYTES {
        return Vec::new();
    }
    buffer.clear();
    buffer
}

#[cfg(test)]
mod tests;
