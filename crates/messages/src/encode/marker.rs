//! Block positions, and cache markers to insert there.

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
    /// The last block in the prefix to cache.
    pub at: BlockRef,
    /// The value for `cache_control`.
    pub control: CacheControl,
}

/// A block's position in a request. Positions are ordered like the blocks in
/// the request.
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
        /// The message's index.
        message: usize,
        /// The block's index in the message.
        block: usize,
    },
}

/// Two markers are on one block, or one is on a block that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerError {
    pub(super) at: BlockRef,
}

impl MarkerError {
    /// Returns the marker's position.
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
        write!(f, "{}: a cache marker on a block that does not exist or has one already", self.at)
    }
}

impl std::error::Error for MarkerError {}
