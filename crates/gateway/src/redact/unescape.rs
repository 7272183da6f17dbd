//! Strings as they are written in JSON, with the position of each byte.

use std::borrow::Cow;
use std::ops::Range;

/// The text of a JSON string.
#[derive(Debug)]
pub(super) struct Unescaped<'a> {
    /// The text, its escapes replaced.
    pub(super) text: Cow<'a, [u8]>,
    /// The position of each byte of the text in the JSON, and the end; empty
    /// without escapes, when both are the same.
    positions: Vec<usize>,
}

impl<'a> Unescaped<'a> {
    /// Reads the bytes between the quotes. An escape that is not valid is
    /// replaced by U+FFFD.
    pub(super) fn new(json: &'a [u8]) -> Self {
        if !json.contains(&b'\\') {
            return Self {
                text: Cow::Borrowed(json),
                positions: Vec::new(),
            };
        }
        let (mut text, mut positions) = (Vec::with_capacity(json.len()), Vec::new());
        let mut at = 0;
        while at < json.len() {
            let (c, length) = match (json[at], json.get(at + 1)) {
                (b'\\', Some(b'u')) => (code_point(json, at), 6),
                (b'\\', Some(b'n')) => ('\n', 2),
                (b'\\', Some(b't')) => ('\t', 2),
                (b'\\', Some(b'r')) => ('\r', 2),
                (b'\\', Some(other)) => (char::from(*other), 2),
                (byte, _) => {
                    text.push(byte);
                    positions.push(at);
                    at += 1;
                    continue;
                }
            };
            text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            positions.resize(text.len(), at);
            at += length;
        }
        positions.push(json.len());
        Self {
            text: Cow::Owned(text),
            positions,
        }
    }

    /// Returns the bytes of the JSON that write a part of the text.
    pub(super) fn written(&self, part: Range<usize>) -> Range<usize> {
        if self.positions.is_empty() {
            return part;
        }
        self.positions[part.start]..self.positions[part.end]
    }
}

/// Reads `\u0061`. A half of a surrogate pair is U+FFFD.
fn code_point(json: &[u8], at: usize) -> char {
    let digits = json.get(at + 2..at + 6);
    let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    code.and_then(char::from_u32).unwrap_or('\u{fffd}')
}

/// Returns the position after the closing quote of a string that begins at
/// `start`, or the end of the text.
pub(super) fn end_of_string(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < json.len() {
        match json[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    json.len()
}
