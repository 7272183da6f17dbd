use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::encoded::Encoded;
use crate::source::Source;

/// Stretches of messages are put together up to this many bytes.
const CHUNK: usize = 256 * 1024;

/// Messages that will not change, oldest first. Neighbours are kept as one
/// stretch of bytes, so that a request holds few segments however long the
/// conversation is.
///
/// A new message begins a stretch, and a stretch joins the one before it as
/// soon as that is not much longer: a byte is moved about as often as lengths
/// double on the way to 256 KiB, and then never again.
#[derive(Clone, Debug, Default)]
pub struct History {
    chunks: Vec<Arc<Chunk>>,
    len: usize,
}

/// Messages side by side, with a comma between two.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) bytes: Bytes,
    pub(super) messages: Vec<Arc<Encoded>>,
    /// Where each message begins.
    pub(super) starts: Vec<usize>,
}

impl History {
    /// Appends a message, all of whose blocks count as stable.
    pub fn push(&mut self, mut message: Arc<Encoded>) {
        if message.blocks().iter().any(|block| block.volatile) {
            Arc::make_mut(&mut message).settle();
        }
        self.len += 1;
        let mut chunk = Arc::new(Chunk::new(vec![message]));
        while let Some(before) = self.chunks.pop_if(|before| before.is_joined_by(&chunk)) {
            let mut messages = Arc::unwrap_or_clone(before).messages;
            messages.extend(Arc::unwrap_or_clone(chunk).messages);
            chunk = Arc::new(Chunk::new(messages));
        }
        self.chunks.push(chunk);
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Encoded>> + Clone {
        self.chunks.iter().flat_map(|chunk| &chunk.messages)
    }

    pub(super) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }
}

impl Chunk {
    fn new(messages: Vec<Arc<Encoded>>) -> Self {
        let len: usize = messages.iter().map(|it| it.bytes.len() + 1).sum();
        let mut bytes = Vec::with_capacity(len);
        let mut starts = Vec::with_capacity(messages.len());
        for message in &messages {
            if !bytes.is_empty() {
                bytes.push(b',');
            }
            starts.push(bytes.len());
            bytes.extend_from_slice(&message.bytes);
        }
        let bytes = Bytes::from(bytes);
        // The messages share the bytes of the chunk from now on.
        let messages = messages.into_iter().zip(&starts).map(|(message, start)| {
            let mut message = Arc::unwrap_or_clone(message);
            message.bytes = bytes.slice(*start..*start + message.bytes.len());
            Arc::new(message)
        });
        Self {
            messages: messages.collect(),
            bytes,
            starts,
        }
    }

    fn is_joined_by(&self, next: &Self) -> bool {
        let (own, next) = (self.bytes.len(), next.bytes.len());
        own <= 2 * next && own + next < CHUNK
    }

    /// The bytes of a block, where there is such a one.
    pub(super) fn block(&self, message: usize, block: usize) -> Option<Range<usize>> {
        let range = &self.messages.get(message)?.blocks().get(block)?.range;
        let start = self.starts[message];
        Some(start + range.start..start + range.end)
    }

    /// Whose the byte at `offset` is.
    pub(super) fn source_at(&self, offset: usize) -> &Source {
        let after = self.starts.partition_point(|start| *start <= offset);
        match after.checked_sub(1) {
            Some(index) => self.messages[index].source_at(offset - self.starts[index]),
            None => &Source::Envelope,
        }
    }
}
