//! Images that the Messages API accepts: PNG, JPEG, GIF, WebP, recognized by
//! their first bytes.

use aside_messages::models::media::{MAX_IMAGE_CHARS, header, judge_image};
use aside_messages::wire::{Image, MediaSource};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Base64 has four characters for three bytes.
const MAX_IMAGE_BYTES: u64 = MAX_IMAGE_CHARS as u64 / 4 * 3;

/// Returns true if the first bytes are those of an image.
pub(crate) fn is_like_image(bytes: &[u8]) -> bool {
    header::from_bytes(bytes).is_some()
}

pub(crate) fn image(media_type: &str, data: String) -> Image {
    let media_type = media_type.to_owned();
    Image::new(MediaSource::Base64 { media_type, data: data.into() })
}

/// Returns true if this is base64 of an image with the expected media type that
/// the API takes.
pub(crate) fn is_image(expected: &str, data: &str) -> bool {
    judge_image(data) == Ok(expected)
}

/// Returns an image's media type and its base64, if the API takes it.
///
/// # Errors
/// Why the API refuses it. Only images up to [`MAX_IMAGE_BYTES`] are encoded.
pub(crate) fn encode(bytes: &[u8], len: u64) -> Result<(&'static str, String), String> {
    let len = len.max(bytes.len() as u64);
    if len > MAX_IMAGE_BYTES {
        return Err(format!("an image of {len} bytes, more than {MAX_IMAGE_BYTES}"));
    }
    let data = STANDARD.encode(bytes);
    let media_type =
        judge_image(&data).map_err(|fault| format!("an image that the API refuses: {fault}"))?;
    Ok((media_type, data))
}
