//! Judging an image from a file, a tool or another server before it is sent.
//!
//! An image that the API refuses would stay in the conversation, and every
//! later request would be refused.

use std::fmt;

use super::header::{decode, from_bytes};
use super::{MAX_IMAGE_CHARS, MAX_IMAGE_SIDE};

/// Why the Messages API refuses an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageFault {
    /// More base64 than [`MAX_IMAGE_CHARS`].
    TooLarge,
    /// The data are not base64.
    NotBase64,
    /// The format is none that the API takes.
    UnknownFormat,
    /// The data end before the image does.
    Incomplete,
    /// A side is longer than [`MAX_IMAGE_SIDE`], or has no pixel.
    Sides(u32, u32),
}

impl fmt::Display for ImageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "more than {} MB of base64", MAX_IMAGE_CHARS / 1_000_000),
            Self::NotBase64 => f.write_str("not base64"),
            Self::UnknownFormat => f.write_str("not a PNG, JPEG, GIF or WebP"),
            Self::Incomplete => f.write_str("its data are incomplete"),
            Self::Sides(width, height) => {
                write!(f, "{width} × {height} pixels: sides have 1 to {MAX_IMAGE_SIDE}")
            }
        }
    }
}

/// Returns the media type of an image that the API takes, judged by its base64
/// data without line breaks.
///
/// Nothing is decompressed: an image is complete if the structure of its file
/// reaches the end.
///
/// # Errors
/// The API refuses the image.
///
/// ```
/// use aside_models::media::{ImageFault, judge_image};
///
/// let gif = "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=";
/// assert_eq!(judge_image(gif), Ok("image/gif"));
/// assert_eq!(judge_image(&gif[..32]), Err(ImageFault::Incomplete));
/// ```
pub fn judge_image(data: &str) -> Result<&'static str, ImageFault> {
    if data.len() > MAX_IMAGE_CHARS {
        return Err(ImageFault::TooLarge);
    }
    let digits = data.trim_end_matches('=');
    let bytes = decode(digits.bytes());
    if bytes.len() != digits.len() * 3 / 4 {
        return Err(ImageFault::NotBase64);
    }
    let found = from_bytes(&bytes).ok_or(ImageFault::UnknownFormat)?;
    let (width, height) = found.sides.ok_or(ImageFault::Incomplete)?;
    if width.min(height) == 0 || width.max(height) > MAX_IMAGE_SIDE {
        return Err(ImageFault::Sides(width, height));
    }
    let is_complete = match found.media_type {
        "image/png" => png_has_end(&bytes),
        "image/gif" => bytes.iter().rfind(|byte| **byte != 0) == Some(&b';'),
        "image/webp" => webp_has_end(&bytes),
        _ => jpeg_has_end(&bytes),
    };
    if is_complete { Ok(found.media_type) } else { Err(ImageFault::Incomplete) }
}

/// Follows the chunks of a PNG to the last, `IEND`. One has the pixels.
fn png_has_end(bytes: &[u8]) -> bool {
    let (mut rest, mut has_pixels) = (&bytes[8..], false);
    while let Some((start, after)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, kind @ ..] = *start;
        match &kind {
            b"IEND" => return has_pixels,
            b"IDAT" => has_pixels = true,
            _ => {}
        }
        // The chunk's data, and its checksum.
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        rest = after.get(length.saturating_add(4)..).unwrap_or_default();
    }
    false
}

/// A WebP states its length after the first tag.
fn webp_has_end(bytes: &[u8]) -> bool {
    let stated = bytes[4..].first_chunk().map(|length| u32::from_le_bytes(*length));
    stated.is_some_and(|stated| bytes.len() - 8 >= stated as usize)
}

/// A JPEG has its pixels between two markers. Data of an application may be
/// after the second, and a preview with its own markers before the first.
fn jpeg_has_end(bytes: &[u8]) -> bool {
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xFF, marker]);
    last(0xD9) > last(0xDA) && last(0xDA).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each has one pixel.
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const GIF: &str = "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=";
    const WEBP: &str = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";
    /// The segments that decide: start, size, pixels, end.
    const JPEG: &str = "/9j/wAALCAABAAEBAREA/9oACAEBAAA/AH//2Q==";

    #[test]
    fn complete_images_are_taken() {
        for (data, expected) in
            [(PNG, "image/png"), (GIF, "image/gif"), (WEBP, "image/webp"), (JPEG, "image/jpeg")]
        {
            assert_eq!(judge_image(data), Ok(expected));
        }
    }

    #[test]
    fn an_image_that_is_cut_anywhere_is_refused() {
        for data in [PNG, GIF, WEBP, JPEG] {
            // What is after the last marker of a PNG does not count.
            let end = if data == PNG { data.len() - 12 } else { data.len() - 4 };
            for length in (0..end).step_by(4) {
                let fault = judge_image(&data[..length]).expect_err(&data[..length]);
                let expected = [ImageFault::Incomplete, ImageFault::UnknownFormat];
                assert!(expected.contains(&fault), "{length}: {fault}");
            }
        }
    }

    #[test]
    fn other_faults_are_named() {
        let check = |data: &str, fault: &str| {
            assert_eq!(judge_image(data).expect_err(data).to_string(), fault);
        };
        check("aGVsbG8=", "not a PNG, JPEG, GIF or WebP");
        check("aGV-bG8=", "not base64");
        check(&"A".repeat(MAX_IMAGE_CHARS + 1), "more than 5 MB of base64");
        let wide = "iVBORw0KGgoAAAANSUhEUgAAIygAAAABCAYAAAA=";
        check(wide, "9000 × 1 pixels: sides have 1 to 8000");
        let none = "iVBORw0KGgoAAAANSUhEUgAAAAAAAAAACAYAAAA=";
        check(none, "0 × 0 pixels: sides have 1 to 8000");
    }
}
