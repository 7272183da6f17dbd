//! Assembling a body from its segments, front to back. Fails if a marker names
//! a block that does not exist, or if two markers name the same one.

use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use bytes::Bytes;

use super::body::{Assembled, Body, BodyParts, Of, Segment};
use super::chunk::Chunk;
use super::encoded::Encoded;
use super::json::write_json;
use super::marker::{BlockRef, Marker, MarkerError};
use crate::wire::Parameters;

impl Body {
    /// Assembles a request.
    ///
    /// # Errors
    /// Returns the first marker whose block does not exist or has another
    /// marker.
    pub fn new(parts: BodyParts<'_>) -> Result<Self, MarkerError> {
        let assembled = Assembled::new(parts)?;
        Ok(Self::of(parts, assembled.into()))
    }
}

impl Assembled {
    /// # Errors
    /// See [`Body::new`].
    pub(super) fn new(parts: BodyParts<'_>) -> Result<Self, MarkerError> {
        Builder::build(parts)
    }
}

/// Assembles a request from front to back, and inserts each marker with its
/// block.
///
/// A marker cuts its block's bytes before the closing brace:
///
/// ```text
/// …"text":"Hi" | ,"cache_control":{"type":"ephemeral"} | }]}
/// ```
struct Builder<'a> {
    body: Assembled,
    /// In order.
    markers: Peekable<IntoIter<&'a Marker>>,
    messages: usize,
}

impl<'a> Builder<'a> {
    /// The markers are sorted once; each part takes those on its own blocks.
    fn build(parts: BodyParts<'a>) -> Result<Assembled, MarkerError> {
        let mut markers: Vec<&Marker> = parts.markers.iter().collect();
        markers.sort_by_key(|marker| marker.at);
        let chunks = parts.history.chunks();
        // Each with a comma; a marker cuts a segment in two.
        let pieces = chunks.len() + parts.tail.len() + markers.len();
        let mut builder = Self {
            body: Assembled {
                segments: Vec::with_capacity(2 * pieces + 8),
                len: 0,
                volatile: Vec::new(),
                stable: usize::MAX,
            },
            markers: markers.into_iter().peekable(),
            messages: 0,
        };
        builder.push(parameters(&parts), Of::Envelope);
        builder.list(b"\"tools\":", parts.tools, BlockRef::Tool);
        builder.list(b"\"system\":", parts.system, BlockRef::System);
        builder.text(b"\"messages\":[");
        for chunk in chunks {
            builder.chunk(chunk);
        }
        for message in parts.tail {
            builder.message(message);
        }
        let stable = &mut builder.body.stable;
        *stable = builder.body.len.min(*stable);
        builder.text(b"]}");
        builder.finish()
    }

    fn push(&mut self, bytes: Bytes, of: Of) {
        let start = self.body.len;
        self.body.len += bytes.len();
        self.body.segments.push(Segment { bytes, start, of });
    }

    /// Appends bytes that belong to the format: a key, a bracket, a comma.
    fn text(&mut self, text: &'static [u8]) {
        self.push(Bytes::from_static(text), Of::Envelope);
    }

    /// Appends the member `key`, unless the list is empty.
    fn list(&mut self, key: &'static [u8], list: &Arc<Encoded>, at: impl Fn(usize) -> BlockRef) {
        if !list.blocks().is_empty() {
            self.text(key);
            self.part(list, at);
            self.text(b",");
        }
    }

    /// Appends a comma before every message but the first.
    fn comma(&mut self) {
        if self.messages > 0 {
            self.text(b",");
        }
    }

    /// Appends a message in the tail. A system message that may move ends the
    /// stable prefix before it.
    fn message(&mut self, encoded: &Arc<Encoded>) {
        self.comma();
        let message = self.messages;
        if encoded.is_open_system() {
            self.body.stable = self.body.stable.min(self.body.len);
        }
        self.part(encoded, |block| BlockRef::Message { message, block });
        self.messages += 1;
    }

    /// Appends a list of blocks, with its markers, and notes the volatile
    /// blocks. The work is proportional to the number of blocks.
    fn part(&mut self, part: &Arc<Encoded>, at: impl Fn(usize) -> BlockRef) {
        let start = self.body.len;
        let mut cutter =
            Cutter::new(self, part.shared_bytes(), |from| Of::Part(part.clone(), from));
        for (index, block) in part.blocks().iter().enumerate() {
            let from = start + block.range.start + cutter.inserted;
            cutter.mark(at(index), &block.range);
            if block.volatile {
                let end = start + block.range.end + cutter.inserted;
                let body = &mut cutter.builder.body;
                body.volatile.push(from..end);
                body.stable = body.stable.min(from);
            }
        }
        cutter.finish();
    }

    /// Appends a chunk of messages. Looks only at blocks with a marker.
    fn chunk(&mut self, chunk: &Arc<Chunk>) {
        self.comma();
        let first = self.messages;
        self.messages += chunk.messages.len();
        let end = self.messages;
        let mut cutter = Cutter::new(self, &chunk.bytes, |from| Of::Chunk(chunk.clone(), from));
        while let Some(at) = cutter.builder.markers.peek().map(|marker| marker.at)
            && let BlockRef::Message { message, block } = at
            && message < end
            && let Some(range) = chunk.block(message - first, block)
        {
            cutter.mark(at, &range);
        }
        cutter.finish();
    }

    /// Returns the bytes, if every marker was inserted.
    fn finish(mut self) -> Result<Assembled, MarkerError> {
        match self.markers.next() {
            Some(marker) => Err(MarkerError { at: marker.at }),
            None => Ok(self.body),
        }
    }
}

/// Bytes on their way into the body, cut at their markers.
struct Cutter<'b, 'a, F> {
    builder: &'b mut Builder<'a>,
    bytes: &'b Bytes,
    of: F,
    /// How many bytes are in the body.
    appended: usize,
    /// How many of them are markers.
    inserted: usize,
}

impl<'b, 'a, F: Fn(usize) -> Of> Cutter<'b, 'a, F> {
    fn new(builder: &'b mut Builder<'a>, bytes: &'b Bytes, of: F) -> Self {
        Self { builder, bytes, of, appended: 0, inserted: 0 }
    }

    /// Inserts the marker for the block at `at`, if there is one, before the
    /// block's closing brace.
    fn mark(&mut self, at: BlockRef, block: &Range<usize>) {
        if let Some(marker) = self.builder.markers.next_if(|marker| marker.at == at) {
            self.append_to(block.end - 1);
            let json = marker_json(marker);
            self.inserted += json.len();
            self.builder.push(json, Of::Marker);
        }
    }

    /// Appends the bytes up to `end` as one segment that shares them.
    fn append_to(&mut self, end: usize) {
        let of = (self.of)(self.appended);
        self.builder.push(self.bytes.slice(self.appended..end), of);
        self.appended = end;
    }

    fn finish(mut self) {
        self.append_to(self.bytes.len());
    }
}

/// Writes `{"model":…,` up to the tools.
///
/// The result ends with a comma. It is written with an empty list of messages,
/// which is cut off.
fn parameters(parts: &BodyParts<'_>) -> Bytes {
    let mut out = Vec::with_capacity(1024);
    let parameters = Parameters {
        request: parts.parameters,
        has_tools: !parts.tools.blocks().is_empty(),
        has_system: !parts.system.blocks().is_empty(),
    };
    write_json(&mut out, &parameters);
    let end = out.len() - b"\"messages\":[]}".len();
    out.truncate(end);
    out.into()
}

/// Returns `,"cache_control":{"type":"ephemeral"}`.
fn marker_json(marker: &Marker) -> Bytes {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(b",\"cache_control\":");
    write_json(&mut out, &marker.control);
    out.into()
}
