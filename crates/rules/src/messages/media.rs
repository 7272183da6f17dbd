//! Images: how many, their sizes, their data.
//!
//! Source: the documentation on vision.
//!
//! - `image-sides`: a side of 8,001 pixels, or of 2,001 in a request with more
//!   than 20 images; code `image_dimensions_too_large`. Valid with
//!   `"transformations":{"oversized_image":"downsize"}`. A side of 0 pixels:
//!   the image cannot be processed.
//! - `image-size`: more than 10 MiB of base64; 5 MiB if only Bedrock or Google
//!   Cloud can receive the request.
//! - `media-limit`: 601 images; 101 for a model with a 200,000-token window.
//! - `media-type`: `"media_type":"image/png"` with JPEG data.
//! - `media-data`: a character that base64 does not have, such as the prefix
//!   `data:`; no data.
//! - `media-url`: an image or a document at a URL with another scheme than https. Refusal: only
//!   HTTPS URLs are supported (issue threads).
//!
//! - `citations`: a document with `"citations":{"enabled":true}` next to one
//!   without, or with an output format. Search results have their own rules.
//!
//! Only an image's header is decoded. Images in tool results and in documents
//! count like any others; a document's own data only have to be base64.

use aside_json::Value;
use aside_models::Platform;
use aside_models::media::{MANY_IMAGES, MAX_IMAGE_SIDE, MAX_IMAGE_SIDE_OF_MANY, header};

use super::view::{Block, View};
use crate::checker::Checker;
use crate::table::{
    CITATIONS, IMAGE_SIDES, IMAGE_SIZE, MEDIA_DATA, MEDIA_LIMIT, MEDIA_TYPE, MEDIA_URL,
};

/// How much of a URL to show.
const MAX_SHOWN_CHARS: usize = 40;
const MIB: usize = 1024 * 1024;

/// Checks that a request's documents agree on citations, and that there are
/// none when the response has a format.
fn citations(checker: &mut Checker, view: &View<'_>) {
    let documents = view.blocks_of(&["document"]);
    let is_cited = |it: &&Block<'_>| {
        let citations = it.value.given("citations");
        citations.is_some_and(|it| it.get("enabled").is_some_and(Value::is_true))
    };
    let (cited, plain): (Vec<_>, Vec<_>) = documents.partition(is_cited);
    let Some(first) = cited.first() else { return };
    if let Some(plain) = plain.first() {
        let found = format!("no citations, and {} has them", first.path());
        checker.add(&CITATIONS, plain.path(), found);
    }
    if view.output_config("format").is_some() {
        let found = format!("a format, and {} has citations", first.path());
        checker.add(&CITATIONS, "output_config.format", found);
    }
}

/// When the platform is unknown, the larger limit applies.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    citations(checker, view);
    let images: Vec<_> = view.all_blocks_of(&["image"]).collect();
    let limit = checker.facts.and_then(|facts| facts.max_images);
    if let Some(limit) = limit.and_then(|it| usize::try_from(it).ok())
        && images.len() > limit
    {
        let found = format!("{} images, {} takes {limit}", images.len(), checker.model_name());
        checker.add(&MEDIA_LIMIT, "messages", found);
    }
    let is_smaller_cloud = checker.platforms.iter().all(|it| {
        matches!(it, Platform::BedrockMessages | Platform::BedrockInvoke | Platform::GoogleCloud)
    });
    let limits = Limits {
        side: if images.len() > MANY_IMAGES { MAX_IMAGE_SIDE_OF_MANY } else { MAX_IMAGE_SIDE },
        bytes: if is_smaller_cloud { 5 * MIB } else { 10 * MIB },
    };
    for block in view.all_blocks_of(&["image", "document"]) {
        remote(checker, block);
        let source = block.value.given("source").filter(|it| it.tag() == "base64");
        let data = source.filter(|_| block.kind == "document").and_then(|it| it.text_of("data"));
        if let Some(Err(position)) = data.map(|it| header::read(&it)) {
            broken(checker, block, position);
        }
    }
    for image in &images {
        one(checker, image, &limits);
    }
}

/// What one image in this request may have.
struct Limits {
    /// The longest side in pixels.
    side: u32,
    /// How many bytes of base64 text, not of decoded data.
    bytes: usize,
}

/// Checks the scheme of the URL of an image or a document.
fn remote(checker: &mut Checker, block: &Block<'_>) {
    let source = block.value.given("source");
    let url = source.filter(|it| it.tag() == "url").and_then(|it| it.text_of("url"));
    if let Some(url) = url
        && !url.starts_with("https://")
    {
        let scheme: String = url.chars().take(MAX_SHOWN_CHARS).collect();
        checker.add(&MEDIA_URL, block.at("source.url"), format!("{scheme:?}"));
    }
}

fn broken(checker: &mut Checker, block: &Block<'_>, position: usize) {
    let found = format!("another character at {position}");
    checker.add(&MEDIA_DATA, block.at("source.data"), found);
}

/// Checks an image whose data are in the body. Images at a URL or in a file are
/// counted as not checked, and so are sides that the header does not show.
fn one(checker: &mut Checker, image: &Block<'_>, limits: &Limits) {
    let Some(source) = image.value.given("source") else {
        return;
    };
    if matches!(&*source.tag(), "url" | "file") {
        return checker.skip("remote-media", 1, "the image is not in the body");
    }
    let Some(data) = source.text_of("data") else {
        return;
    };
    let at = |key: &str| image.at(&format!("source.{key}"));
    if data.len() > limits.bytes {
        let expected = format!("at most {} MiB of base64", limits.bytes / MIB);
        let found = format!("{} bytes", data.len());
        checker.add_expecting(&IMAGE_SIZE, at("data"), found, expected);
    }
    if data.is_empty() {
        return checker.add(&MEDIA_DATA, at("data"), "no data");
    }
    let header = match header::read(&data) {
        Ok(header) => header,
        Err(position) => return broken(checker, image, position),
    };
    let Some(header) = header else {
        let reason = "the data are of no format that has sides";
        return checker.skip("image-sides", 1, reason);
    };
    let media_type = source.text_of("media_type").unwrap_or_default();
    if media_type.starts_with("image/") && media_type != header.media_type {
        let found = format!("{media_type:?}, and the data are {}", header.media_type);
        checker.add(&MEDIA_TYPE, at("media_type"), found);
    }
    let Some((width, height)) = header.sides else {
        let is_cut = data.len() > header::MAX_HEADER_CHARS;
        let reason = if is_cut {
            "the sides are too far behind in the data"
        } else {
            "the data end before the sides"
        };
        return checker.skip("image-sides", 1, reason);
    };
    if width.min(height) == 0 {
        return checker.add(&IMAGE_SIDES, at("data"), format!("{width} × {height}: no pixels"));
    }
    let transformations = image.value.given("transformations");
    let is_downsized = transformations
        .and_then(|it| it.text_of("oversized_image"))
        .is_some_and(|it| it == "downsize");
    if width.max(height) > limits.side && !is_downsized {
        let expected = format!("sides of at most {} pixels", limits.side);
        let found = format!("{width} × {height} pixels");
        checker.add_expecting(&IMAGE_SIDES, at("data"), found, expected);
    }
}
