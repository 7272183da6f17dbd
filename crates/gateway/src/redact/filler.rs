//! The bytes that replace a secret.

use crate::strict::digest::Sum;

/// Marks a replacement, so that it is recognized and not replaced again.
const MARK: &[u8] = b"redacted:";

/// Shorter secrets become asterisks, since a PIN or a short password can be
/// guessed from its hash.
const MIN_HASHED_BYTES: usize = 20;

/// Appends as many bytes as the secret has.
pub(super) fn push(secret: &[u8], redacted: &mut Vec<u8>) {
    let end = redacted.len() + secret.len();
    if is_filler(secret) {
        redacted.extend_from_slice(secret);
    } else if secret.len() < MIN_HASHED_BYTES {
        redacted.resize(end, b'*');
    } else {
        let digest = Sum::new("secret").with(secret).end();
        let digits = format!("{:032x}", u128::from_be_bytes(digest));
        redacted.extend_from_slice(MARK);
        redacted.extend(digits.bytes().cycle().take(end - redacted.len()));
    }
}

/// Appends a number that looks the same with other digits.
pub(super) fn push_number(number: &[u8], redacted: &mut Vec<u8>) {
    let replace = |byte: &u8| if byte.is_ascii_digit() { b'1' } else { *byte };
    redacted.extend(number.iter().map(replace));
}

fn is_filler(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match text.strip_prefix(MARK) {
        Some(digits) => text.len() >= MIN_HASHED_BYTES && digits.iter().all(is_digit),
        None => text.iter().all(|byte| *byte == b'*'),
    }
}
