//! Writing JSON as serde does, without cache markers, and noting where each block is.

use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;

use super::json::write_json;
use super::pieces::find_pieces;
use crate::layer::Layer;
use crate::source::{BlockSource, Source};
use crate::wire::{
    CacheControl, ContentBlock, MediaSource, Message, MessageEnd, ResultContent, Role, SystemBlock,
    Tool,
};

/// The JSON, and where each block is in it.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) bytes: Bytes,
    pub(super) blocks: Vec<EncodedBlock>,
}

/// One block in an [`Encoded`](super::Encoded).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodedBlock {
    /// Which bytes of its [`Encoded`](super::Encoded) the block has, braces included.
    pub range: Range<usize>,
    /// Which requests share the block.
    pub layer: Layer,
    /// True if the block is different, or gone, in the next request.
    pub volatile: bool,
    /// True if the next user message clears the block from the model's view.
    /// Its bytes stay.
    pub turn_scoped: bool,
    /// True if the block may have a cache marker.
    pub is_markable: bool,
    /// The cache marker that the caller set on the block. It is not in the
    /// bytes: a request's markers are chosen each time.
    pub marker: Option<CacheControl>,
    /// The source of the bytes that no piece covers.
    pub(super) owner: Source,
    /// The bytes from another source, in order and within `range`.
    pub(super) pieces: Vec<(Source, Range<usize>)>,
}

impl EncodedBlock {
    /// Returns where the block comes from. Parts of it may come from elsewhere.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.owner
    }

    pub(super) fn source_at(&self, offset: usize) -> &Source {
        let after = self.pieces.partition_point(|(_, range)| range.start <= offset);
        let found = after.checked_sub(1).map(|index| &self.pieces[index]);
        found.filter(|(_, range)| range.contains(&offset)).map_or(&self.owner, |(source, _)| source)
    }
}

impl Written {
    pub(super) fn new(bytes: Vec<u8>, blocks: Vec<EncodedBlock>) -> Self {
        Self { bytes: bytes.into(), blocks }
    }

    pub(super) fn message<'a>(
        message: &Message,
        about: impl Iterator<Item = (&'a BlockSource, Option<&'a CacheControl>)>,
    ) -> Self {
        let size: usize = message.content.iter().map(size_hint).sum();
        let mut out = Vec::with_capacity(size + 64);
        out.extend_from_slice(b"{\"role\":");
        write_json(&mut out, &message.role);
        out.extend_from_slice(b",\"content\":");
        let mut blocks = encode_blocks(&mut out, &message.content, about);
        if message.role == Role::System {
            for block in &mut blocks {
                block.is_markable = false;
            }
        }
        // `{}` or `{"clear_at":…}`: the members follow the content.
        let end = out.len();
        write_json(&mut out, &MessageEnd(message));
        if out.len() == end + "{}".len() {
            out.remove(end);
        } else {
            out[end] = b',';
        }
        Self::new(out, blocks)
    }

    pub(super) fn system(system: &[SystemBlock], about: &About) -> Self {
        let mut out = Vec::new();
        let blocks = encode_blocks(&mut out, system, about.iter());
        Self::new(out, blocks)
    }

    /// A deferred tool takes no marker: the API refuses one there.
    pub(super) fn tools(tools: &[Tool], markers: &[Option<CacheControl>]) -> Self {
        let mut out = Vec::new();
        let mut array = Array::open(&mut out);
        let blocks = tools
            .iter()
            .zip(markers)
            .map(|(tool, marker)| EncodedBlock {
                range: array.push(tool),
                layer: Layer::Static,
                volatile: false,
                turn_scoped: false,
                is_markable: tool.defer_loading != Some(true),
                marker: marker.clone(),
                owner: Source::Tool { name: tool.name.as_str().into() },
                pieces: Vec::new(),
            })
            .collect();
        array.close();
        Self::new(out, blocks)
    }
}

/// What is known about blocks in addition to their content.
pub(super) struct About {
    sources: Vec<BlockSource>,
    markers: Vec<Option<CacheControl>>,
}

impl About {
    /// Blocks from an unknown source, without markers of their own.
    pub(super) fn nothing(count: usize) -> Self {
        let unknown = BlockSource::new(Source::Envelope, Layer::Conversation);
        Self { sources: vec![unknown; count], markers: vec![None; count] }
    }

    /// Takes the cache markers off the blocks.
    pub(super) fn of_caller(blocks: &mut [ContentBlock], mut sources: Vec<BlockSource>) -> Self {
        let unknown = BlockSource::new(Source::Envelope, Layer::Conversation);
        sources.resize(blocks.len(), unknown);
        Self { sources, markers: blocks.iter_mut().map(ContentBlock::unmark).collect() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&BlockSource, Option<&CacheControl>)> {
        let markers = self.markers.iter().map(Option::as_ref);
        self.sources.iter().zip(markers)
    }
}

/// Writes the blocks as an array and returns their positions.
fn encode_blocks<'a>(
    out: &mut Vec<u8>,
    blocks: &[ContentBlock],
    about: impl Iterator<Item = (&'a BlockSource, Option<&'a CacheControl>)>,
) -> Vec<EncodedBlock> {
    let mut array = Array::open(out);
    let encoded = blocks
        .iter()
        .zip(about)
        .map(|(block, (source, marker))| {
            let range = array.push(block);
            EncodedBlock {
                layer: source.layer,
                volatile: source.volatile,
                turn_scoped: source.turn_scoped,
                is_markable: block.is_markable(),
                marker: marker.cloned(),
                owner: source.owner.clone(),
                pieces: find_pieces(block, &source.pieces, range.end),
                range,
            }
        })
        .collect();
    array.close();
    encoded
}

/// A JSON array that is written item by item.
struct Array<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Array<'a> {
    fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { out, is_empty: true }
    }

    /// Appends an item and returns its bytes.
    ///
    /// The range does not include the comma.
    fn push<T: Serialize>(&mut self, item: &T) -> Range<usize> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        let start = self.out.len();
        write_json(self.out, item);
        start..self.out.len()
    }

    fn close(self) {
        self.out.push(b']');
    }
}

/// About how many bytes the block's JSON has.
///
/// Used to allocate once; being wrong costs a copy, not an error.
fn size_hint(block: &ContentBlock) -> usize {
    let payload = match block {
        ContentBlock::Text(text) => text_hint(&text.text),
        ContentBlock::Image(image) => source_hint(&image.source),
        ContentBlock::Document(document) => source_hint(&document.source),
        ContentBlock::ToolResult(result) => match &result.content {
            ResultContent::Text(text) => text_hint(text),
            ResultContent::Blocks(blocks) => blocks.iter().map(size_hint).sum(),
        },
        ContentBlock::ToolUse(call) => call.input.get().len(),
        ContentBlock::Thinking(thinking) => {
            text_hint(&thinking.thinking) + thinking.signature.len()
        }
        _ => 0,
    };
    payload + 96
}

/// About how many bytes a source has. URLs and ids count nothing.
fn source_hint(source: &MediaSource) -> usize {
    match source {
        MediaSource::Base64 { data, .. } => data.len(),
        MediaSource::Text { data, .. } => text_hint(data),
        MediaSource::Content { content: raw } | MediaSource::Other(raw) => raw.get().len(),
        MediaSource::Url { .. } | MediaSource::File { .. } => 0,
    }
}

/// Escapes make a text longer.
///
/// Assumes one escaped byte in eight.
fn text_hint(text: &str) -> usize {
    text.len() + text.len() / 8
}
