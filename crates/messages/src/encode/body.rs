//! A request as shared byte segments, with its hash, its sources and its stable
//! prefix, none of which needs parsing.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::chunk::Chunk;
use super::encoded::Encoded;
use super::hash::{BodyHash, Prefix};
use super::history::History;
use super::marker::{BlockRef, Marker};
use super::written::EncodedBlock;
use crate::source::Source;
use crate::wire::Request;

/// What a [`Body`] is assembled from.
///
/// The shared parts are behind an `Arc`: to create a body, this copies pointers
/// and writes the parameters.
#[derive(Clone, Copy, Debug)]
pub struct BodyParts<'a> {
    /// The parameters. Its tools, system prompt and messages are ignored.
    pub parameters: &'a Arc<Request>,
    /// The tools. If there are none, the key is left out.
    pub tools: &'a Arc<Encoded>,
    /// The system prompt. If it has no blocks, the key is left out.
    pub system: &'a Arc<Encoded>,
    /// The messages that will not change, oldest first.
    pub history: &'a History,
    /// The messages after the history.
    pub tail: &'a [Arc<Encoded>],
    /// The cache markers to insert.
    pub markers: &'a [Marker],
}

/// A request: its bytes as a list of shared segments, and the parts that they
/// were assembled from. Bytes from earlier requests are neither copied nor
/// encoded again.
///
/// ```
/// use std::sync::{Arc, OnceLock};
/// use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
/// use aside_messages::wire::{CacheControl, ContentBlock, Message, Request, Role};
///
/// let message = Message::new(Role::User, vec![ContentBlock::text("Hi")]);
/// let parameters = Arc::new(Request {
///     model: "claude-opus-5-5".into(),
///     max_tokens: Some(64),
///     ..Request::default()
/// });
/// let body = Body::new(BodyParts {
///     parameters: &parameters,
///     tools: &Arc::new(Encoded::tools(vec![])),
///     system: &Arc::new(Encoded::system(vec![], vec![])),
///     history: &History::default(),
///     tail: &[Arc::new(Encoded::message(message, vec![]))],
///     markers: &[Marker {
///         at: BlockRef::Message {
///             message: 0,
///             block: 0,
///         },
///         control: CacheControl::EPHEMERAL,
///     }],
/// })?;
/// assert_eq!(
///     String::from_utf8(body.to_vec())?,
///     concat!(
///         r#"{"model":"claude-opus-5-5","max_tokens":64,"messages":[{"role":"user","content":["#,
///         r#"{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}]}"#,
///     )
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    /// A verbatim body's when they are first asked for.
    assembled: OnceLock<Assembled>,
    parts: Parts,
}

/// The bytes of a request.
#[derive(Clone, Debug)]
pub(super) struct Assembled {
    pub(super) segments: Vec<Segment>,
    pub(super) len: usize,
    /// In order.
    pub(super) volatile: Vec<Range<usize>>,
    /// Where the stable prefix ends.
    pub(super) stable: usize,
}

/// [`BodyParts`], owned.
#[derive(Clone, Debug)]
struct Parts {
    parameters: Arc<Request>,
    tools: Arc<Encoded>,
    system: Arc<Encoded>,
    history: History,
    tail: Vec<Arc<Encoded>>,
    markers: Vec<Marker>,
}

/// A range of consecutive bytes in the body, with its owner.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) bytes: Bytes,
    pub(super) start: usize,
    pub(super) of: Of,
}

/// Who owns a segment's bytes.
#[derive(Clone, Debug)]
pub(super) enum Of {
    /// Parameters and brackets.
    Envelope,
    /// An inserted cache marker.
    Marker,
    /// A list of blocks, from this offset on.
    Part(Arc<Encoded>, usize),
    /// A chunk of messages, from this offset on.
    Chunk(Arc<Chunk>, usize),
}

impl Segment {
    /// For part of a shared segment, the hash is the difference of two known
    /// prefixes, so this reads no byte.
    fn hash(&self) -> Prefix {
        let len = self.bytes.len();
        match &self.of {
            Of::Envelope | Of::Marker => Prefix::of(&self.bytes),
            Of::Part(part, from) => part.prefix_hash(from + len).without(part.prefix_hash(*from)),
            Of::Chunk(chunk, from) => {
                chunk.prefix_hash(from + len).without(chunk.prefix_hash(*from))
            }
        }
    }
}

impl Body {
    /// Bytes that are missing are assembled from the parts, which have no markers then.
    pub(super) fn of(parts: BodyParts<'_>, assembled: OnceLock<Assembled>) -> Self {
        Self {
            assembled,
            parts: Parts {
                parameters: parts.parameters.clone(),
                tools: parts.tools.clone(),
                system: parts.system.clone(),
                history: parts.history.clone(),
                tail: parts.tail.to_vec(),
                markers: parts.markers.to_vec(),
            },
        }
    }

    pub(super) fn assembled(&self) -> &Assembled {
        self.assembled.get_or_init(|| {
            let assembled = Assembled::new(self.parts());
            assembled.expect("without markers, none is misplaced")
        })
    }

    /// Returns the parts that the request was assembled from.
    #[must_use]
    pub fn parts(&self) -> BodyParts<'_> {
        BodyParts {
            parameters: &self.parts.parameters,
            tools: &self.parts.tools,
            system: &self.parts.system,
            history: &self.parts.history,
            tail: &self.parts.tail,
            markers: &self.parts.markers,
        }
    }

    /// Returns the length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.assembled().len
    }

    /// Returns false: a body has at least its braces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.assembled().len == 0
    }

    /// Returns the bytes as shared segments, in order.
    ///
    /// You can pass them to a vectored write. Even a long conversation has few:
    /// about two for each 256 KiB of messages, and two more for each marker.
    pub fn chunks(&self) -> impl Iterator<Item = &Bytes> {
        self.assembled().segments.iter().map(|segment| &segment.bytes)
    }

    /// Returns the bytes after the parameters, in order: the members `tools`
    /// and `system`, if there are any, and `messages`, with the closing brace.
    /// A provider that takes other parameters takes these as they are.
    pub fn chunks_after_parameters(&self) -> impl Iterator<Item = &Bytes> {
        self.chunks().skip(1)
    }

    /// Hashes the bytes, to the same value as [`BodyHash::of`] over all of
    /// them. Bytes that earlier requests had are not read again.
    #[must_use]
    pub fn hash(&self) -> BodyHash {
        let hash = |hash: Prefix, segment: &Segment| hash.followed_by(segment.hash());
        self.assembled().segments.iter().fold(Prefix::default(), hash).into()
    }

    /// Appends the bytes to `out`.
    pub fn write_into(&self, out: &mut Vec<u8>) {
        out.reserve(self.assembled().len);
        for segment in &self.assembled().segments {
            out.extend_from_slice(&segment.bytes);
        }
    }

    /// Copies the bytes into one vector.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_into(&mut out);
        out
    }

    /// Returns where the byte at `offset` comes from. After the end it is
    /// [`Source::Envelope`].
    ///
    /// Logarithmic in the number of segments and blocks.
    #[must_use]
    pub fn source_at(&self, offset: usize) -> &Source {
        let after = self.assembled().segments.partition_point(|segment| segment.start <= offset);
        let Some(segment) = after.checked_sub(1).map(|index| &self.assembled().segments[index])
        else {
            return &Source::Envelope;
        };
        let within = offset - segment.start;
        match &segment.of {
            _ if offset >= self.assembled().len => &Source::Envelope,
            Of::Part(part, from) => part.source_at(within + from),
            Of::Chunk(chunk, from) => chunk.source_at(within + from),
            Of::Envelope | Of::Marker => &Source::Envelope,
        }
    }

    /// Returns the markers inserted into this body, in cache order, each with
    /// the block that it is on.
    #[must_use]
    pub fn inserted_markers(&self) -> Vec<(&Marker, Option<&EncodedBlock>)> {
        let mut markers: Vec<_> = self.parts.markers.iter().collect();
        markers.sort_by_key(|marker| marker.at);
        let with_block = markers.into_iter().map(|it| (it, self.block(it.at)));
        with_block.collect()
    }

    fn block(&self, at: BlockRef) -> Option<&EncodedBlock> {
        let parts = &self.parts;
        match at {
            BlockRef::Tool(index) => parts.tools.blocks().get(index),
            BlockRef::System(index) => parts.system.blocks().get(index),
            BlockRef::Message { message, block } => {
                let mut from = parts.history.messages_from(message);
                let behind = || parts.tail.get(message - parts.history.len());
                from.next().or_else(behind)?.blocks().get(block)
            }
        }
    }

    /// Returns the bytes that the session's next request begins with: this
    /// request's without cache markers, up to the closing brackets or to the
    /// first volatile block. A volatile system message may be after another
    /// message in the next request, so the prefix ends before it.
    #[must_use]
    pub fn stable_prefix(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.assembled().stable);
        for Segment { bytes, start, of } in &self.assembled().segments {
            if !matches!(of, Of::Marker) {
                let within = self.assembled().stable.saturating_sub(*start).min(bytes.len());
                out.extend_from_slice(&bytes[..within]);
            }
        }
        // Without the volatile block there is no comma before it.
        if !self.assembled().volatile.is_empty() && out.last() == Some(&b',') {
            out.pop();
        }
        out
    }

    /// Returns the bytes in blocks that are different, or gone, in the next
    /// request.
    ///
    /// The ranges are positions in the body, markers included.
    #[must_use]
    pub fn volatile(&self) -> &[Range<usize>] {
        &self.assembled().volatile
    }
}
