//! Reading an image's format and size from the first bytes of its data.

/// An image's format, and its size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageHeader {
    /// Such as `image/png`, judged by the first bytes.
    pub media_type: &'static str,
    /// Width and height in pixels; `None` if the data end before them, or if
    /// they are after the part that is decoded.
    pub sides: Option<(u32, u32)>,
}

/// How much base64 to decode to find the size: a JPEG has its preview before
/// it.
pub const MAX_HEADER_CHARS: usize = 512 * 1024;

/// Enough for every format but JPEG.
const MOST_HEADER_CHARS: usize = 64;

/// Reads the header of base64 data; `None` if the format is unknown.
///
/// Skips line breaks. Validates all characters, but decodes only the first 512
/// Ki.
///
/// # Errors
/// The position of a character that is not base64.
pub fn read(data: &str) -> Result<Option<ImageHeader>, usize> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_break = |byte: u8| matches!(byte, b'\n' | b'\r');
    if let Some(at) = data.bytes().position(|it| !is_valid(it) && !is_break(it)) {
        return Err(at);
    }
    Ok(peek(data))
}

/// Reads the header of base64 data without validating what follows it. The data may be in the
/// URL-safe alphabet, which Gemini takes.
#[must_use]
pub fn peek(data: &str) -> Option<ImageHeader> {
    let start = |chars| from_bytes(&decode(digits(data).take(chars)));
    let short = start(MOST_HEADER_CHARS)?;
    if short.sides.is_some() { Some(short) } else { start(MAX_HEADER_CHARS) }
}

/// Returns data without line breaks, in the standard alphabet.
pub(super) fn digits(data: &str) -> impl Iterator<Item = u8> {
    let characters = data.bytes().filter(|it| !matches!(it, b'\n' | b'\r'));
    characters.map(|it| match it {
        b'-' => b'+',
        b'_' => b'/',
        _ => it,
    })
}

/// Decodes base64 up to the first character that is none.
#[must_use]
pub fn decode(characters: impl Iterator<Item = u8>) -> Vec<u8> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for character in characters {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.extend((bits >> count).to_le_bytes().first());
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

/// Reads the header of an image's bytes; `None` if the format is none that the
/// API takes: PNG, GIF, WebP, JPEG.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<ImageHeader> {
    let image = |media_type, sides| ImageHeader { media_type, sides };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        let sides = || Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?));
        return Some(image("image/png", sides()));
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        let sides = || Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?));
        return Some(image("image/gif", sides()));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(image("image/webp", webp(bytes)));
    }
    if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        return Some(image("image/jpeg", jpeg(bytes)));
    }
    None
}

/// Three forms: lossy, lossless, extended.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3FFF, little(bytes, 28, 2)? & 0x3FFF)),
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        _ => None,
    }
}

/// Follows a JPEG's segments to the one with its size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let &[0xFF, kind] = bytes.get(at..at + 2)? else {
            return None;
        };
        match kind {
            // Padding, and segments without a length.
            0xFF => at += 1,
            0x01 | 0xD0..=0xD8 => at += 2,
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?));
            }
            _ => at += 2 + usize::try_from(big(bytes, at + 2, 2)?).ok()?,
        }
    }
}

/// Most significant byte first; `None` after the end.
fn big(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + length)?.iter();
    Some(bytes.fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

/// Least significant byte first; `None` after the end.
fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + length)?.iter().rev();
    Some(bytes.fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_sides() {
        let check = |data: &str, media_type, sides| {
            let expected = ImageHeader { media_type, sides: Some(sides) };
            assert_eq!(read(data), Ok(Some(expected)));
        };
        check("iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAYAAA==", "image/png", (1, 2));
        check("R0lGODlhAwAEAAAA", "image/gif", (3, 4));
        // Start, a comment of two bytes, the size.
        check("/9j//gAEAAD/wAALCAAFAAYBAQ==", "image/jpeg", (6, 5));
        check("UklGRgAAAABXRUJQVlA4WAAAAAAAAAAABwAACAAA", "image/webp", (8, 9));
    }

    #[test]
    fn other_data_have_none() {
        assert_eq!(read("aGVsbG8="), Ok(None));
        assert_eq!(read("aGV-bG8="), Err(3));
        assert_eq!(read(""), Ok(None));
    }
}
