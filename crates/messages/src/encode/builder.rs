use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::body::{Body, BodyParts, Of, Segment};
use super::encoded::{Encoded, write_json};
use super::history::Chunk;
use super::marker::{BlockRef, Marker, MarkerError};
use crate::wire::{Parameters, Request};

/// Puts a request together, front to back; markers go in as their blocks pass.
pub(super) struct Builder<'a> {
    body: Body,
    markers: std::iter::Peekable<std::vec::IntoIter<&'a Marker>>,
    /// How many messages passed.
    messages: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn build(parts: BodyParts<'a>) -> Result<Body, MarkerError> {
        let mut markers: Vec<&Marker> = parts.markers.iter().collect();
        markers.sort_by_key(|marker| marker.at);
        let chunks = parts.history.chunks();
        // A comma for each, a marker and the rest of what it cuts, and what
        // stands around.
        let pieces = chunks.len() + parts.tail.len() + markers.len();
        let mut builder = Self {
            body: Body {
                segments: Vec::with_capacity(2 * pieces + 8),
                len: 0,
                volatile: Vec::new(),
            },
            markers: markers.into_iter().peekable(),
            messages: 0,
        };
        builder.push(parameters(parts.parameters), Of::Envelope);
        builder.list(b"\"tools\":", parts.tools, BlockRef::Tool);
        builder.list(b"\"system\":", parts.system, BlockRef::System);
        builder.text(b"\"messages\":[");
        for chunk in chunks {
            builder.chunk(chunk);
        }
        for message in parts.tail {
            builder.message(message);
        }
        builder.text(b"]}");
        builder.finish()
    }

    fn push(&mut self, bytes: Bytes, of: Of) {
        let start = self.body.len;
        self.body.len += bytes.len();
        self.body.segments.push(Segment { bytes, start, of });
    }

    fn text(&mut self, text: &'static [u8]) {
        self.push(Bytes::from_static(text), Of::Envelope);
    }

    /// Adds the member `key`, unless the list is empty.
    fn list(&mut self, key: &'static [u8], list: &Arc<Encoded>, at: impl Fn(usize) -> BlockRef) {
        if !list.blocks().is_empty() {
            self.text(key);
            self.part(list, at);
            self.text(b",");
        }
    }

    fn comma(&mut self) {
        if self.messages > 0 {
            self.text(b",");
        }
    }

    fn message(&mut self, encoded: &Arc<Encoded>) {
        self.comma();
        let message = self.messages;
        self.part(encoded, |block| BlockRef::Message { message, block });
        self.messages += 1;
    }

    fn part(&mut self, part: &Arc<Encoded>, at: impl Fn(usize) -> BlockRef) {
        let start = self.body.len;
        let mut stretch = Stretch::new(self, &part.bytes, |from| Of::Part(part.clone(), from));
        for (index, block) in part.blocks().iter().enumerate() {
            let from = start + block.range.start + stretch.inserted;
            stretch.mark(at(index), &block.range);
            if block.volatile {
                let end = start + block.range.end + stretch.inserted;
                stretch.builder.body.volatile.push(from..end);
            }
        }
        stretch.finish();
    }

    /// Adds many messages at once, and looks only at the blocks that bear a
    /// marker.
    fn chunk(&mut self, chunk: &Arc<Chunk>) {
        self.comma();
        let first = self.messages;
        self.messages += chunk.messages.len();
        let end = self.messages;
        let mut stretch = Stretch::new(self, &chunk.bytes, |from| Of::Chunk(chunk.clone(), from));
        while let Some(at) = stretch.builder.markers.peek().map(|marker| marker.at)
            && let BlockRef::Message { message, block } = at
            && message < end
            && let Some(range) = chunk.block(message - first, block)
        {
            stretch.mark(at, &range);
        }
        stretch.finish();
    }

    /// Every marker has found its block by now, or never will.
    fn finish(mut self) -> Result<Body, MarkerError> {
        match self.markers.next() {
            Some(marker) => Err(MarkerError { at: marker.at }),
            None => Ok(self.body),
        }
    }
}

/// A stretch of bytes on its way into the body, cut where a marker goes.
struct Stretch<'b, 'a, F> {
    builder: &'b mut Builder<'a>,
    bytes: &'b Bytes,
    of: F,
    /// How much of it is in the body.
    sent: usize,
    /// The bytes of the markers in it.
    inserted: usize,
}

impl<'b, 'a, F: Fn(usize) -> Of> Stretch<'b, 'a, F> {
    fn new(builder: &'b mut Builder<'a>, bytes: &'b Bytes, of: F) -> Self {
        Self {
            builder,
            bytes,
            of,
            sent: 0,
            inserted: 0,
        }
    }

    /// Puts the marker of the block at `at`, if there is one, before the
    /// block's closing brace.
    fn mark(&mut self, at: BlockRef, block: &Range<usize>) {
        if let Some(marker) = self.builder.markers.next_if(|marker| marker.at == at) {
            self.send(block.end - 1);
            let json = marker_json(marker);
            self.inserted += json.len();
            self.builder.push(json, Of::Marker);
        }
    }

    fn send(&mut self, end: usize) {
        let of = (self.of)(self.sent);
        self.builder.push(self.bytes.slice(self.sent..end), of);
        self.sent = end;
    }

    fn finish(mut self) {
        self.send(self.bytes.len());
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

fn marker_json(marker: &Marker) -> Bytes {
    let mut out = b",\"cache_control\":".to_vec();
    write_json(&mut out, &marker.control);
    out.into()
}
