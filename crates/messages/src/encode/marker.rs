//! Positions of blocks, and cache markers to insert there.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::wire::CacheControl;

/// A cache marker (breakpoint) to insert into a request.
///
/// ```json
/// {"at":"messages[0].content[1]","control":{"type":"ephemeral","ttl":"1h"}}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Marker {
    /// The last block of the prefix to cache.
    pub at: BlockRef,
    /// The value of `cache_control`.
    pub control: CacheControl,
}

/// The position of a block in a request. Positions are ordered as the blocks
/// are in the request.
///
/// Blocks inside a tool result have no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockRef {
    /// `tools[0]`
    Tool(usize),
    /// `system[0]`
    System(usize),
    /// `messages[message].content[block]`
    Message {
        /// The index of the message.
        message: usize,
        /// The index of the block in the message.
        block: usize,
    },
}

/// The error of two markers on one block, or of one on a block that does not
/// exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerError {
    pub(super) at: BlockRef,
}

impl MarkerError {
    /// Returns the position of the marker.
    #[must_use]
    pub fn at(&self) -> BlockRef {
        self.at
    }
}

/// As its path, such as `messages[0].content[1]`.
impl Serialize for BlockRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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
            "{}: a cache marker on a block that does not exist or has one already",
            self.at
        )
    }
}

impl std::error::Error for MarkerError {}
