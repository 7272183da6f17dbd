//! Memory for long bodies, which is used again.
//!
//! A session sends all of its messages in each turn. To map fresh memory for a body costs several
//! times as much as to copy it, since the system clears each page. So the memory of a body is kept
//! for a later one.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

/// Shorter bodies get memory from the allocator, which keeps some itself.
const MIN_BYTES: usize = 64 << 10;

/// How much memory to keep.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Memory that no body uses, the latest last. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

/// A body's bytes; its memory goes back.
struct Lent {
    bytes: Vec<u8>,
    buffers: Buffers,
}

impl Buffers {
    /// Returns an empty buffer with this capacity, or up to an eighth more.
    pub(crate) fn take(&self, capacity: usize) -> Vec<u8> {
        if capacity < MIN_BYTES {
            return Vec::with_capacity(capacity);
        }
        let fits = |it: &Vec<u8>| (capacity..=capacity + capacity / 8).contains(&it.capacity());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter().rposition(fits) {
            Some(found) => kept.remove(found),
            // The session's next body is a little longer.
            None => Vec::with_capacity(capacity + capacity / 16),
        }
    }

    /// Returns parts as one.
    pub(crate) fn join(&self, parts: &[Bytes]) -> Bytes {
        let mut joined = self.take(parts.iter().map(Bytes::len).sum());
        parts.iter().for_each(|it| joined.extend_from_slice(it));
        self.freeze(joined)
    }

    /// Returns a buffer's bytes. When they are dropped, its memory is kept, and the oldest is freed
    /// if there is too much.
    pub(crate) fn freeze(&self, bytes: Vec<u8>) -> Bytes {
        if bytes.capacity() < MIN_BYTES {
            return bytes.into();
        }
        let buffers = self.clone();
        Bytes::from_owner(Lent { bytes, buffers })
    }
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut bytes = mem::take(&mut self.bytes);
        bytes.clear();
        let mut kept = self.buffers.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(bytes);
        let mut sum: usize = kept.iter().map(Vec::capacity).sum();
        while sum > MAX_KEPT_BYTES {
            sum -= kept.remove(0).capacity();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_if_it_fits() {
        let buffers = Buffers::default();
        let lend = |length: usize| {
            let mut buffer = buffers.take(length);
            let place = buffer.as_ptr();
            buffer.resize(length, b'a');
            let bytes = buffers.freeze(buffer);
            assert_eq!((bytes.len(), bytes.as_ptr()), (length, place));
            (bytes, place)
        };
        let (first, place) = lend(1 << 20);
        let part = first.slice(10..20);
        drop(first);
        let (second, other) = lend(1 << 20);
        assert_ne!(other, place, "a part is still used");
        drop(part);
        assert_eq!(lend((1 << 20) + 1_000).1, place);
        drop(second);
        assert_eq!(buffers.take(MIN_BYTES).capacity() / MIN_BYTES, 1, "much too large");
        drop(buffers.freeze(buffers.take(MAX_KEPT_BYTES)));
        assert!(buffers.0.lock().unwrap().is_empty(), "too much to keep");
    }
}
