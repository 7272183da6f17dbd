use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::encoded::{Encoded, write_json};
use super::marker::{BlockRef, Marker, MarkerError};
use crate::source::Source;
use crate::wire::{Parameters, Request};

/// What a [`Body`] is put together from.
#[derive(Debug)]
pub struct BodyParts<'a, M> {
    /// The parameters. Its tools, system prompt and messages are not looked
    /// at.
    pub parameters: &'a Request,
    /// The tools; without any, the key is left out.
    pub tools: &'a Arc<Encoded>,
    /// The system prompt; without blocks, the key is left out.
    pub system: &'a Arc<Encoded>,
    /// The messages, oldest first.
    pub messages: M,
    /// The cache markers to put in.
    pub markers: &'a [Marker],
}

/// The bytes of a request, as a list of shared segments: what earlier requests
/// held is not copied, and can be sent as it is.
#[derive(Clone, Debug)]
pub struct Body {
    segments: Vec<Segment>,
    len: usize,
    volatile: Vec<Range<usize>>,
}

#[derive(Clone, Debug)]
struct Segment {
    bytes: Bytes,
    start: usize,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    /// Parameters and brackets.
    Envelope,
    /// A cache marker that was put in.
    Marker,
    /// A list of blocks, from this offset in it.
    Part(Arc<Encoded>, usize),
}

impl Body {
    /// Puts a request together.
    ///
    /// # Errors
    /// A marker that names no block, or the block of another marker.
    pub fn new<'m, M>(parts: BodyParts<'_, M>) -> Result<Self, MarkerError>
    where
        M: IntoIterator<Item = &'m Arc<Encoded>>,
    {
        let mut markers: Vec<&Marker> = parts.markers.iter().collect();
        markers.sort_by_key(|marker| marker.at);
        let mut builder = Builder::new(markers);
        builder.push(parameters(parts.parameters), Of::Envelope);
        if !parts.tools.blocks().is_empty() {
            builder.text(b"\"tools\":");
            builder.part(parts.tools, BlockRef::Tool);
            builder.text(b",");
        }
        if !parts.system.blocks().is_empty() {
            builder.text(b"\"system\":");
            builder.part(parts.system, BlockRef::System);
            builder.text(b",");
        }
        builder.text(b"\"messages\":[");
        for (message, encoded) in parts.messages.into_iter().enumerate() {
            if message > 0 {
                builder.text(b",");
            }
            builder.part(encoded, |block| BlockRef::Message { message, block });
        }
        builder.text(b"]}");
        builder.finish()
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

    /// Who put the byte at `offset` there; past the end it is the envelope.
    #[must_use]
    pub fn source_at(&self, offset: usize) -> &Source {
        let after = self
            .segments
            .partition_point(|segment| segment.start <= offset);
        match after.checked_sub(1).map(|index| &self.segments[index]) {
            Some(Segment {
                start,
                of: Of::Part(part, from),
                ..
            }) if offset < self.len => part.source_at(offset - start + from),
            _ => &Source::Envelope,
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

/// `{"model":…,` up to where the tools begin.
fn parameters(request: &Request) -> Bytes {
    let mut out = Vec::new();
    write_json(&mut out, &Parameters(request));
    let end = out.len() - b"\"messages\":[]}".len();
    out.truncate(end);
    out.into()
}

struct Builder<'a> {
    body: Body,
    markers: std::iter::Peekable<std::vec::IntoIter<&'a Marker>>,
}

impl<'a> Builder<'a> {
    fn new(markers: Vec<&'a Marker>) -> Self {
        let body = Body {
            segments: Vec::new(),
            len: 0,
            volatile: Vec::new(),
        };
        Self {
            body,
            markers: markers.into_iter().peekable(),
        }
    }

    fn push(&mut self, bytes: Bytes, of: Of) {
        let start = self.body.len;
        self.body.len += bytes.len();
        self.body.segments.push(Segment { bytes, start, of });
    }

    fn text(&mut self, text: &'static [u8]) {
        self.push(Bytes::from_static(text), Of::Envelope);
    }

    /// Adds an encoded part, with the markers that belong into it.
    fn part(&mut self, part: &Arc<Encoded>, at: impl Fn(usize) -> BlockRef) {
        let mut sent = 0;
        let mut inserted = 0;
        let start = self.body.len;
        for (index, block) in part.blocks().iter().enumerate() {
            let from = start + block.range.start + inserted;
            if let Some(marker) = self.markers.next_if(|marker| marker.at == at(index)) {
                let brace = block.range.end - 1;
                self.push(part.bytes.slice(sent..brace), Of::Part(part.clone(), sent));
                let marker = marker_json(marker);
                inserted += marker.len();
                self.push(marker, Of::Marker);
                sent = brace;
            }
            if block.volatile {
                self.body
                    .volatile
                    .push(from..start + block.range.end + inserted);
            }
        }
        self.push(part.bytes.slice(sent..), Of::Part(part.clone(), sent));
    }

    /// Every marker has found its block by now, or never will.
    fn finish(mut self) -> Result<Body, MarkerError> {
        match self.markers.next() {
            Some(marker) => Err(MarkerError { at: marker.at }),
            None => Ok(self.body),
        }
    }
}

fn marker_json(marker: &Marker) -> Bytes {
    let mut out = b",\"cache_control\":".to_vec();
    write_json(&mut out, &marker.control);
    out.into()
}
