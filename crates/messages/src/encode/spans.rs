//! Where all bytes in a body come from, in order.

use std::ops::Range;

use super::body::{Body, Of, Segment};
use super::encoded::Encoded;
use super::written::EncodedBlock;
use crate::layer::Layer;
use crate::source::Source;

/// A byte range in a [`Body`] that comes from one source.
///
/// A block with a reminder at its end has two or three: the text, the reminder,
/// and the rest of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceSpan {
    /// The position in the body.
    pub range: Range<usize>,
    /// Where all bytes in the range come from.
    pub source: Source,
    /// Which requests share the block.
    pub layer: Layer,
    /// True if the block is different, or gone, in the next request.
    pub volatile: bool,
}

impl Body {
    /// Returns the blocks' sources, in order. All bytes that no span covers
    /// (parameters, brackets, cache markers) belong to [`Source::Envelope`].
    /// The work is proportional to the number of blocks.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use aside_messages::encode::{Body, BodyParts, Encoded, History};
    /// use aside_messages::wire::{Request, Tool};
    /// use aside_messages::Source;
    ///
    /// let tool: Tool = serde_json::from_str(r#"{"name":"Read","input_schema":{"type":"object"}}"#)?;
    /// let body = Body::new(BodyParts {
    ///     parameters: &Arc::new(Request::default()),
    ///     tools: &Arc::new(Encoded::tools(vec![tool])),
    ///     system: &Arc::new(Encoded::system(vec![], vec![])),
    ///     history: &History::default(),
    ///     tail: &[],
    ///     markers: &[],
    /// })?;
    /// let spans = body.source_spans();
    /// assert_eq!(spans[0].source, Source::Tool { name: "Read".into() });
    /// assert!(body.to_vec()[spans[0].range.clone()].starts_with(br#"{"name":"Read""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn source_spans(&self) -> Vec<SourceSpan> {
        let mut spans = Vec::new();
        for segment in &self.assembled().segments {
            match &segment.of {
                Of::Envelope | Of::Marker => {}
                Of::Part(part, from) => add_encoded(&mut spans, segment, part, 0, *from),
                Of::Chunk(chunk, from) => {
                    for (start, message) in chunk.placed() {
                        add_encoded(&mut spans, segment, message, start, *from);
                    }
                }
            }
        }
        spans
    }
}

/// Adds an encoded part's spans; the part begins at `start` in the shared
/// bytes. The segment has these bytes from `from` on.
fn add_encoded(
    spans: &mut Vec<SourceSpan>,
    segment: &Segment,
    encoded: &Encoded,
    start: usize,
    from: usize,
) {
    let to = from + segment.bytes.len();
    if start >= to || start + encoded.bytes().len() <= from {
        return;
    }
    for block in encoded.blocks() {
        for (source, range) in sources(block) {
            let begin = (start + range.start).max(from);
            let end = (start + range.end).min(to);
            if begin < end {
                spans.push(SourceSpan {
                    range: segment.start + begin - from..segment.start + end - from,
                    source: source.clone(),
                    layer: block.layer,
                    volatile: block.volatile,
                });
            }
        }
    }
}

/// Returns a block's pieces; the bytes between them belong to its owner.
fn sources(block: &EncodedBlock) -> Vec<(&Source, Range<usize>)> {
    let mut all = Vec::with_capacity(1 + 2 * block.pieces.len());
    let mut at = block.range.start;
    for (source, range) in &block.pieces {
        all.push((&block.owner, at..range.start));
        all.push((source, range.clone()));
        at = range.end;
    }
    all.push((&block.owner, at..block.range.end));
    all.retain(|(_, range)| range.start < range.end);
    all
}
