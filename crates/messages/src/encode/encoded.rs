use std::iter;
use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;

use super::resolve::resolve;
use crate::source::{BlockSource, Layer, Source};
use crate::wire::{CacheControl, ContentBlock, Message, Role, SystemBlock, Tool};

/// A message, the system prompt or the tools as JSON without cache markers, and
/// where each block is in it.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub(super) bytes: Bytes,
    role: Option<Role>,
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
    /// What its caller marked it with. It is not in the bytes: where markers
    /// go is decided for each request.
    pub marker: Option<CacheControl>,
    owner: Source,
    /// In order, and within `range`.
    pieces: Vec<(Source, Range<usize>)>,
}

impl Encoded {
    /// Encodes a message; `sources` are those of its blocks.
    #[must_use]
    pub fn message(message: Message, sources: Vec<BlockSource>) -> Self {
        let mut out = Vec::new();
        out.extend_from_slice(b"{\"role\":");
        write_json(&mut out, &message.role);
        out.extend_from_slice(b",\"content\":");
        let mut blocks = encode_blocks(&mut out, message.content, sources);
        if message.role == Role::System {
            blocks
                .iter_mut()
                .for_each(|block| block.is_markable = false);
        }
        for (key, value) in &message.extra.0 {
            out.push(b',');
            write_json(&mut out, key);
            out.push(b':');
            write_json(&mut out, value);
        }
        out.push(b'}');
        Self {
            bytes: out.into(),
            role: Some(message.role),
            blocks,
        }
    }

    /// Encodes the blocks of a system prompt as an array.
    #[must_use]
    pub fn system(blocks: Vec<SystemBlock>, sources: Vec<BlockSource>) -> Self {
        let mut out = Vec::new();
        let blocks = encode_blocks(&mut out, blocks, sources);
        Self {
            bytes: out.into(),
            role: None,
            blocks,
        }
    }

    /// Encodes tools as an array.
    #[must_use]
    pub fn tools(mut tools: Vec<Tool>) -> Self {
        let mut out = Vec::new();
        let markers: Vec<_> = tools.iter_mut().map(|it| it.cache_control.take()).collect();
        let ranges = encode_array(&mut out, &tools);
        let encoded = |((tool, range), marker): ((&Tool, _), _)| EncodedBlock {
            range,
            layer: Layer::Static,
            volatile: false,
            is_markable: tool.defer_loading != Some(true),
            marker,
            owner: Source::Tool {
                name: tool.name.as_str().into(),
            },
            pieces: Vec::new(),
        };
        let blocks = tools.iter().zip(ranges).zip(markers).map(encoded).collect();
        Self {
            bytes: out.into(),
            role: None,
            blocks,
        }
    }

    /// The JSON.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Who speaks, in a message.
    #[must_use]
    pub fn role(&self) -> Option<&Role> {
        self.role.as_ref()
    }

    /// The blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[EncodedBlock] {
        &self.blocks
    }

    /// Every block will be there again in the next request.
    pub(super) fn settle(&mut self) {
        for block in &mut self.blocks {
            block.volatile = false;
        }
    }

    /// Whose the byte at `offset` is.
    pub(super) fn source_at(&self, offset: usize) -> &Source {
        let after = self
            .blocks
            .partition_point(|block| block.range.end <= offset);
        let found = self.blocks.get(after);
        found
            .filter(|block| block.range.contains(&offset))
            .map_or(&Source::Envelope, |block| block.source_at(offset))
    }
}

impl EncodedBlock {
    fn source_at(&self, offset: usize) -> &Source {
        let after = self
            .pieces
            .partition_point(|(_, range)| range.start <= offset);
        let found = after.checked_sub(1).map(|index| &self.pieces[index]);
        found
            .filter(|(_, range)| range.contains(&offset))
            .map_or(&self.owner, |(source, _)| source)
    }
}

fn encode_blocks(
    out: &mut Vec<u8>,
    mut blocks: Vec<ContentBlock>,
    sources: Vec<BlockSource>,
) -> Vec<EncodedBlock> {
    let markers: Vec<_> = blocks.iter_mut().map(ContentBlock::unmark).collect();
    let ranges = encode_array(out, &blocks);
    // A block that nobody speaks for is the envelope's, and still a block.
    let nobody = || BlockSource::new(Source::Envelope, Layer::Conversation);
    let sources = sources.into_iter().chain(iter::repeat_with(nobody));
    let blocks = blocks.iter().zip(ranges).zip(markers).zip(sources);
    let encoded = blocks.map(|(((block, range), marker), source)| EncodedBlock {
        layer: source.layer,
        volatile: source.volatile,
        is_markable: block.is_markable(),
        marker,
        pieces: resolve(block, source.pieces, range.start),
        owner: source.owner,
        range,
    });
    encoded.collect()
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
