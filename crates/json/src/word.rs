//! Strings, eight bytes at a time: a call of `memchr` costs more than to read a few words, and the
//! next quote or escape is often near.

use memchr::{memchr, memchr2};

/// How many words to read before `memchr` is called.
const SHORT_WORDS: usize = 8;

/// Finds a byte below 128.
pub(crate) fn first(byte: u8, text: &[u8]) -> Option<usize> {
    let (seen, found) = in_words(text, |word| lowest(equal(u64::from_le_bytes(word), byte)));
    found.or_else(|| Some(seen + memchr(byte, &text[seen..])?))
}

/// Finds the first quote, backslash or control character; `None` if no quote and no backslash
/// follows.
pub(crate) fn first_special(text: &[u8]) -> Option<usize> {
    let (seen, found) = in_words(text, first_special_in);
    if found.is_some() {
        return found;
    }
    let rest = &text[seen..];
    let length = memchr2(b'"', b'\\', rest)?;
    // A fold without an exit compiles to vector instructions.
    let controls = rest[..length].iter();
    let has_control = controls.fold(false, |any, byte| any | (*byte < 0x20));
    let length = if has_control {
        rest.iter().position(|byte| *byte < 0x20).unwrap_or(length)
    } else {
        length
    };
    Some(seen + length)
}

/// Looks through the first words. Returns how many bytes these are, and what was found.
#[inline(always)]
fn in_words(text: &[u8], find: impl Fn([u8; 8]) -> Option<usize>) -> (usize, Option<usize>) {
    let (words, _) = text.as_chunks::<8>();
    let mut seen = 0;
    for word in words.iter().take(SHORT_WORDS) {
        if let Some(at) = find(*word) {
            return (seen, Some(seen + at));
        }
        seen += 8;
    }
    (seen, None)
}

/// Finds the first quote, backslash or control character in a word.
#[inline]
pub(crate) fn first_special_in(word: [u8; 8]) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    lowest(below(word, 0x20) | equal(word, b'"') | equal(word, b'\\'))
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Sets the highest bit in each byte below a limit. Only the lowest bit set is reliable:
/// subtraction borrows from the next byte.
fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGH
}

/// Sets the highest bit in each byte that is this one, as [`below`] does.
fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * u64::from(byte)), 1)
}

fn lowest(found: u64) -> Option<usize> {
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}
