//! Estimating images and PDFs.
//!
//! The figures were compared with recorded requests to the Claude families
//! before [`Tokenizer::ClaudeNew`](crate::Tokenizer); see `docs/tokens.md`.

use crate::TokenEstimate;

mod fault;
pub mod header;

pub use fault::{ImageFault, judge_image};

/// The longest side of an image that the Messages API takes, in pixels.
pub const MAX_IMAGE_SIDE: u32 = 8_000;

/// The longest side in a request with more than [`MANY_IMAGES`].
pub const MAX_IMAGE_SIDE_OF_MANY: u32 = 2_000;

/// How many images a request may have with sides up to [`MAX_IMAGE_SIDE`].
pub const MANY_IMAGES: usize = 20;

/// How much base64 an image may have on every platform.
pub const MAX_IMAGE_CHARS: usize = 5_000_000;

/// An image has one token per square with this side in pixels, incomplete
/// squares at its edges included.
const PATCH_SIDE: u64 = 28;

/// A longer side is scaled down to this many pixels.
const MAX_SIDE: u64 = 1_568;

/// Larger images are scaled down to this many tokens.
const MAX_IMAGE_TOKENS: u64 = 1_568;

/// The estimate for an image whose size is not known.
pub const LARGEST_IMAGE: TokenEstimate = TokenEstimate::of_tokens(MAX_IMAGE_TOKENS);

/// A PDF page is an image and its text: the documentation states 1,500 to 3,000
/// tokens.
const TOKENS_PER_PAGE: u64 = 2_250;

/// How much base64 a page takes, for documents whose pages cannot be counted.
const CHARS_PER_PAGE: usize = 80_000;

/// How much base64 to search for pages; the rest is extrapolated.
const MAX_SCANNED_CHARS: usize = 1 << 20;

/// Estimates an image's tokens from the size in the header of its base64 data:
/// how many squares with sides of 28 pixels cover it, after scaling its longer
/// side down to 1,568 pixels; at most 1,568. Returns `None` if the header is
/// not known. Base64 may be in either alphabet, here and in [`estimate_pdf`].
///
/// ```
/// use aside_models::media::estimate_image;
///
/// // The header of a PNG of 300 by 100 pixels.
/// let data = "iVBORw0KGgoAAAANSUhEUgAAASwAAABkCAYAAA==";
/// let tokens = estimate_image(data).map(|it| it.tokens());
/// assert_eq!(tokens, Some(44));
/// assert_eq!(estimate_image("AAAA"), None);
/// ```
#[must_use]
pub fn estimate_image(data: &str) -> Option<TokenEstimate> {
    let (width, height) = header::peek(data)?.sides?;
    Some(of_sides(width.into(), height.into()))
}

/// For example, 1,092 by 1,092 pixels are 39 by 39 squares: 1,521 tokens.
fn of_sides(width: u64, height: u64) -> TokenEstimate {
    let longer = width.max(height).max(1);
    let scaled = |side: u64| if longer > MAX_SIDE { side * MAX_SIDE / longer } else { side };
    let patches = |side: u64| scaled(side).div_ceil(PATCH_SIDE);
    let tokens = patches(width) * patches(height);
    TokenEstimate::of_tokens(tokens.clamp(1, MAX_IMAGE_TOKENS))
}

/// Estimates a base64 PDF's tokens: 2,250 per page. Pages are counted in the
/// document; when its objects are compressed, every 80 KB count as a page.
#[must_use]
pub fn estimate_pdf(data: &str) -> TokenEstimate {
    let bytes = header::decode(header::digits(data).take(MAX_SCANNED_CHARS));
    let pages = match pages(&bytes) {
        0 => data.len().div_ceil(CHARS_PER_PAGE).max(1),
        found if data.len() > MAX_SCANNED_CHARS => {
            found.saturating_mul(data.len()) / MAX_SCANNED_CHARS
        }
        found => found,
    };
    TokenEstimate::of_tokens((pages as u64).saturating_mul(TOKENS_PER_PAGE))
}

/// Counts the objects with `/Type /Page`.
///
/// The page tree, `/Type /Pages`, does not count.
fn pages(bytes: &[u8]) -> usize {
    let slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let is_page = |at: usize| {
        let kind = bytes[at..].strip_prefix(b"/Type")?;
        let rest = kind.trim_ascii_start().strip_prefix(b"/Page")?;
        let is_end = |byte: &u8| !byte.is_ascii_alphanumeric();
        Some(rest.first().is_none_or(is_end))
    };
    slashes.filter(|(at, _)| is_page(*at) == Some(true)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_estimated_by_its_sides() {
        let check = |width, height, tokens| {
            assert_eq!(of_sides(width, height).tokens(), tokens, "{width} {height}");
        };
        check(200, 200, 64);
        check(1_092, 1_092, 1_521);
        check(1_568, 784, 1_568);
        // Scaled down to 1,568 by 156.
        check(8_000, 800, 336);
        check(1, 1, 1);
        check(0, 0, 1);
        check(u64::from(u32::MAX), u64::from(u32::MAX), 1_568);
    }

    /// What recorded requests counted, without their texts; the two that differ
    /// are in `docs/tokens.md`.
    #[test]
    fn images_have_the_recorded_tokens() {
        let recorded = [
            ((50, 65), 6),
            ((60, 30), 6),
            ((100, 100), 16),
            ((172, 178), 49),
            ((400, 400), 225),
            ((550, 368), 280),
            ((1_001, 1_001), 1_296),
        ];
        for ((width, height), tokens) in recorded {
            assert_eq!(of_sides(width, height).tokens(), tokens, "{width} {height}");
        }
    }

    #[test]
    fn an_image_may_be_in_the_url_safe_alphabet() {
        // The header of a PNG of 992 by 28 pixels.
        let standard = "iVBORw0KGgoAAAANSUhEUgAAA+AAAAAc";
        for data in [standard, &standard.replace('+', "-")] {
            assert_eq!(estimate_image(data).map(TokenEstimate::tokens), Some(36), "{data}");
        }
    }

    #[test]
    fn a_pdf_is_estimated_by_its_pages() {
        // `<</Type /Pages/Count 2>><</Type/Page>><</Type /Page>>`
        let two = "PDwvVHlwZSAvUGFnZXMvQ291bnQgMj4+PDwvVHlwZS9QYWdlPj48PC9UeXBlIC9QYWdlPj4=";
        assert_eq!(estimate_pdf(two).tokens(), 4_500);
        // `???<</Type/Page>><</Type/Page>>`
        let url_safe = "Pz8_PDwvVHlwZS9QYWdlPj48PC9UeXBlL1BhZ2U-Pg==";
        assert_eq!(estimate_pdf(url_safe).tokens(), 4_500);
        // The length of the base64 does not count: this has one page.
        let one = two.replacen("PDwvVHlwZS9QYWdlPj48", "PDwvVHlwZS9QYWdlcz48", 1);
        assert_eq!(estimate_pdf(&one).tokens(), 2_250);
        // Compressed objects.
        assert_eq!(estimate_pdf("").tokens(), 2_250);
        assert_eq!(estimate_pdf(&"A".repeat(160_000)).tokens(), 4_500);
        let long = two.repeat(2 * MAX_SCANNED_CHARS / two.len());
        assert!(estimate_pdf(&long).tokens() > 2_250);
    }
}
