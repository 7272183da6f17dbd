//! Strings as written in JSON, and where each byte is.

use std::borrow::Cow;
use std::ops::Range;

use aside_json::scan::string_end;
use aside_json::{Piece, Pieces};

/// A JSON string's text.
#[derive(Debug)]
pub(super) struct Unescaped<'a> {
    /// The text, its escapes replaced.
    pub(super) text: Cow<'a, [u8]>,
    /// Where each byte of the text is in the JSON, and the end; empty without
    /// escapes, when both are the same.
    positions: Vec<usize>,
}

impl<'a> Unescaped<'a> {
    /// Reads the bytes between the quotes. An invalid escape stands for its
    /// letter, half a surrogate pair for U+FFFD.
    pub(super) fn new(json: &'a [u8]) -> Self {
        if !json.contains(&b'\\') {
            return Self { text: Cow::Borrowed(json), positions: Vec::new() };
        }
        let (mut text, mut positions) = (Vec::with_capacity(json.len()), Vec::new());
        let mut at = 0;
        for piece in Pieces::of(json) {
            match piece {
                Piece::Plain(bytes) => {
                    text.extend_from_slice(bytes);
                    positions.extend(at..at + bytes.len());
                    at += bytes.len();
                }
                Piece::Escape(character, length) => {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    positions.resize(text.len(), at);
                    at += length;
                }
            }
        }
        positions.push(json.len());
        Self { text: Cow::Owned(text), positions }
    }

    /// Returns the JSON bytes that write a part of the text.
    pub(super) fn written(&self, part: Range<usize>) -> Range<usize> {
        if self.positions.is_empty() {
            return part;
        }
        self.positions[part.start]..self.positions[part.end]
    }
}

/// Returns the position after the closing quote of the string at `start`, or
/// the end of the text.
pub(super) fn end_of_string(json: &[u8], start: usize) -> usize {
    string_end(json, start).unwrap_or(json.len())
}
