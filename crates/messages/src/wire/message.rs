//! Messages, and the two keys that only system messages have.

use aside_json::{Kind, Path, Value};
use serde::{Serialize, Serializer};

use super::block::ContentBlock;
use super::extra::Extra;
use super::object::{ObjectReader, ObjectWriter};
use super::raw::RawJson;
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
///
/// ```json
/// {"role":"user","content":[{"type":"text","text":"Hi"}]}
/// ```
///
/// The content is always written as a list, even if it was read as a string:
/// later requests then have the same bytes, whatever is appended.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The author's role.
    pub role: Role,
    /// The content. The API refuses a message without blocks.
    pub content: Vec<ContentBlock>,
    /// How long a system message is in view. The API refuses this in other
    /// roles.
    pub clear_at: Option<ClearAt>,
    /// Settings that a system message changes, such as the effort.
    pub output_config: Option<RawJson>,
    /// The object's other keys.
    pub extra: Extra,
}

crate::open_names! {
    /// How long a system message is in view within the conversation.
    ///
    /// Source: the documentation on turn-scoped system messages (beta
    /// `mid-conversation-system-clear-at-2026-08-21`).
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum ClearAt {
        /// `next_user_message`: the API renders the message only while no user
        /// message follows it. Requests keep sending it unchanged.
        NextUserMessage = "next_user_message",
        /// `never`: as without the key.
        Never = "never",
        ..
        /// Any other value. The API documents none.
        Other,
    }
}

crate::open_names! {
    /// The role in which a [`Message`] is written.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Role {
        /// `user`: the user, and tools.
        User = "user",
        /// `assistant`: the model.
        Assistant = "assistant",
        /// `system`: a system message in mid-conversation.
        System = "system",
        ..
        /// Any other role. The API documents none.
        Other,
    }
}

impl Message {
    /// Creates a message without other keys.
    #[must_use]
    pub fn new(role: Role, content: Vec<ContentBlock>) -> Self {
        Self { role, content, clear_at: None, output_config: None, extra: Extra::default() }
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
    /// Makes the message turn-scoped: the API renders it only while no user
    /// message follows it.
    pub(crate) fn cleared_by_next_user_message(self) -> Self {
        Self { clear_at: Some(ClearAt::NextUserMessage), ..self }
    }
}

/// A message's members after its content.
///
/// The encoder writes the content itself, to learn each block's position.
pub(crate) struct MessageEnd<'a>(pub(crate) &'a Message);

impl Message {
    fn write_end<'a, S: Serializer>(
        &self,
        writer: ObjectWriter<'a, S>,
    ) -> Result<ObjectWriter<'a, S>, S::Error> {
        writer
            .optional("clear_at", self.clear_at.as_ref())?
            .optional("output_config", self.output_config.as_ref())?
            .extra()
    }
}

impl Serialize for MessageEnd<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let writer = self.0.extra.writer(serializer)?;
        let writer = writer.reserved("role").reserved("content");
        self.0.write_end(writer)?.end()
    }
}

impl Read for ClearAt {
    const EXPECTED: &'static str = "\"next_user_message\" or \"never\"";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        String::read(value, at, reader).map(Self::from)
    }
}

impl Read for Role {
    const EXPECTED: &'static str = "a role";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        String::read(value, at, reader).map(Self::from)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let writer = { self.extra.writer(serializer)? }
            .required("role", &self.role)?
            .required("content", &self.content)?;
        self.write_end(writer)?.end()
    }
}

impl Read for Message {
    const EXPECTED: &'static str = "a message";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        Ok(Self {
            role: object.required("role", reader)?,
            content: object.required_or_null::<Blocks>("content", reader)?.0,
            clear_at: object.optional("clear_at", reader)?,
            output_config: object.optional("output_config", reader)?,
            extra: object.rest(),
        })
    }
}

/// Content blocks, or a plain string that is read as one text block.
#[derive(Default)]
pub(super) struct Blocks(pub(super) Vec<ContentBlock>);

impl Read for Blocks {
    const EXPECTED: &'static str = "a string or an array of content blocks";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        match value.kind() {
            Kind::String => {
                let text = String::read(value, at, reader)?;
                Ok(Self(vec![ContentBlock::text(text)]))
            }
            Kind::Array => Read::read(value, at, reader).map(Self),
            _ => Err(ReadError::expected(Self::EXPECTED, value, at)),
        }
    }
}
