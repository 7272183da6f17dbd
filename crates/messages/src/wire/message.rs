use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::block::ContentBlock;
use super::extra::Extra;
use super::object::{ObjectReader, ObjectWriter};
use super::path::Path;
use super::read::{Parsed, Read, ReadError, Reader, document};

/// One message.
///
/// ```
/// use aside_messages::wire::{Message, Role};
///
/// let message = Message::parse(br#"{"role":"user","content":"Hi"}"#)?.value;
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.content.len(), 1);
/// # Ok::<(), aside_messages::wire::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The role of the author.
    pub role: Role,
    /// The content. The API refuses a message without blocks.
    pub content: Vec<ContentBlock>,
    /// The other keys of the object.
    pub extra: Extra,
}

/// The role of the author of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `user`: the user, and tools.
    User,
    /// `assistant`: the model.
    Assistant,
    /// `system`: a system message in mid-conversation.
    System,
    /// Any other word. The API documents none.
    Other(String),
}

impl Message {
    /// Creates a message without other keys.
    #[must_use]
    pub fn new(role: Role, content: Vec<ContentBlock>) -> Self {
        Self {
            role,
            content,
            extra: Extra::default(),
        }
    }

    /// Reads one message. A plain string as content becomes one text block,
    /// null no block.
    ///
    /// # Errors
    /// Returns the JSON path, the expected shape and what was found.
    pub fn parse(json: &[u8]) -> Result<Parsed<Self>, ReadError> {
        document(json)
    }
}

impl Message {
    /// Returns true for a key that has a field.
    pub(crate) fn is_key(key: &str) -> bool {
        matches!(key, "role" | "content")
    }
}

impl Role {
    /// Returns the word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Other(role) => role,
        }
    }
}

impl From<String> for Role {
    fn from(role: String) -> Self {
        match role.as_str() {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "system" => Self::System,
            _ => Self::Other(role),
        }
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Read for Role {
    const EXPECTED: &'static str = "a role";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        String::read(raw, at, reader).map(Self::from)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ObjectWriter::new(serializer)?
            .required("role", &self.role)?
            .required("content", &self.content)?
            .extra(&self.extra, Self::is_key)?
            .end()
    }
}

impl Read for Message {
    const EXPECTED: &'static str = "a message";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(raw, at)?;
        Ok(Self {
            role: object.required("role", reader)?,
            content: object.required_or_null::<Blocks>("content", reader)?.0,
            extra: object.rest(),
        })
    }
}

/// Content blocks, or a plain string that is read as one text block.
#[derive(Default)]
pub(super) struct Blocks(pub(super) Vec<ContentBlock>);

impl Read for Blocks {
    const EXPECTED: &'static str = "a string or an array of content blocks";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        match raw.get().as_bytes().first() {
            Some(b'"') => {
                let text = String::read(raw, at, reader)?;
                Ok(Self(vec![ContentBlock::text(text)]))
            }
            Some(b'[') => Read::read(raw, at, reader).map(Self),
            _ => Err(ReadError::expected(Self::EXPECTED, raw, at)),
        }
    }
}
