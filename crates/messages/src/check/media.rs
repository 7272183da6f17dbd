//! Images: their number, their sizes, their data.

use aside_models::Platform;

use super::context::Context;
use super::table::{IMAGE_SIDES, IMAGE_SIZE, MEDIA_DATA, MEDIA_LIMIT, MEDIA_TYPE};
use super::view::{Block, View};
use crate::image_header;

const MAX_SIDE: u32 = 8_000;
/// The side in a request with more than [`MANY_IMAGES`].
const MAX_SIDE_OF_MANY: u32 = 2_000;
const MANY_IMAGES: usize = 20;
const MIB: usize = 1024 * 1024;

pub(super) fn check(context: &mut Context, view: &View<'_>) {
    let images: Vec<_> = view.all_blocks().filter(|it| it.kind == "image").collect();
    let limit = context.facts.and_then(|facts| facts.max_images);
    if let Some(limit) = limit.and_then(|it| usize::try_from(it).ok())
        && images.len() > limit
    {
        let found = format!(
            "{} images, {} takes {limit}",
            images.len(),
            context.model_name()
        );
        context.add(&MEDIA_LIMIT, "messages", found);
    }
    let is_smaller_cloud = context.platforms.iter().all(|it| {
        matches!(
            it,
            Platform::BedrockMessages | Platform::BedrockInvoke | Platform::GoogleCloud
        )
    });
    let limits = Limits {
        side: if images.len() > MANY_IMAGES {
            MAX_SIDE_OF_MANY
        } else {
            MAX_SIDE
        },
        bytes: if is_smaller_cloud { 5 * MIB } else { 10 * MIB },
    };
    for image in &images {
        one(context, image, &limits);
    }
}

struct Limits {
    side: u32,
    bytes: usize,
}

fn one(context: &mut Context, image: &Block<'_>, limits: &Limits) {
    let Some(source) = image.value.given("source") else {
        return;
    };
    if matches!(&*source.tag(), "url" | "file") {
        return context.skip("remote-media", 1, "the image is not in the body");
    }
    let Some(data) = source.text_of("data") else {
        return;
    };
    let at = |key: &str| image.at(&format!("source.{key}"));
    if data.len() > limits.bytes {
        let expected = format!("at most {} MiB of base64", limits.bytes / MIB);
        let found = format!("{} bytes", data.len());
        context.add_expecting(&IMAGE_SIZE, at("data"), found, expected);
    }
    let header = match image_header::read(&data) {
        Ok(header) => header,
        Err(position) => {
            let found = format!("another character at {position}");
            return context.add(&MEDIA_DATA, at("data"), found);
        }
    };
    let Some(header) = header else {
        let reason = "the data are of no format that has sides";
        return context.skip("image-sides", 1, reason);
    };
    let media_type = source.text_of("media_type").unwrap_or_default();
    if media_type.starts_with("image/") && media_type != header.media_type {
        let found = format!("{media_type:?}, and the data are {}", header.media_type);
        context.add(&MEDIA_TYPE, at("media_type"), found);
    }
    let Some((width, height)) = header.sides else {
        return context.skip("image-sides", 1, "the sides are too far behind in the data");
    };
    let transformations = image.value.given("transformations");
    let is_downsized = transformations
        .and_then(|it| it.text_of("oversized_image"))
        .is_some_and(|it| it == "downsize");
    if width.max(height) > limits.side && !is_downsized {
        let expected = format!("sides of at most {} pixels", limits.side);
        let found = format!("{width} × {height} pixels");
        context.add_expecting(&IMAGE_SIDES, at("data"), found, expected);
    }
}
