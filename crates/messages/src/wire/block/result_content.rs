//! What a tool returned: a text, or blocks.

use std::sync::Arc;

use aside_json::{Kind, Path, Value};
use serde::Serialize;

use super::{ContentBlock, Other};
use crate::wire::object::ObjectReader;
use crate::wire::read::{Read, ReadError, Reader};

/// A [`ToolResult`](super::ToolResult)'s content. Without blocks it is left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ResultContent {
    /// The short form.
    Text(Arc<str>),
    /// Text, images, documents, search results, tool references.
    ///
    /// Read from a list; an absent or null `content` gives an empty one.
    Blocks(Vec<ContentBlock>),
}

impl Default for ResultContent {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl ResultContent {
    /// Returns the blocks; a text has none.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Text(_) => &[],
        }
    }

    /// Returns the blocks, unless the content is a string.
    pub(crate) fn blocks_mut(&mut self) -> Option<&mut Vec<ContentBlock>> {
        match self {
            Self::Blocks(blocks) => Some(blocks),
            Self::Text(_) => None,
        }
    }
}

impl Read for ResultContent {
    const EXPECTED: &'static str = "a string or an array";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        match value.kind() {
            Kind::String => Read::read(value, at, reader).map(Self::Text),
            Kind::Array => {
                let inner: Vec<Inner> = Read::read(value, at, reader)?;
                Ok(Self::Blocks(inner.into_iter().map(|Inner(block)| block).collect()))
            }
            _ => Err(ReadError::expected(Self::EXPECTED, value, at)),
        }
    }
}

/// A block inside a tool result. The API has no tool calls, results or thinking
/// there: they are kept as they are, so that no document can nest them deeper
/// than a stack is.
struct Inner(ContentBlock);

impl Read for Inner {
    const EXPECTED: &'static str = ContentBlock::EXPECTED;

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let kind = ObjectReader::new(value, at)?.kind(&mut Reader::default())?;
        if matches!(kind.as_str(), "text" | "image" | "document") {
            return ContentBlock::read(value, at, reader).map(Self);
        }
        Other::read(kind, value, at, reader).map(|it| Self(ContentBlock::Other(it)))
    }
}
