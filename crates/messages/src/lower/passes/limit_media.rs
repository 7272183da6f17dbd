use std::collections::VecDeque;

use aside_models::media::{MANY_IMAGES, MAX_IMAGE_SIDE_OF_MANY, header};

use crate::lower::options::LowerOptions;
use crate::lower::run::{Nature, Run};
use crate::wire::{ContentBlock, Document, Image, MediaSource, ResultContent};

/// Replaces an image or a document. It has no number, so that it never changes.
const LEFT_OUT: &str = "[An older image or document was left out: a request holds only so many.]";

/// What an image or a document adds to a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Medium {
    bytes: usize,
    is_image: bool,
    /// A side is longer than those of many images may be.
    is_large: bool,
}

impl Medium {
    pub(crate) fn from_image(image: &Image) -> Self {
        let sides = match &image.source {
            MediaSource::Base64 { data, .. } => header::peek(data).and_then(|it| it.sides),
            _ => None,
        };
        let is_large = |(width, height): (u32, u32)| width.max(height) > MAX_IMAGE_SIDE_OF_MANY;
        let is_large = sides.is_some_and(is_large);
        Self { bytes: bytes(&image.source), is_image: true, is_large }
    }

    pub(crate) fn from_document(document: &Document) -> Self {
        Self { bytes: bytes(&document.source), ..Self::default() }
    }
}

fn bytes(source: &MediaSource) -> usize {
    match source {
        MediaSource::Base64 { data, .. } => data.len(),
        _ => 0,
    }
}

/// Decides how many of a conversation's images and documents are replaced, the
/// oldest first: none up to a limit, then about half of what it allows, to keep
/// the prefix from breaking with every image.
///
/// With a limit of 100, 100 images stay, 101 to 150 lose the first 50, 151 to
/// 200 the first 100. The number never decreases as a conversation grows.
pub(crate) struct ReplacedMedia<'o> {
    options: &'o LowerOptions,
    /// How many are replaced.
    pub(crate) count: usize,
    /// Those that stay, and sums over them.
    kept: VecDeque<Medium>,
    bytes: usize,
    images: usize,
    large: usize,
}

impl<'o> ReplacedMedia<'o> {
    pub(crate) fn new(options: &'o LowerOptions) -> Self {
        Self { options, count: 0, kept: VecDeque::new(), bytes: 0, images: 0, large: 0 }
    }

    /// Returns how many there are, replaced ones included.
    pub(crate) fn seen(&self) -> usize {
        self.count + self.kept.len()
    }

    /// Adds the next one.
    pub(crate) fn push(&mut self, medium: Medium) {
        self.kept.push_back(medium);
        self.bytes += medium.bytes;
        self.images += usize::from(medium.is_image);
        self.large += usize::from(medium.is_large);
        let (limit, max_bytes) = (self.options.media_limit, self.options.media_bytes);
        let target = limit.saturating_sub((limit / 2).max(1).saturating_sub(1));
        let are_too_many = self.kept.len() > limit;
        let are_too_long = self.bytes > max_bytes;
        let are_too_large = self.options.limits_image_sides && self.images > MANY_IMAGES;
        // The newest stays if a request can hold it alone.
        while are_too_many && self.kept.len() > target
            || are_too_large && self.large > 0 && self.images > MANY_IMAGES / 2
            || are_too_long
                && self.bytes > if self.kept.len() > 1 { max_bytes / 2 } else { max_bytes }
        {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.count += 1;
            self.bytes -= oldest.bytes;
            self.images -= usize::from(oldest.is_image);
            self.large -= usize::from(oldest.is_large);
        }
    }
}

pub(crate) fn media_of_runs(runs: &[Run]) -> Vec<Medium> {
    let mut media = Vec::new();
    for block in runs.iter().flat_map(|run| &run.blocks) {
        add_media(&block.content, &mut media);
    }
    media
}

/// Replaces the run's first `budget` images and documents by text, also in tool
/// results, and subtracts them from the budget.
///
/// ```text
/// user: image, "a", result 1 [image, image]   budget 2
/// user: "[An older …]", "a", result 1 ["[An older …]", image]   budget 0
/// ```
///
/// The oldest are replaced first: the budget is spent from the start of the
/// conversation.
pub(crate) fn limit_media(run: &mut Run, budget: &mut usize) {
    for block in &mut run.blocks {
        if *budget == 0 {
            return;
        }
        let before = *budget;
        replace(&mut block.content, budget);
        if *budget < before && matches!(block.content, ContentBlock::Text(_)) {
            block.nature = Nature::Added;
        }
    }
}

/// Images and documents in a tool result count one each.
pub(crate) fn add_media(content: &ContentBlock, media: &mut Vec<Medium>) {
    match content {
        ContentBlock::Image(image) => media.push(Medium::from_image(image)),
        ContentBlock::Document(document) => media.push(Medium::from_document(document)),
        ContentBlock::ToolResult(result) => {
            for block in result.content.blocks() {
                add_media(block, media);
            }
        }
        _ => {}
    }
}

/// The budget is at least 1.
fn replace(content: &mut ContentBlock, budget: &mut usize) {
    match content {
        ContentBlock::Image(_) | ContentBlock::Document(_) => {
            *budget -= 1;
            *content = ContentBlock::text(LEFT_OUT);
        }
        ContentBlock::ToolResult(result) => {
            if let ResultContent::Blocks(blocks) = &mut result.content {
                for block in blocks {
                    if *budget > 0 {
                        replace(block, budget);
                    }
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media_to_replace(media: &[Medium], options: &LowerOptions) -> usize {
        let mut replaced = ReplacedMedia::new(options);
        media.iter().for_each(|medium| replaced.push(*medium));
        replaced.count
    }

    fn at_most(media_limit: usize) -> LowerOptions {
        LowerOptions { media_limit, ..LowerOptions::default() }
    }

    /// For each length of the list.
    fn replaced(media: &[Medium], options: &LowerOptions) -> Vec<usize> {
        (0..=media.len()).map(|end| media_to_replace(&media[..end], options)).collect()
    }

    const SMALL: Medium = Medium { bytes: 10, is_image: true, is_large: false };
    const LARGE: Medium = Medium { is_large: true, ..SMALL };
    const PDF: Medium = Medium { bytes: 10, is_image: false, is_large: false };

    #[test]
    fn media_over_the_limit_are_replaced_in_steps() {
        assert_eq!(replaced(&[SMALL; 11], &at_most(6)), [0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 6, 6]);
        assert_eq!(media_to_replace(&[SMALL; 3], &at_most(0)), 3);
        assert_eq!(media_to_replace(&[SMALL; 5], &at_most(1)), 4);
    }

    #[test]
    fn large_images_among_many_are_replaced() {
        let count = |media: &[&[Medium]]| media_to_replace(&media.concat(), &at_most(100));
        assert_eq!(count(&[&[LARGE; 20]]), 0);
        assert_eq!(count(&[&[LARGE; 21]]), 11);
        assert_eq!(count(&[&[LARGE; 31]]), 11);
        assert_eq!(count(&[&[LARGE; 32]]), 22);
        assert_eq!(count(&[&[LARGE; 20], &[PDF; 20]]), 0);
        // The two large ones are enough.
        assert_eq!(count(&[&[LARGE; 2], &[SMALL; 40]]), 2);
        assert_eq!(count(&[&[SMALL; 40], &[LARGE]]), 31);
        let other_api = LowerOptions { limits_image_sides: false, ..at_most(100) };
        assert_eq!(media_to_replace(&[LARGE; 21], &other_api), 0);
    }

    #[test]
    fn media_with_too_many_bytes_are_replaced() {
        let options = LowerOptions { media_bytes: 40, ..LowerOptions::default() };
        assert_eq!(replaced(&[PDF; 8], &options), [0, 0, 0, 0, 0, 3, 3, 3, 6]);
        let of = |bytes| Medium { bytes, ..PDF };
        assert_eq!(media_to_replace(&[of(10), of(40)], &options), 1);
        assert_eq!(media_to_replace(&[of(41)], &options), 1);
        assert_eq!(media_to_replace(&[of(41), of(10)], &options), 1);
    }
}
