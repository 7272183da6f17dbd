//! Block paths, written the way the provider's own errors name them.

use std::fmt;

use serde::{Serialize, Serializer};

aside_text::names! {
    /// The prompt cache's levels, in order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Level {
        /// The tool definitions.
        Tools = "tools",
        /// The system prompt.
        System = "system",
        /// The conversation.
        Messages = "messages",
    }
}

/// A block's path in a body, in the provider's own form:
/// `messages[3].content[0]`, `input[7]`, `contents[2].parts[1]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockPath {
    pub(crate) level: Level,
    pub(crate) text: String,
}

impl BlockPath {
    /// Returns the block's level.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the path as text.
    ///
    /// Indices are from 0, as in the body; a block whose content is a string
    /// has none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for BlockPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for BlockPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
