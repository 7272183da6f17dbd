use std::borrow::Cow;

use aside_messages::wire::{ContentBlock, MediaSource, RawJson};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::result_text::document_text;
use crate::user_part::UserPart;

/// One part.
pub(super) struct Part<'a> {
    pub(super) data: Data<'a>,
    pub(super) is_thought: bool,
    pub(super) signature: Option<&'a str>,
}

/// Large variants are boxed, since most parts are text.
pub(super) enum Data<'a> {
    Text(Cow<'a, str>),
    Inline(Blob<'a>),
    Call(Box<FunctionCall<'a>>),
    Response(Box<FunctionResponse<'a>>),
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.data {
            Data::Text(text) => map.serialize_entry("text", text)?,
            Data::Inline(blob) => map.serialize_entry("inlineData", blob)?,
            Data::Call(call) => map.serialize_entry("functionCall", call)?,
            Data::Response(response) => map.serialize_entry("functionResponse", response)?,
        }
        if self.is_thought {
            map.serialize_entry("thought", &true)?;
        }
        if let Some(signature) = self.signature {
            map.serialize_entry("thoughtSignature", signature)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blob<'a> {
    pub(super) mime_type: &'a str,
    pub(super) data: &'a str,
}

#[derive(Serialize)]
pub(super) struct FunctionCall<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: String,
    pub(super) args: RawJson,
}

#[derive(Serialize)]
pub(super) struct FunctionResponse<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: String,
    pub(super) response: Output<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Part<'a>>,
}

/// `{"output":…}` or `{"error":…}`.
pub(super) struct Output<'a> {
    pub(super) key: &'static str,
    pub(super) text: Cow<'a, str>,
}

impl<'a> Part<'a> {
    pub(super) fn text(text: Cow<'a, str>) -> Self {
        Self::new(Data::Text(text))
    }

    pub(super) fn new(data: Data<'a>) -> Self {
        Self {
            data,
            is_thought: false,
            signature: None,
        }
    }
}

impl<'a> UserPart<'a> for Part<'a> {
    fn is_blank(&self) -> bool {
        matches!(&self.data, Data::Text(text) if text.trim().is_empty())
    }

    fn of(block: &'a ContentBlock) -> Option<Self> {
        let source = match block {
            ContentBlock::Text(text) => return Some(Self::text(Cow::Borrowed(&text.text))),
            ContentBlock::Image(image) => &image.source,
            ContentBlock::Document(document) => match document_text(document) {
                Some(text) => return Some(Self::text(text)),
                None => &document.source,
            },
            _ => return None,
        };
        match source {
            MediaSource::Base64 { media_type, data } => {
                let mime_type = media_type;
                Some(Self::new(Data::Inline(Blob { mime_type, data })))
            }
            _ => None,
        }
    }
}

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.key, &self.text)?;
        map.end()
    }
}
