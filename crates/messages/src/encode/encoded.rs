//! Messages, system prompts and tools in their final bytes.
//!
//! Each block's range, source and marker are kept next to the bytes, so that a marker can be
//! inserted and a byte can be traced.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::features::Features;
use super::hash::{BodyHash, Prefix, PrefixHashes};
use super::marker::{BlockRef, Marker};
use super::written::{About, EncodedBlock, Written};
use crate::source::{BlockSource, Source};
use crate::wire::{
    CacheControl, ContentBlock, MediaSource, Message, Role, SystemBlock, Tool, document,
};

/// A message, the system prompt or the tools as JSON without cache markers: the
/// bytes, each block's position in them, and the typed value that they were
/// written from. Clones share the bytes and the typed value.
///
/// A verbatim one is written when its bytes or blocks are first asked for: a body for another wire
/// needs neither. Of a message in a long history only the bytes are kept; its typed value is read
/// from them when it is asked for.
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
    typed: OnceLock<Arc<Typed>>,
    /// The role, if this is a message.
    role: Option<Role>,
    written: OnceLock<Written>,
    /// Computed for the first hash of a body with these bytes.
    hashes: OnceLock<PrefixHashes>,
}

/// What was encoded, without cache markers.
#[derive(Debug)]
enum Typed {
    Message(Message),
    System(Vec<SystemBlock>),
    Tools(Vec<Tool>),
}

impl Typed {
    fn as_message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::System(_) | Self::Tools(_) => None,
        }
    }
}

fn is_read_again(block: &ContentBlock) -> bool {
    match block {
        ContentBlock::Other(_) => false,
        ContentBlock::Image(image) => !matches!(image.source, MediaSource::Other(_)),
        ContentBlock::Document(document) => !matches!(document.source, MediaSource::Other(_)),
        ContentBlock::ToolResult(result) => result.content.blocks().iter().all(is_read_again),
        _ => true,
    }
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
        Self { written: written.into(), ..Self::verbatim(typed) }
    }

    fn verbatim(typed: Typed) -> Self {
        Self {
            role: typed.as_message().map(|it| it.role.clone()),
            typed: Arc::new(typed).into(),
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

    /// One of the typed value and the bytes is always there.
    fn typed(&self) -> &Typed {
        self.typed.get_or_init(|| {
            let read = document(self.bytes()).expect("what was written can be read");
            Arc::new(Typed::Message(read.value))
        })
    }

    /// Keeps only the bytes of a message, unless it has a block that may not be read again: a
    /// caller can give any JSON to one of another type, or to its source.
    pub(super) fn forget_typed(&mut self) {
        let is_written = self.written.get().is_some();
        let message = self.typed.get().and_then(|it| it.as_message());
        if message.is_some_and(|it| is_written && it.content.iter().all(is_read_again)) {
            self.typed = OnceLock::new();
        }
    }

    /// Returns true if the typed value is kept, too.
    #[cfg(test)]
    pub(super) fn is_typed(&self) -> bool {
        self.typed.get().is_some()
    }

    fn written(&self) -> &Written {
        self.written.get_or_init(|| match self.typed() {
            Typed::Message(message) => {
                Written::message(message, About::nothing(message.content.len()).iter())
            }
            Typed::System(system) => Written::system(system, &About::nothing(system.len())),
            Typed::Tools(tools) => Written::tools(tools, &vec![None; tools.len()]),
        })
    }

    /// Returns a copy with other blocks. The bytes are shared.
    fn with_blocks(&self, change: impl FnMut(&mut EncodedBlock)) -> Self {
        let mut written = self.written().clone();
        written.blocks.iter_mut().for_each(change);
        Self {
            typed: self.typed.clone(),
            role: self.role.clone(),
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
        self.typed().as_message()
    }

    /// Returns the system prompt blocks that were encoded, without their cache
    /// markers; none for messages or tools.
    #[must_use]
    pub fn as_system(&self) -> &[SystemBlock] {
        match self.typed() {
            Typed::System(blocks) => blocks,
            Typed::Message(_) | Typed::Tools(_) => &[],
        }
    }

    /// Returns the tools that were encoded, without their cache markers; none
    /// for messages or a system prompt.
    #[must_use]
    pub fn as_tools(&self) -> &[Tool] {
        match self.typed() {
            Typed::Tools(tools) => tools,
            Typed::Message(_) | Typed::System(_) => &[],
        }
    }

    /// Returns the role, if this is a message.
    #[must_use]
    pub fn role(&self) -> Option<&Role> {
        self.role.as_ref()
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
        let hashes = self.hashes.get_or_init(|| PrefixHashes::new(self.bytes(), cuts()));
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
        let after = self.blocks().partition_point(|block| block.range.end <= offset);
        let found = self.blocks().get(after);
        found
            .filter(|block| block.range.contains(&offset))
            .map_or(&Source::Envelope, |block| block.source_at(offset))
    }
}
