//! Joins surrogate pairs that a server split over two deltas.

use std::borrow::Cow;

use aside_json::lone_surrogates;

use crate::stream_error::StreamError;

/// Holds back an event with a text that ends in the first half of a pair: the next event may begin
/// with the second one. A server that counts in UTF-16 splits them.
///
/// ```text
/// {"text":"a \ud83d"} {"text":"\ude00 b"}   →   {"text":"a "} {"text":"\ud83d\ude00 b"}
/// ```
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// The event, and where the half is in it.
    held: Option<(String, usize)>,
}

/// The length of `\ud83d`, in bytes.
const ESCAPE_BYTES: usize = 6;

impl Halves {
    /// Passes on the event that was held back, then this one unless it is held back.
    pub(super) fn event(
        &mut self,
        json: &str,
        read: &mut dyn FnMut(&str) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let mut json = Cow::Borrowed(json);
        if let Some((mut held, at)) = self.held.take() {
            if let Some(second) = second_half(&json) {
                let first: String = held.drain(at..at + ESCAPE_BYTES).collect();
                json.to_mut().insert_str(second, &first);
            }
            read(&held)?;
        }
        match first_half(&json) {
            Some(at) => self.held = Some((json.into_owned(), at)),
            None => read(&json)?,
        }
        Ok(())
    }

    /// Returns true if an event is held back.
    pub(super) fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Passes on the event that was held back.
    pub(super) fn finish(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        self.held.take().map_or(Ok(()), |(held, _)| read(&held))
    }
}

/// Returns where a text ends in the first half of a pair.
fn first_half(json: &str) -> Option<usize> {
    let raw = json.as_bytes();
    let is_last = |at: usize| raw.get(at + ESCAPE_BYTES) == Some(&b'"');
    lone_surrogates(raw).find(|at| is_first(raw[at + 3]) && is_last(*at))
}

/// Returns where a text begins with the second half of a pair.
fn second_half(json: &str) -> Option<usize> {
    let raw = json.as_bytes();
    let is_start = |before: &[u8]| before.ends_with(b"\"") && !before.ends_with(b"\\\"");
    lone_surrogates(raw).find(|at| !is_first(raw[at + 3]) && is_start(&raw[..*at]))
}

/// Returns true if an escape with this second digit is a first half.
fn is_first(digit: u8) -> bool {
    matches!(digit, b'8' | b'9' | b'a' | b'b' | b'A' | b'B')
}
