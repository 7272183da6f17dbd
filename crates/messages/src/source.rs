//! Where each byte of a request comes from.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::conversation::EntryId;

/// Who put a stretch of a request there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The definition of a tool.
    Tool {
        /// Its name.
        name: Arc<str>,
    },
    /// A section of the system prompt.
    Section {
        /// Its name.
        name: Arc<str>,
    },
    /// A part of an entry of the conversation.
    Entry {
        /// The entry.
        id: EntryId,
        /// The index of the part.
        part: usize,
    },
    /// An ephemeral reminder.
    Reminder {
        /// Its id.
        id: Arc<str>,
    },
    /// The format itself: parameters, brackets, cache markers.
    Envelope,
}

/// How many requests share a stretch of a prefix, from most to fewest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Every request of a product.
    Static,
    /// Every session of a project.
    Project,
    /// Every request of a session.
    Session,
    /// What is said.
    Conversation,
}

/// What is known of a block beside its wire form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSource {
    /// Whose block it is.
    pub owner: Source,
    /// Parts of it that somebody else put there.
    pub pieces: Vec<(Source, Extent)>,
    /// Who shares it.
    pub layer: Layer,
    /// Whether it will be different, or gone, in the next request.
    pub volatile: bool,
}

/// A stretch of a block, in terms of the block's own structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes of the text of a text block.
    Text(Range<usize>),
    /// One block of the content of a tool result.
    Content(usize),
    /// Bytes of the text of one text block of a tool result.
    ContentText(usize, Range<usize>),
}

impl BlockSource {
    /// A block with one owner that stays as it is.
    #[must_use]
    pub fn new(owner: Source, layer: Layer) -> Self {
        Self {
            owner,
            pieces: Vec::new(),
            layer,
            volatile: false,
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
