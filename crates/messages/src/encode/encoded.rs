use std::iter;
use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;

use super::resolve::resolve;
use crate::source::{BlockSource, Layer, Source};
use crate::wire::{ContentBlock, Message, SystemBlock, Tool};

/// A message, the system prompt or the tools as JSON, and where each block is
/// in it.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub(super) bytes: Bytes,
    blocks: Vec<EncodedBlock>,
}

/// One block of an [`Encoded`].
#[derive(Clone, Debug)]
pub struct EncodedBlock {
    /// Its bytes, braces included.
    pub range: Range<usize>,
    /// Who shares it.
    pub layer: Layer,
    /// Whether it will be different, or gone, in the next request.
    pub volatile: bool,
    /// Whether a marker may be put on it.
    pub is_markable: bool,
    /// Whether its caller put a marker on it.
    pub is_marked: bool,
    owner: Source,
    /// In order, and within `range`.
    pieces: Vec<(Source, Range<usize>)>,
}

impl Encoded {
    /// Encodes a message; `sources` are those of its blocks.
    #[must_use]
    pub fn message(message: &Message, sources: Vec<BlockSource>) -> Self {
        let mut out = Vec::new();
        out.extend_from_slice(b"{\"role\":");
        write_json(&mut out, &message.role);
        out.extend_from_slice(b",\"content\":");
        let blocks = encode_blocks(&mut out, &message.content, sources);
        for (key, value) in &message.extra.0 {
            out.push(b',');
            write_json(&mut out, key);
            out.push(b':');
            write_json(&mut out, value);
        }
        out.push(b'}');
        Self {
            bytes: out.into(),
            blocks,
        }
    }

    /// Encodes the blocks of a system prompt as an array.
    #[must_use]
    pub fn system(blocks: &[SystemBlock], sources: Vec<BlockSource>) -> Self {
        let mut out = Vec::new();
        let blocks = encode_blocks(&mut out, blocks, sources);
        Self {
            bytes: out.into(),
            blocks,
        }
    }

    /// Encodes tools as an array.
    #[must_use]
    pub fn tools(tools: &[Tool]) -> Self {
        let mut out = Vec::new();
        let ranges = encode_array(&mut out, tools);
        let encoded = |(tool, range): (&Tool, _)| EncodedBlock {
            range,
            layer: Layer::Static,
            volatile: false,
            is_markable: tool.defer_loading != Some(true),
            is_marked: tool.cache_control.is_some(),
            owner: Source::Tool {
                name: tool.name.as_str().into(),
            },
            pieces: Vec::new(),
        };
        let blocks = tools.iter().zip(ranges).map(encoded).collect();
        Self {
            bytes: out.into(),
            blocks,
        }
    }

    /// The JSON.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[EncodedBlock] {
        &self.blocks
    }

    /// Whose the byte at `offset` is.
    pub(super) fn source_at(&self, offset: usize) -> &Source {
        self.blocks
            .iter()
            .find(|block| block.range.contains(&offset))
            .map_or(&Source::Envelope, |block| block.source_at(offset))
    }
}

impl EncodedBlock {
    fn source_at(&self, offset: usize) -> &Source {
        self.pieces
            .iter()
            .find(|(_, range)| range.contains(&offset))
            .map_or(&self.owner, |(source, _)| source)
    }
}

fn encode_blocks(
    out: &mut Vec<u8>,
    blocks: &[ContentBlock],
    sources: Vec<BlockSource>,
) -> Vec<EncodedBlock> {
    let ranges = encode_array(out, blocks);
    let encoded =
        |((block, range), source): ((&ContentBlock, Range<usize>), BlockSource)| EncodedBlock {
            layer: source.layer,
            volatile: source.volatile,
            is_markable: block.is_markable(),
            is_marked: block.cache_control().is_some(),
            pieces: resolve(block, source.pieces, range.start),
            owner: source.owner,
            range,
        };
    // A block that nobody speaks for is the envelope's, and still a block.
    let nobody = || BlockSource::new(Source::Envelope, Layer::Conversation);
    let sources = sources.into_iter().chain(iter::repeat_with(nobody));
    blocks
        .iter()
        .zip(ranges)
        .zip(sources)
        .map(encoded)
        .collect()
}

/// Writes an array and returns where its items are.
fn encode_array<T: Serialize>(out: &mut Vec<u8>, items: &[T]) -> Vec<Range<usize>> {
    out.push(b'[');
    let mut ranges = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let start = out.len();
        write_json(out, item);
        ranges.push(start..out.len());
    }
    out.push(b']');
    ranges
}

/// Every value of the wire has string keys, and memory does not fail to write.
pub(super) fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("wire types serialize");
}
