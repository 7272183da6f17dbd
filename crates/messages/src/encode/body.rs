use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::builder::Builder;
use super::encoded::Encoded;
use super::history::{Chunk, History};
use super::marker::{Marker, MarkerError};
use crate::source::Source;
use crate::wire::{ReadError, Request};

/// What a [`Body`] is put together from.
#[derive(Clone, Copy, Debug)]
pub struct BodyParts<'a> {
    /// The parameters. Its tools, system prompt and messages are not looked
    /// at.
    pub parameters: &'a Request,
    /// The tools; without any, the key is left out.
    pub tools: &'a Arc<Encoded>,
    /// The system prompt; without blocks, the key is left out.
    pub system: &'a Arc<Encoded>,
    /// The messages that will not change, oldest first.
    pub history: &'a History,
    /// The messages behind them.
    pub tail: &'a [Arc<Encoded>],
    /// The cache markers to put in.
    pub markers: &'a [Marker],
}

/// The bytes of a request, as a list of shared segments: what earlier requests
/// held is not copied, and can be sent as it is.
#[derive(Clone, Debug)]
pub struct Body {
    pub(super) segments: Vec<Segment>,
    pub(super) len: usize,
    pub(super) volatile: Vec<Range<usize>>,
}

#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) bytes: Bytes,
    pub(super) start: usize,
    pub(super) of: Of,
}

/// Whose bytes a segment holds.
#[derive(Clone, Debug)]
pub(super) enum Of {
    /// Parameters and brackets.
    Envelope,
    /// A cache marker that was put in.
    Marker,
    /// A list of blocks, from this offset in it.
    Part(Arc<Encoded>, usize),
    /// Messages side by side, from this offset in them.
    Chunk(Arc<Chunk>, usize),
}

impl Body {
    /// Puts a request together.
    ///
    /// # Errors
    /// A marker that names no block, or the block of another marker.
    pub fn new(parts: BodyParts<'_>) -> Result<Self, MarkerError> {
        Builder::build(parts)
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: there are at least the braces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes, in order.
    pub fn chunks(&self) -> impl Iterator<Item = &Bytes> {
        self.segments.iter().map(|segment| &segment.bytes)
    }

    /// Appends the bytes to `out`.
    pub fn write_into(&self, out: &mut Vec<u8>) {
        out.reserve(self.len);
        for segment in &self.segments {
            out.extend_from_slice(&segment.bytes);
        }
    }

    /// The bytes in one piece.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_into(&mut out);
        out
    }

    /// The request as a typed value, markers included; written by serde, it
    /// has the same bytes.
    ///
    /// # Errors
    /// Where an unknown key that a caller added doubles a known one.
    pub fn to_request(&self) -> Result<Request, ReadError> {
        Request::parse(&self.to_vec()).map(|parsed| parsed.value)
    }

    /// Who put the byte at `offset` there; past the end it is the envelope.
    #[must_use]
    pub fn source_at(&self, offset: usize) -> &Source {
        let after = self
            .segments
            .partition_point(|segment| segment.start <= offset);
        let Some(segment) = after.checked_sub(1).map(|index| &self.segments[index]) else {
            return &Source::Envelope;
        };
        let within = offset - segment.start;
        match &segment.of {
            _ if offset >= self.len => &Source::Envelope,
            Of::Part(part, from) => part.source_at(within + from),
            Of::Chunk(chunk, from) => chunk.source_at(within + from),
            Of::Envelope | Of::Marker => &Source::Envelope,
        }
    }

    /// What the next request of the session begins with: the bytes without the
    /// markers that were put in and without the closing brackets, up to the
    /// first volatile block.
    #[must_use]
    pub fn stable_prefix(&self) -> Vec<u8> {
        let closed = self.len - b"]}".len();
        let end = self.volatile.first().map_or(closed, |range| range.start);
        let mut out = Vec::with_capacity(end);
        for Segment { bytes, start, of } in &self.segments {
            if !matches!(of, Of::Marker) {
                let within = end.saturating_sub(*start).min(bytes.len());
                out.extend_from_slice(&bytes[..within]);
            }
        }
        // Where the volatile block will be gone, so will the comma before it.
        if !self.volatile.is_empty() && out.last() == Some(&b',') {
            out.pop();
        }
        out
    }

    /// The blocks that will be different, or gone, in the next request.
    #[must_use]
    pub fn volatile(&self) -> &[Range<usize>] {
        &self.volatile
    }
}
