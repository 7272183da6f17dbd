//! The messages of the wire.
//!
//! ```json
//! {"role": "assistant", "content": "I look.", "tool_calls": [
//!   {"id": "call_1", "type": "function",
//!    "function": {"name": "Bash", "arguments": "{\"command\":\"ls\"}"}}]}
//! {"role": "tool", "tool_call_id": "call_1", "content": "README.md"}
//! {"role": "user", "content": [
//!   {"type": "text", "text": "And this?"},
//!   {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}}]}
//! ```

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, Image};
use serde::Serialize;

use crate::result_text::{is_other_file, text_of};
use crate::user_part::{UserPart, address};

/// One message of the wire.
#[derive(Serialize)]
pub(in crate::openai) struct Message<'a> {
    /// `developer`, `system`, `user`, `assistant` or `tool`.
    role: &'static str,
    /// The call that a tool message answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
    /// Null if an assistant only calls tools.
    pub(super) content: Option<Content<'a>>,
    /// The thinking of an assistant, for servers that accept it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<Cow<'a, str>>,
    /// The calls of an assistant, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call<'a>>,
}

/// The content of a message.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A list of at least one part.
    Parts(Vec<Part<'a>>),
}

/// A part of a user message. The names of the variants are the types of the wire.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    /// `text`
    Text { text: Cow<'a, str> },
    /// `image_url`
    ImageUrl { image_url: Address<'a> },
    /// `file`: a document that is not plain text.
    File { file: File<'a> },
}

/// The address of an image.
#[derive(Serialize)]
pub(super) struct Address<'a> {
    /// An HTTP address, or a `data:` URL with the image itself.
    url: Cow<'a, str>,
}

/// A file with its data.
#[derive(Serialize)]
pub(super) struct File<'a> {
    /// The title of the document, or `document.pdf`; the server requires a name.
    filename: &'a str,
    /// A `data:` URL, or the address of the document.
    file_data: String,
}

/// A call of a function.
#[derive(Serialize)]
pub(super) struct Call<'a> {
    /// The id, at most 40 characters.
    pub(super) id: String,
    /// Always `function`.
    pub(super) r#type: &'static str,
    /// The function and its input.
    pub(super) function: Called<'a>,
}

/// The function of a call.
#[derive(Serialize)]
pub(super) struct Called<'a> {
    /// The name, at most 64 characters.
    pub(super) name: String,
    /// The input as text: key order, spacing and numbers survive.
    pub(super) arguments: &'a str,
}

impl<'a> Message<'a> {
    /// Creates a message that is neither a call nor an output.
    pub(super) fn new(role: &'static str, content: Option<Content<'a>>) -> Self {
        Self { role, tool_call_id: None, content, reasoning_content: None, tool_calls: Vec::new() }
    }
}

impl<'a> Content<'a> {
    /// Returns the content of these parts: a string for a single text, else a list;
    /// `None` without parts.
    pub(super) fn of(mut parts: Vec<Part<'a>>) -> Option<Self> {
        match parts.pop()? {
            Part::Text { text } if parts.is_empty() => Some(Self::Text(text)),
            last => {
                parts.push(last);
                Some(Self::Parts(parts))
            }
        }
    }
}

impl<'a> Part<'a> {
    /// Creates a part with text.
    pub(super) fn text(text: Cow<'a, str>) -> Self {
        Self::Text { text }
    }
}

impl<'a> UserPart<'a> for Part<'a> {
    fn is_blank(&self) -> bool {
        matches!(self, Self::Text { text } if text.trim().is_empty())
    }

    fn has_title(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Returns the part of a text, an image or a document of the user; `None` for another
    /// block, and for data that the wire cannot get, such as a file by its id.
    fn of(block: &'a ContentBlock) -> Option<Self> {
        if let Some(text) = text_of(block) {
            return Some(Self::text(text));
        }
        match block {
            ContentBlock::Image(Image { source, .. }) => {
                Some(Self::ImageUrl { image_url: Address { url: address(source)? } })
            }
            ContentBlock::Document(document) if !is_other_file(document) => Some(Self::File {
                file: File {
                    filename: document.title.as_deref().unwrap_or("document.pdf"),
                    file_data: address(&document.source)?.into_owned(),
                },
            }),
            _ => None,
        }
    }
}
