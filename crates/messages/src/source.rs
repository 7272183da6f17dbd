//! Where each byte of a request comes from.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::conversation::EntryId;
use crate::layer::Layer;

/// Where a range of bytes in a request comes from.
///
/// As JSON: `{"kind": "entry", "id": "…", "part": 0}`, `{"kind": "section", "name": "environment"}`,
/// `{"kind": "envelope"}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// A tool's definition.
    Tool {
        /// The tool's name.
        name: Arc<str>,
    },
    /// A section in the system prompt.
    Section {
        /// The section's name.
        name: Arc<str>,
    },
    /// A part of an entry in the conversation.
    Entry {
        /// The entry's id.
        id: EntryId,
        /// The part's index in
        /// [`Entry::parts`](crate::conversation::Entry::parts).
        part: usize,
    },
    /// A reminder, whatever its delivery.
    Reminder {
        /// The reminder's id.
        id: Arc<str>,
    },
    /// The format itself: parameters, brackets, cache markers, and blocks that
    /// a lowering pass added.
    Envelope,
}

/// Where one block comes from, and what the cache plan needs to know about it.
///
/// ```
/// use aside_messages::{BlockSource, Layer, Source};
///
/// let source = BlockSource::new(Source::Envelope, Layer::Session);
/// assert!(!source.volatile && source.pieces.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSource {
    /// The source of all bytes that no piece covers.
    pub owner: Source,
    /// Extents from another source. They do not overlap.
    pub pieces: Vec<(Source, Extent)>,
    /// Which requests share the block.
    pub layer: Layer,
    /// True if the block is different, or gone, in the next request.
    pub volatile: bool,
    /// True if the block is in a turn-scoped message in the last group of
    /// system messages: the next user message clears it from the model's view,
    /// its bytes stay.
    pub turn_scoped: bool,
}

/// A range within a block, in terms of the block's own structure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// Bytes in a text block's (unescaped) text.
    Text(Range<usize>),
    /// One block in a tool result's content, by index.
    Content(usize),
    /// Bytes in the (unescaped) text of one text block in a tool result's
    /// content: the block's index, and the bytes.
    ContentText(usize, Range<usize>),
}

impl BlockSource {
    /// Creates the source for a block that has one owner and is not volatile.
    #[must_use]
    pub fn new(owner: Source, layer: Layer) -> Self {
        Self { owner, pieces: Vec::new(), layer, volatile: false, turn_scoped: false }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool { name } => write!(f, "tool {name}"),
            Self::Section { name } => write!(f, "section {name}"),
            Self::Entry { id, part } => write!(f, "part {part} of entry {id}"),
            Self::Reminder { id } => write!(f, "reminder {id}"),
            Self::Envelope => f.write_str("the envelope"),
        }
    }
}
