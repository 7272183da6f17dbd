//! Images that the Messages API accepts: PNG, JPEG, GIF, WebP, recognized by
//! their first bytes.

use aside_messages::wire::{Image, MediaSource};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The API takes 5 MB of base64, which has four bytes for three.
pub(crate) const MAX_IMAGE_BYTES: u64 = 3_750_000;

/// Returns an image's media type, judged by its first bytes, if the API takes
/// it.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

pub(crate) fn image(media_type: &str, data: String) -> Image {
    let media_type = media_type.to_owned();
    Image::new(MediaSource::Base64 { media_type, data: data.into() })
}

/// Returns true if this is base64 of an image with the expected media type that
/// the API takes.
pub(crate) fn is_image(expected: &str, data: &str) -> bool {
    let bytes = STANDARD.decode(data).unwrap_or_default();
    bytes.len() as u64 <= MAX_IMAGE_BYTES && media_type(&bytes) == Some(expected)
}
