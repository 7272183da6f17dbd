use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::block::ContentBlock;
use super::object::{Extra, ObjectReader, ObjectWriter};
use super::path::Path;
use super::read::{Parsed, Read, ReadError, Reader, document};

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// Never empty in a request that the API takes.
    pub content: Vec<ContentBlock>,
    /// What else stood in the object.
    pub extra: Extra,
}

/// Who speaks in a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user, and every tool.
    User,
    /// The model.
    Assistant,
    /// A system message in mid-conversation.
    System,
    /// A role that the API does not document.
    Other(String),
}

impl Message {
    /// A message with nothing beside role and content.
    #[must_use]
    pub fn new(role: Role, content: Vec<ContentBlock>) -> Self {
        Self {
            role,
            content,
            extra: Extra::default(),
        }
    }

    /// Reads one message. A plain string becomes one text block.
    ///
    /// # Errors
    /// Where, what was expected and what was found.
    pub fn parse(json: &[u8]) -> Result<Parsed<Self>, ReadError> {
        document(json)
    }
}

impl Role {
    /// The word on the wire.
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
            .extra(&self.extra)?
            .end()
    }
}

impl Read for Message {
    const EXPECTED: &'static str = "a message";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(raw, at)?;
        Ok(Self {
            role: object.required("role", reader)?,
            content: object.required::<Blocks>("content", reader)?.0,
            extra: object.rest(),
        })
    }
}

/// Content blocks, for which a plain string may stand.
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
