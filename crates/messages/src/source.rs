//! The source of each byte of a request.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::conversation::EntryId;
use crate::layer::Layer;

/// The origin of a range of bytes in a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The definition of a tool.
    Tool {
        /// The name of the tool.
        name: Arc<str>,
    },
    /// A section of the system prompt.
    Section {
        /// The name of the section.
        name: Arc<str>,
    },
    /// A part of an entry of the conversation.
    Entry {
        /// The id of the entry.
        id: EntryId,
        /// The index of the part in [`Entry::parts`](crate::conversation::Entry::parts).
        part: usize,
    },
    /// A reminder, whatever its delivery.
    Reminder {
        /// The id of the reminder.
        id: Arc<str>,
    },
    /// The format itself: parameters, brackets, cache markers, and blocks that
    /// a lowering pass added.
    Envelope,
}

/// The sources of one block, and the facts that the cache plan needs.
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
    /// Extents with another source. They do not overlap.
    pub pieces: Vec<(Source, Extent)>,
    /// The requests that share the block.
    pub layer: Layer,
    /// True if the block is different, or gone, in the next request.
    pub volatile: bool,
    /// True if the block is in a turn-scoped message of the last group of
    /// system messages: the next user message clears it from the model's view,
    /// its bytes stay.
    pub turn_scoped: bool,
}

/// A range within a block, in terms of the block's own structure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// Bytes of the (unescaped) text of a text block.
    Text(Range<usize>),
    /// One block in the content of a tool result, by index.
    Content(usize),
    /// Bytes of the (unescaped) text of one text block in the content of a
    /// tool result: the index of the block, and the bytes.
    ContentText(usize, Range<usize>),
}

impl BlockSource {
    /// Creates the source of a block that has one owner and is not volatile.
    #[must_use]
    pub fn new(owner: Source, layer: Layer) -> Self {
        Self {
            owner,
            pieces: Vec::new(),
            layer,
            volatile: false,
            turn_scoped: false,
        }
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
