//! String escapes.

use std::borrow::Cow;

use crate::word::{first, first_special_in};

/// A part of a string as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes without an escape.
    Plain(&'a [u8]),
    /// The escaped character, and how many bytes it is written in.
    Escape(char, usize),
}

/// Splits a string into parts, in order. An invalid escape stands for the letter after its `\`, and
/// half a surrogate pair for U+FFFD.
///
/// ```
/// use aside_json::{Piece, Pieces};
///
/// let pieces: Vec<_> = Pieces::of(br"a\n\ud83d\ude00").collect();
/// let expected = [Piece::Plain(b"a"), Piece::Escape('\n', 2), Piece::Escape('😀', 12)];
/// assert_eq!(pieces, expected);
/// ```
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    rest: &'a [u8],
}

impl<'a> Pieces<'a> {
    /// Starts with the bytes between the quotes.
    #[must_use]
    pub fn of(raw: &'a [u8]) -> Self {
        Self { rest: raw }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (piece, length) = match (escape_at(self.rest), self.rest) {
            (_, []) => return None,
            (Some((character, length)), _) => (Piece::Escape(character, length), length),
            (None, [b'\\', ..]) => (Piece::Plain(&self.rest[..1]), 1),
            (None, rest) => {
                let length = first(b'\\', rest).unwrap_or(rest.len());
                (Piece::Plain(&rest[..length]), length)
            }
        };
        self.rest = &self.rest[length..];
        Some(piece)
    }
}

/// Returns the character that an escape stands for, and its length; `None` if none begins here.
#[inline]
fn escape_at(raw: &[u8]) -> Option<(char, usize)> {
    match raw {
        [b'\\', b'u', ..] => Some(unicode(raw)),
        [b'\\', letter @ 0..0x80, ..] => Some((plain(*letter), 2)),
        _ => None,
    }
}

fn plain(letter: u8) -> char {
    match letter {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        other => char::from(other),
    }
}

/// Reads `\uXXXX`, or a surrogate pair. Returns the character and how many bytes it takes.
fn unicode(raw: &[u8]) -> (char, usize) {
    let unit = |from: usize| {
        let digits = raw.get(from..from + 4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let Some(first) = unit(2) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    let (code, length) = match (first, raw.get(6..8), unit(8)) {
        (0xD800..=0xDBFF, Some(b"\\u"), Some(second @ 0xDC00..=0xDFFF)) => {
            (0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), 12)
        }
        _ => (first, 6),
    };
    let character = char::from_u32(code);
    (character.unwrap_or(char::REPLACEMENT_CHARACTER), length)
}

/// Resolves escapes in the bytes between a string's quotes, as [`Pieces`] does. Invalid UTF-8
/// becomes U+FFFD.
#[must_use]
pub fn unescape(raw: &[u8]) -> String {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = first(b'\\', rest) {
        text.extend_from_slice(&rest[..at]);
        let (character, length) = escape_at(&rest[at..]).unwrap_or(('\\', 1));
        if character.is_ascii() {
            text.push(character as u8);
        } else {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        rest = &rest[at + length..];
    }
    text.extend_from_slice(rest);
    utf8(text)
}

/// To look for bytes that are not UTF-8 takes longer than to see that there are none.
fn utf8(text: Vec<u8>) -> String {
    String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Resolves escapes without a loss, to compare strings: half a surrogate pair, which has no UTF-8,
/// stays apart from U+FFFD and from other halves. Borrowed when there is no escape.
///
/// ```
/// use aside_json::exact_text;
///
/// assert_eq!(exact_text(br"\u00e9"), exact_text("é".as_bytes()));
/// assert_ne!(exact_text(br"\ud800"), exact_text(br"\ud801"));
/// ```
#[must_use]
pub fn exact_text(raw: &[u8]) -> Cow<'_, [u8]> {
    if first(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let (mut text, mut rest) = (Vec::with_capacity(raw.len()), 0);
    for at in lone_surrogates(raw) {
        text.extend(unescape(&raw[rest..at]).bytes());
        // No UTF-8 has this byte.
        text.push(0xFF);
        rest = at + 6;
        text.extend(raw[at + 2..rest].to_ascii_lowercase());
    }
    text.extend(unescape(&raw[rest..]).bytes());
    Cow::Owned(text)
}

/// Returns true if a string has half a surrogate pair, so that it is no Unicode text.
///
/// ```
/// use aside_json::has_lone_surrogate;
///
/// assert!(has_lone_surrogate(br"cut \ud83d"));
/// assert!(!has_lone_surrogate(br"\ud83d\ude00 \ufffd"));
/// ```
#[must_use]
pub fn has_lone_surrogate(raw: &[u8]) -> bool {
    lone_surrogates(raw).next().is_some()
}

/// Replaces each half of a surrogate pair by the escape of U+FFFD, which is as long. Returns true
/// if there was one. Also takes a whole document: only strings have escapes.
///
/// ```
/// let mut raw = *br#"["cut \ud83d"]"#;
/// assert!(aside_json::replace_lone_surrogates(&mut raw));
/// assert_eq!(&raw, br#"["cut \ufffd"]"#);
/// ```
pub fn replace_lone_surrogates(raw: &mut [u8]) -> bool {
    let found: Vec<usize> = lone_surrogates(raw).collect();
    for at in &found {
        raw[at + 2..at + 6].copy_from_slice(b"fffd");
    }
    !found.is_empty()
}

/// Returns the positions of escapes that are half a surrogate pair, each six bytes long.
pub fn lone_surrogates(raw: &[u8]) -> impl Iterator<Item = usize> {
    let first = memchr::memmem::find(raw, b"\\u");
    let mut at = 0;
    Pieces::of(first.map_or(&[], |_| raw)).filter_map(move |piece| {
        let start = at;
        match piece {
            Piece::Plain(bytes) => at += bytes.len(),
            Piece::Escape(_, length) => at += length,
        }
        let is_replaced = matches!(piece, Piece::Escape(char::REPLACEMENT_CHARACTER, 6));
        (is_replaced && !raw[start + 2..at].eq_ignore_ascii_case(b"fffd")).then_some(start)
    })
}

/// Appends the text as it is between the quotes of a string: `"`, `\\` and control characters are
/// escaped, all else stays, as serde_json writes it.
///
/// ```
/// let mut out = Vec::new();
/// aside_json::escape(&mut out, "a \"b\"\n\u{1}é");
/// assert_eq!(out, r#"a \"b\"\n\u0001é"#.as_bytes());
/// ```
pub fn escape(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + text.len() / 8);
    // Whole words go to a buffer of fixed size first: a copy into it is one instruction, while each
    // growth of the vector is a call.
    let mut buffer = [0; BUFFER_BYTES];
    let mut filled = 0;
    let mut rest = text.as_bytes();
    while let Some(word) = rest.first_chunk::<8>() {
        if filled > BUFFER_BYTES - ROOM_BYTES {
            out.extend_from_slice(&buffer[..filled]);
            filled = 0;
        }
        let room = buffer[filled..].first_chunk_mut::<ROOM_BYTES>();
        let room = room.expect("there is room for a word");
        if let Some(start) = room.first_chunk_mut() {
            *start = *word;
        }
        let Some(plain) = first_special_in(*word) else {
            filled += 8;
            rest = &rest[8..];
            continue;
        };
        let byte = word[plain];
        let letter = LETTERS[usize::from(byte)];
        (room[plain], room[plain + 1]) = (b'\\', letter);
        filled += plain + 2;
        if letter == b'u' {
            let after = room[plain + 2..].iter_mut();
            after.zip(digits(byte)).for_each(|(place, digit)| *place = digit);
            filled += 4;
        }
        rest = &rest[plain + 1..];
    }
    out.extend_from_slice(&buffer[..filled]);
    for byte in rest {
        match LETTERS[usize::from(*byte)] {
            0 => out.push(*byte),
            b'u' => {
                out.extend_from_slice(b"\\u");
                out.extend_from_slice(&digits(*byte));
            }
            letter => out.extend_from_slice(&[b'\\', letter]),
        }
    }
}

/// How many bytes [`escape`] writes at once.
const BUFFER_BYTES: usize = 128;

/// At least what a word takes: seven bytes, and one as `\u00XX`.
const ROOM_BYTES: usize = 16;

fn digits(byte: u8) -> [u8; 4] {
    let digit = |it: u8| b"0123456789abcdef"[usize::from(it & 0xF)];
    [b'0', b'0', digit(byte >> 4), digit(byte)]
}

/// Returns how many bytes [`escape`] appends.
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    let of_byte = |byte: &u8| match LETTERS[usize::from(*byte)] {
        0 => 1,
        b'u' => 6,
        _ => 2,
    };
    let of_bytes = |bytes: &[u8]| bytes.iter().map(of_byte).sum::<usize>();
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let of_words = words.iter().map(|word| match first_special_in(*word) {
        None => 8,
        Some(_) => of_bytes(word),
    });
    of_words.sum::<usize>() + of_bytes(rest)
}

/// The letter after the backslash by which a byte is escaped; 0 for one that stays.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let (control, _) = letters.split_at_mut(0x20);
    control.copy_from_slice(&[b'u'; 0x20]);
    letters[0x08] = b'b';
    letters[b'\t' as usize] = b't';
    letters[b'\n' as usize] = b'n';
    letters[0x0C] = b'f';
    letters[b'\r' as usize] = b'r';
    letters[b'"' as usize] = b'"';
    letters[b'\\' as usize] = b'\\';
    letters
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_escaped_as_serde_does(text in "[\\x00-\\x7Fé😀]{0,40}|\\PC{0,40}") {
            let mut out = vec![b'"'];
            escape(&mut out, &text);
            out.push(b'"');
            prop_assert_eq!(escaped_len(&text) + 2, out.len());
            prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
        }
    }

    #[test]
    fn escapes_are_resolved() {
        let check = |raw: &[u8], expected: &str| assert_eq!(unescape(raw), expected);
        check(br#"a\n\"\u00e9\ud83d\ude00\u12"#, "a\n\"é😀\u{fffd}12");
        check(br"\ud83dx\", "\u{fffd}x\\");
        check(br"\ud83d\u0041", "\u{fffd}A");
        check("\\é\\/".as_bytes(), "\\é/");
        check(b"\xff", "\u{fffd}");
    }
}
