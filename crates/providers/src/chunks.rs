//! Closed messages' bytes, as a list of shared chunks that stays short.

use bytes::Bytes;

/// Chunks are joined up to this many bytes. Larger ones would be copied too often, smaller ones
/// would make too many segments.
const CHUNK: usize = 256 * 1024;

/// Bytes that only grow, as a few shared pieces.
///
/// A piece joins the one before it as soon as that is not much longer. So a byte moves at most once
/// each time the length doubles, up to 256 KiB, and then never again.
///
/// A request with a 10 MB conversation therefore has fewer than a hundred segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunks {
    chunks: Vec<Bytes>,
    /// The sum of their lengths, in bytes.
    len: usize,
}

impl Chunks {
    /// Appends bytes. Chunks handed out before stay valid, because joining copies them.
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        self.len += bytes.len();
        let mut new = Bytes::from(bytes);
        let joins = |before: &Bytes, new: &Bytes| {
            before.len() <= 2 * new.len() && before.len() + new.len() < CHUNK
        };
        while let Some(before) = self.chunks.pop_if(|before| joins(before, &new)) {
            new = [before, new].concat().into();
        }
        self.chunks.push(new);
    }

    /// Returns how many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the chunks in order. Their clones share the bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Bytes> {
        self.chunks.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_few_chunks_however_much_was_pushed() {
        let mut chunks = Chunks::default();
        let mut expected = Vec::new();
        for index in 0_u32..3_000 {
            let piece = index.to_string().repeat(100).into_bytes();
            expected.extend_from_slice(&piece);
            chunks.push(piece);
        }
        let found: Vec<u8> = chunks.iter().flatten().copied().collect();
        assert_eq!(found, expected);
        assert!(chunks.iter().count() < expected.len() / CHUNK * 2 + 12);
    }
}
