//! The path of a block.

use std::fmt;

/// Where a block is in the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) message: usize,
    pub(super) block: usize,
    /// The index within a tool result's content.
    pub(super) within: Option<usize>,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}].content[{}]", self.message, self.block)?;
        match self.within {
            Some(within) => write!(f, ".content[{within}]"),
            None => Ok(()),
        }
    }
}
