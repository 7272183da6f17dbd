use std::fmt;

use crate::wire::CacheControl;

/// A cache marker to be put into a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The block that ends the prefix.
    pub at: BlockRef,
    /// What is written.
    pub control: CacheControl,
}

/// A block of a request, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockRef {
    /// `tools[0]`
    Tool(usize),
    /// `system[0]`
    System(usize),
    /// `messages[message].content[block]`
    Message {
        /// Which message.
        message: usize,
        /// Which of its blocks.
        block: usize,
    },
}

/// Two markers on one block, or one on a block that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerError {
    pub(super) at: BlockRef,
}

impl MarkerError {
    /// The block.
    #[must_use]
    pub fn at(&self) -> BlockRef {
        self.at
    }
}

impl fmt::Display for BlockRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(index) => write!(f, "tools[{index}]"),
            Self::System(index) => write!(f, "system[{index}]"),
            Self::Message { message, block } => write!(f, "messages[{message}].content[{block}]"),
        }
    }
}

impl fmt::Display for MarkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: no block for this cache marker, or one that has a marker",
            self.at
        )
    }
}

impl std::error::Error for MarkerError {}
