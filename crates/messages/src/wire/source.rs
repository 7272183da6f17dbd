//! Where images and documents come from: inline data, a URL, or an uploaded
//! file's id.

use std::sync::Arc;

use aside_json::{Path, Value};
use serde::Serialize;

use super::object::ObjectReader;
use super::raw::RawJson;
use super::read::{Read, ReadError, Reader};

/// An image's or a document's data, or where it is. `Text` and `Content` are
/// for documents only.
///
/// ```json
/// {"type":"base64","media_type":"image/png","data":"iVBORw0…"}
/// {"type":"url","url":"https://example.com/a.png"}
/// {"type":"file","file_id":"file_1"}
/// {"type":"text","media_type":"text/plain","data":"…"}
/// {"type":"content","content":[{"type":"text","text":"…"}]}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum MediaSource {
    /// `base64`: the data itself.
    Base64 {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The data in standard base64.
        data: Arc<str>,
    },
    /// `url`: data that the API fetches.
    Url {
        /// An `https` address.
        url: String,
    },
    /// `file`: data that was uploaded earlier.
    File {
        /// The id from the Files API.
        file_id: String,
    },
    /// `text`: a document in plain text.
    Text {
        /// `text/plain`.
        media_type: String,
        /// The text.
        data: Arc<str>,
    },
    /// `content`: a document made from a string or from content blocks.
    Content {
        /// A JSON string or array.
        content: RawJson,
    },
    /// Another type, or one of these with unknown keys, byte for byte.
    #[serde(untagged)]
    Other(RawJson),
}

impl MediaSource {
    /// Returns true for text and for content blocks, which a wire without
    /// documents sends as text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. } | Self::Content { .. })
    }
}

impl Read for MediaSource {
    const EXPECTED: &'static str = "a source object";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        let source = match object.kind(reader)?.as_str() {
            "base64" => Self::Base64 {
                media_type: object.required("media_type", reader)?,
                data: object.required("data", reader)?,
            },
            "url" => Self::Url { url: object.required("url", reader)? },
            "file" => Self::File { file_id: object.required("file_id", reader)? },
            "text" => Self::Text {
                media_type: object.required("media_type", reader)?,
                data: object.required("data", reader)?,
            },
            "content" => Self::Content { content: object.required("content", reader)? },
            _ => return Ok(Self::Other(RawJson::read(value, at, reader)?)),
        };
        Ok(if object.is_empty() { source } else { Self::Other(RawJson::read(value, at, reader)?) })
    }
}
