//! Joining messages into one segment. With few segments, writing to a socket
//! takes few system calls.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::encoded::Encoded;
use super::hash::Prefix;
use crate::source::Source;

/// How long a chunk may get by joining messages.
const MAX_CHUNK_BYTES: usize = 256 * 1024;

/// How many of the last messages in a chunk keep their typed values: what checks and converts a new
/// message reads it with the request that closes it.
const TYPED_MESSAGES: usize = 8;

/// Consecutive messages, separated by commas.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) bytes: Bytes,
    pub(super) messages: Vec<Arc<Encoded>>,
    /// Where each message starts.
    starts: Vec<usize>,
    /// The hash up to each message, computed on demand.
    hashes: OnceLock<Vec<Prefix>>,
}

impl Chunk {
    /// Creates a chunk from one message, and shares its bytes.
    pub(super) fn new(message: Arc<Encoded>) -> Self {
        Self {
            bytes: message.shared_bytes().clone(),
            messages: vec![message],
            starts: vec![0],
            hashes: OnceLock::new(),
        }
    }

    /// Joins two chunks. The messages share the new one's bytes.
    ///
    /// Copies the bytes of both. The messages get slices of the new bytes, so that the old ones can
    /// be freed, and all but the last few keep only these.
    pub(super) fn join(self, next: Self) -> Self {
        let offset = self.bytes.len() + 1;
        let mut bytes = Vec::with_capacity(offset + next.bytes.len());
        bytes.extend_from_slice(&self.bytes);
        bytes.push(b',');
        bytes.extend_from_slice(&next.bytes);
        let bytes = Bytes::from(bytes);
        let (mut messages, mut starts) = (self.messages, self.starts);
        messages.extend(next.messages);
        starts.extend(next.starts.iter().map(|start| offset + start));
        let untyped = messages.len().saturating_sub(TYPED_MESSAGES);
        for (index, (message, start)) in messages.iter_mut().zip(&starts).enumerate() {
            // Copies the block positions if the message is shared.
            let message = Arc::make_mut(message);
            message.share(&bytes, *start);
            if index < untyped {
                message.forget_typed();
            }
        }
        Self { bytes, messages, starts, hashes: OnceLock::new() }
    }

    /// Returns true if `next` is to be joined to this chunk.
    ///
    /// This condition keeps the chunks' lengths falling, so that a byte is
    /// copied once per doubling.
    pub(super) fn is_joined_by(&self, next: &Self) -> bool {
        let (own, next) = (self.bytes.len(), next.bytes.len());
        own <= 2 * next && own + next < MAX_CHUNK_BYTES
    }

    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, &Arc<Encoded>)> {
        self.starts.iter().copied().zip(&self.messages)
    }

    pub(super) fn block(&self, message: usize, block: usize) -> Option<Range<usize>> {
        let range = &self.messages.get(message)?.blocks().get(block)?.range;
        let start = self.starts[message];
        Some(start + range.start..start + range.end)
    }

    /// Hashes the first `len` bytes. The work is constant if they end where a
    /// marker can go, between messages or at the end.
    pub(super) fn prefix_hash(&self, len: usize) -> Prefix {
        let hashes = self.hashes.get_or_init(|| self.hash_starts());
        let after = self.starts.partition_point(|start| *start <= len);
        let Some(index) = after.checked_sub(1) else {
            return Prefix::default();
        };
        let within = (len - self.starts[index]).min(self.messages[index].bytes().len());
        let message = self.messages[index].prefix_hash(within);
        let up_to_comma = hashes[index].followed_by(message);
        match len - self.starts[index] - within {
            0 => up_to_comma,
            _ => up_to_comma.followed_by(Prefix::of(b",")),
        }
    }

    /// Hashes each message once; the messages keep their hashes.
    fn hash_starts(&self) -> Vec<Prefix> {
        let mut hash = Prefix::default();
        let comma = Prefix::of(b",");
        let start = |message: &Arc<Encoded>| {
            let start = hash;
            let whole = message.prefix_hash(message.bytes().len());
            hash = hash.followed_by(whole).followed_by(comma);
            start
        };
        self.messages.iter().map(start).collect()
    }

    pub(super) fn source_at(&self, offset: usize) -> &Source {
        let after = self.starts.partition_point(|start| *start <= offset);
        match after.checked_sub(1) {
            Some(index) => self.messages[index].source_at(offset - self.starts[index]),
            None => &Source::Envelope,
        }
    }
}
