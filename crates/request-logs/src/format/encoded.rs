//! Bodies in the forms that recorders use for bytes: base64, and gzip in it.

use aside_models::media::header::decode;

use crate::guess::is_batch;

/// The longest body after decompression, in bytes.
#[cfg(feature = "compressed")]
const MAX_BODY_BYTES: u64 = 256 << 20;

/// The first bytes of gzip (RFC 1952) in base64, with the one method that gzip has.
pub(super) const GZIP_BASE64: &str = "H4sI";

/// Returns a body that recorders write as it is, or in base64 if it neither begins as
/// JSON does nor has lines of a batch.
pub(super) fn plain_or_base64(text: String) -> Vec<u8> {
    let is_plain = text.trim_start().starts_with('{') || is_batch(&text);
    if is_plain { text.into_bytes() } else { base64(&text) }
}

/// Decodes base64 of the standard or the URL-safe alphabet, and decompresses gzip in it.
/// Other characters, such as line breaks and padding, are skipped, so no input fails; of
/// broken gzip, the start is kept.
pub(super) fn base64(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter_map(|byte| match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        _ => (byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')).then_some(byte),
    });
    decompressed(decode(digits))
}

/// Decompresses gzip. Other bytes stay as they are.
#[cfg(feature = "compressed")]
fn decompressed(bytes: Vec<u8>) -> Vec<u8> {
    use std::io::Read;

    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut out = Vec::new();
    let mut limited = flate2::read::MultiGzDecoder::new(&*bytes).take(MAX_BODY_BYTES);
    // The start of a broken body may still have its usage.
    let _ = limited.read_to_end(&mut out);
    out
}

#[cfg(not(feature = "compressed"))]
fn decompressed(bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{"a":1}`, compressed.
    #[cfg(feature = "compressed")]
    const GZIP: &str = "H4sIAAAAAAAC/6tWSlSyMqwFAK+sG1YHAAAA";

    #[test]
    fn base64_is_decoded() {
        assert_eq!(base64("eyJhIjoxfQ=="), b"{\"a\":1}");
        assert_eq!(base64("eyJh\nIjox fQ"), b"{\"a\":1}");
        assert_eq!(base64(""), b"");
    }

    #[cfg(feature = "compressed")]
    #[test]
    fn gzip_in_base64_is_decompressed() {
        assert_eq!(base64(GZIP), b"{\"a\":1}");
        // Broken at any byte, it is no panic.
        for end in 0..GZIP.len() {
            assert!(base64(&GZIP[..end]).len() <= 24);
        }
    }
}
