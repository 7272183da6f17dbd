//! Messages, system prompts and tools in their final bytes.
//!
//! The bytes are what serde writes, without cache markers. Each block's range,
//! source and marker are kept next to them, so that a marker can be inserted
//! and a byte can be traced.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::Serialize;

use super::features::Features;
use super::hash::{BodyHash, Prefix, PrefixHashes};
use super::json::write_json;
use super::marker::{BlockRef, Marker};
use super::pieces::find_pieces;
use crate::layer::Layer;
use crate::source::{BlockSource, Source};
use crate::wire::{
    CacheControl, ContentBlock, MediaSource, Message, MessageEnd, ResultContent, Role, SystemBlock,
    Tool,
};

/// A message, the system prompt or the tools as JSON without cache markers: the
/// bytes, each block's position in them, and the typed value that they were
/// written from. Clones share the bytes and the typed value.
///
/// A verbatim one is written when its bytes or blocks are first asked for: a body for another wire
/// needs neither.
///
/// ```
/// use aside_messages::encode::Encoded;
/// use aside_messages::wire::{ContentBlock, Message, Role};
///
/// let message = Message::new(Role::User, vec![ContentBlock::text("Hi")]);
/// let encoded = Encoded::message(message, Vec::new());
/// let block = encoded.blocks()[0].range.clone();
/// assert_eq!(&encoded.bytes()[block], br#"{"type":"text","text":"Hi"}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Encoded {
    typed: Arc<Typed>,
    written: OnceLock<Written>,
    /// Computed for the first hash of a body with these bytes.
    hashes: OnceLock<PrefixHashes>,
}

/// The JSON, and where each block is in it.
#[derive(Clone, Debug)]
struct Written {
    bytes: Bytes,
    blocks: Vec<EncodedBlock>,
}

/// What was encoded, without cache markers.
///
/// Kept so that a body can be read as a request without parsing.
#[derive(Debug)]
enum Typed {
    Message(Message),
    System(Vec<SystemBlock>),
    Tools(Vec<Tool>),
}

/// One block in an [`Encoded`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodedBlock {
    /// Which bytes of its [`Encoded`] the block has, braces included.
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

impl Encoded {
    /// Encodes a message. `sources` are its blocks'; a block without one
    /// belongs to [`Source::Envelope`].
    #[must_use]
    pub fn message(mut message: Message, sources: Vec<BlockSource>) -> Self {
        let about = About::of_caller(&mut message.content, sources);
        Self::unmarked_message(message, about.iter())
    }

    /// Encodes a message whose blocks have no cache markers. `about` describes
    /// its blocks.
    pub(crate) fn unmarked_message<'a>(
        message: Message,
        about: impl Iterator<Item = (&'a BlockSource, Option<&'a CacheControl>)>,
    ) -> Self {
        let written = Written::message(&message, about);
        Self::new(Typed::Message(message), written)
    }

    /// Encodes a system prompt's blocks as an array. `sources` are the blocks'.
    #[must_use]
    pub fn system(mut system: Vec<SystemBlock>, sources: Vec<BlockSource>) -> Self {
        let about = About::of_caller(&mut system, sources);
        let written = Written::system(&system, &about);
        Self::new(Typed::System(system), written)
    }

    /// Encodes tools as an array.
    #[must_use]
    pub fn tools(mut tools: Vec<Tool>) -> Self {
        let markers: Vec<_> = tools.iter_mut().map(|it| it.cache_control.take()).collect();
        let written = Written::tools(&tools, &markers);
        Self::new(Typed::Tools(tools), written)
    }

    /// Encodes a message as it is: cache markers stay in its bytes.
    #[must_use]
    pub fn verbatim_message(message: Message) -> Self {
        Self::verbatim(Typed::Message(message))
    }

    /// Encodes a system prompt as it is: cache markers stay in its bytes.
    pub(super) fn verbatim_system(system: Vec<SystemBlock>) -> Self {
        Self::verbatim(Typed::System(system))
    }

    /// Encodes tools as they are: cache markers stay in their bytes.
    #[must_use]
    pub fn verbatim_tools(tools: Vec<Tool>) -> Self {
        Self::verbatim(Typed::Tools(tools))
    }

    fn new(typed: Typed, written: Written) -> Self {
        Self {
            written: written.into(),
            ..Self::verbatim(typed)
        }
    }

    fn verbatim(typed: Typed) -> Self {
        Self {
            typed: Arc::new(typed),
            written: OnceLock::new(),
            hashes: OnceLock::new(),
        }
    }

    /// Takes bytes that are known to be the message's JSON.
    pub(super) fn message_of_bytes(
        bytes: Vec<u8>,
        message: Message,
        blocks: Vec<EncodedBlock>,
    ) -> Self {
        Self::new(Typed::Message(message), Written::new(bytes, blocks))
    }

    fn written(&self) -> &Written {
        self.written.get_or_init(|| Written::verbatim(&self.typed))
    }

    /// Returns a copy with other blocks. The bytes are shared.
    fn with_blocks(&self, change: impl FnMut(&mut EncodedBlock)) -> Self {
        let mut written = self.written().clone();
        written.blocks.iter_mut().for_each(change);
        Self {
            typed: self.typed.clone(),
            written: written.into(),
            hashes: self.hashes.clone(),
        }
    }

    /// Returns the JSON, to share it.
    pub(super) fn shared_bytes(&self) -> &Bytes {
        &self.written().bytes
    }

    /// Takes its bytes from `all`, where they start at `start`.
    pub(super) fn share(&mut self, all: &Bytes, start: usize) {
        let bytes = all.slice(start..start + self.bytes().len());
        if let Some(written) = self.written.get_mut() {
            written.bytes = bytes;
        }
    }

    /// Returns the JSON.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.shared_bytes()
    }

    /// Returns the message that was encoded, without its cache markers; `None`
    /// for a system prompt or tools.
    #[must_use]
    pub fn as_message(&self) -> Option<&Message> {
        match &*self.typed {
            Typed::Message(message) => Some(message),
            Typed::System(_) | Typed::Tools(_) => None,
        }
    }

    /// Returns the system prompt blocks that were encoded, without their cache
    /// markers; none for messages or tools.
    #[must_use]
    pub fn as_system(&self) -> &[SystemBlock] {
        match &*self.typed {
            Typed::System(blocks) => blocks,
            Typed::Message(_) | Typed::Tools(_) => &[],
        }
    }

    /// Returns the tools that were encoded, without their cache markers; none
    /// for messages or a system prompt.
    #[must_use]
    pub fn as_tools(&self) -> &[Tool] {
        match &*self.typed {
            Typed::Tools(tools) => tools,
            Typed::Message(_) | Typed::System(_) => &[],
        }
    }

    /// Returns the role, if this is a message.
    #[must_use]
    pub fn role(&self) -> Option<&Role> {
        self.as_message().map(|message| &message.role)
    }

    /// Returns the blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[EncodedBlock] {
        &self.written().blocks
    }

    /// Returns the cache markers that callers put into this message, the one at
    /// `message` in its request.
    pub(crate) fn caller_markers(&self, message: usize) -> impl Iterator<Item = Marker> {
        let blocks = self.blocks().iter().enumerate();
        blocks.filter_map(move |(block, encoded)| {
            let control = encoded.marker.clone()?;
            let at = BlockRef::Message { message, block };
            Some(Marker { at, control })
        })
    }

    /// Returns a copy with all blocks volatile. The bytes are shared.
    pub(crate) fn volatile(&self) -> Self {
        self.with_blocks(|block| block.volatile = true)
    }

    /// Returns a copy for the history: no block is volatile, and none is in the
    /// last group of system messages. The bytes are shared.
    pub(crate) fn closed(&self) -> Self {
        self.with_blocks(|block| (block.volatile, block.turn_scoped) = (false, false))
    }

    /// Hashes the bytes, once.
    ///
    /// Clones made earlier have to compute their own.
    #[must_use]
    pub fn hash(&self) -> BodyHash {
        self.prefix_hash(self.bytes().len()).into()
    }

    /// Hashes the first `len` bytes. The work is constant if they end where a
    /// marker can go or at the end.
    pub(super) fn prefix_hash(&self, len: usize) -> Prefix {
        let cuts = || self.blocks().iter().map(|block| block.range.end - 1);
        let hashes = self
            .hashes
            .get_or_init(|| PrefixHashes::new(self.bytes(), cuts()));
        hashes.at(len, self.bytes())
    }

    /// Returns true for a system message that may be after another message in
    /// the next request.
    pub(super) fn is_open_system(&self) -> bool {
        self.role() == Some(&Role::System) && self.blocks().iter().any(|block| block.volatile)
    }

    /// Returns the message's features that need a beta.
    pub(super) fn features(&self) -> Features {
        self.as_message().map(Features::of).unwrap_or_default()
    }

    pub(super) fn source_at(&self, offset: usize) -> &Source {
        let after = self
            .blocks()
            .partition_point(|block| block.range.end <= offset);
        let found = self.blocks().get(after);
        found
            .filter(|block| block.range.contains(&offset))
            .map_or(&Source::Envelope, |block| block.source_at(offset))
    }
}

impl EncodedBlock {
    /// Returns where the block comes from. Parts of it may come from elsewhere.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.owner
    }

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

impl Written {
    fn new(bytes: Vec<u8>, blocks: Vec<EncodedBlock>) -> Self {
        Self {
            bytes: bytes.into(),
            blocks,
        }
    }

    fn verbatim(typed: &Typed) -> Self {
        match typed {
            Typed::Message(message) => {
                Self::message(message, About::nothing(message.content.len()).iter())
            }
            Typed::System(system) => Self::system(system, &About::nothing(system.len())),
            Typed::Tools(tools) => Self::tools(tools, &vec![None; tools.len()]),
        }
    }

    fn message<'a>(
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

    fn system(system: &[SystemBlock], about: &About) -> Self {
        let mut out = Vec::new();
        let blocks = encode_blocks(&mut out, system, about.iter());
        Self::new(out, blocks)
    }

    /// A deferred tool takes no marker: the API refuses one there.
    fn tools(tools: &[Tool], markers: &[Option<CacheControl>]) -> Self {
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
                owner: Source::Tool {
                    name: tool.name.as_str().into(),
                },
                pieces: Vec::new(),
            })
            .collect();
        array.close();
        Self::new(out, blocks)
    }
}

/// What is known about blocks in addition to their content.
struct About {
    sources: Vec<BlockSource>,
    markers: Vec<Option<CacheControl>>,
}

impl About {
    /// Blocks from an unknown source, without markers of their own.
    fn nothing(count: usize) -> Self {
        let unknown = BlockSource::new(Source::Envelope, Layer::Conversation);
        Self {
            sources: vec![unknown; count],
            markers: vec![None; count],
        }
    }

    /// Takes the cache markers off the blocks.
    fn of_caller(blocks: &mut [ContentBlock], mut sources: Vec<BlockSource>) -> Self {
        let unknown = BlockSource::new(Source::Envelope, Layer::Conversation);
        sources.resize(blocks.len(), unknown);
        Self {
            sources,
            markers: blocks.iter_mut().map(ContentBlock::unmark).collect(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&BlockSource, Option<&CacheControl>)> {
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
        Self {
            out,
            is_empty: true,
        }
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
