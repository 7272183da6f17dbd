//! The messages of the wire.

use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, Image, MediaSource};
use serde::Serialize;

use crate::result_text::document_text;
use crate::user_part::UserPart;

/// One message of the wire.
#[derive(Serialize)]
pub(in crate::openai) struct Message<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
    /// Null if an assistant only calls tools.
    pub(super) content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: Address<'a> },
    File { file: File<'a> },
}

#[derive(Serialize)]
pub(super) struct Address<'a> {
    url: Cow<'a, str>,
}

#[derive(Serialize)]
pub(super) struct File<'a> {
    filename: &'a str,
    file_data: String,
}

#[derive(Serialize)]
pub(super) struct Call<'a> {
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) function: Called<'a>,
}

#[derive(Serialize)]
pub(super) struct Called<'a> {
    pub(super) name: String,
    /// The input as text: key order, spacing and numbers survive.
    pub(super) arguments: &'a str,
}

impl<'a> Message<'a> {
    pub(super) fn new(role: &'static str, content: Option<Content<'a>>) -> Self {
        Self {
            role,
            tool_call_id: None,
            content,
            reasoning_content: None,
            tool_calls: Vec::new(),
        }
    }
}

impl<'a> Content<'a> {
    /// A lone text is a string.
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
    pub(super) fn text(text: Cow<'a, str>) -> Self {
        Self::Text { text }
    }
}

impl<'a> UserPart<'a> for Part<'a> {
    fn is_blank(&self) -> bool {
        matches!(self, Self::Text { text } if text.trim().is_empty())
    }

    fn of(block: &'a ContentBlock) -> Option<Self> {
        match block {
            ContentBlock::Text(text) => Some(Self::text(Cow::Borrowed(&text.text))),
            ContentBlock::Image(Image { source, .. }) => Some(Self::ImageUrl {
                image_url: Address {
                    url: address(source)?,
                },
            }),
            ContentBlock::Document(document) => match document_text(document) {
                Some(text) => Some(Self::text(text)),
                None => Some(Self::File {
                    file: File {
                        filename: document.title.as_deref().unwrap_or("document.pdf"),
                        file_data: address(&document.source)?.into_owned(),
                    },
                }),
            },
            _ => None,
        }
    }
}

/// The address of the data, which may be the data itself.
fn address(source: &MediaSource) -> Option<Cow<'_, str>> {
    match source {
        MediaSource::Base64 { media_type, data } => {
            Some(Cow::Owned(format!("data:{media_type};base64,{data}")))
        }
        MediaSource::Url { url } => Some(Cow::Borrowed(url)),
        _ => None,
    }
}
