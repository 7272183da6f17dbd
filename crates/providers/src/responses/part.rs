//! Content parts: text, images and files.
//!
//! ```json
//! {"type": "input_text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "explicit"}}
//! {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,…"}
//! {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,…"}
//! ```

use std::borrow::Cow;

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, ContentBlock, Document, MediaSource, Ttl};
use bytes::Bytes;
use serde::Serialize;

use crate::body_writer::Slot;
use crate::json::write_json;
use crate::result_text::document_text;
use crate::user_part::UserPart;

/// A content part of a message or of the output of a call.
#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Part<'a> {
    /// A text of the user, of instructions or of a result.
    #[serde(rename = "input_text")]
    Text { text: Cow<'a, str> },
    /// An image.
    #[serde(rename = "input_image")]
    Image {
        /// Always `auto`, the default.
        detail: &'static str,
        /// An HTTP address, or a `data:` URL.
        image_url: Cow<'a, str>,
    },
    /// A document that is not plain text, with either its data or its address.
    #[serde(rename = "input_file")]
    File {
        /// The title of the document, or `document.pdf`; next to data only.
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<&'a str>,
        /// A `data:` URL.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<String>,
        /// An HTTP address.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<&'a str>,
    },
}

/// A part, the block that it is made from, and the marker on that block.
pub(super) struct Placed<'a> {
    /// The part.
    pub(super) part: Part<'a>,
    /// The block whose marker the part can have; `None` if it cannot have one.
    pub(super) at: Option<BlockRef>,
    /// The marker that is in the encoded request, not one that is added later.
    pub(super) marker: Option<CacheControl>,
}

impl<'a> Part<'a> {
    /// Creates a part with text.
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the part of a document; `None` for a file by its id.
    fn file(document: &'a Document) -> Option<Self> {
        let title = document.title.as_deref();
        match &document.source {
            MediaSource::Base64 { media_type, data } => Some(Self::File {
                filename: Some(title.unwrap_or("document.pdf")),
                file_data: Some(data_url(media_type, data)),
                file_url: None,
            }),
            // A name next to an address is refused.
            MediaSource::Url { url } => Some(Self::File {
                filename: None,
                file_data: None,
                file_url: Some(url),
            }),
            _ => None,
        }
    }
}

impl<'a> UserPart<'a> for Part<'a> {
    fn of(block: &'a ContentBlock) -> Option<Self> {
        match block {
            ContentBlock::Text(text) => Some(Self::text(&*text.text)),
            ContentBlock::Image(image) => Some(Self::Image {
                detail: "auto",
                image_url: match &image.source {
                    MediaSource::Base64 { media_type, data } => data_url(media_type, data).into(),
                    MediaSource::Url { url } => Cow::Borrowed(url),
                    _ => return None,
                },
            }),
            ContentBlock::Document(document) => match document_text(document) {
                Some(text) => Some(Self::Text { text }),
                None => Self::file(document),
            },
            _ => None,
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self, Self::Text { text } if text.trim().is_empty())
    }
}

/// Returns the URL of data in base64.
fn data_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

/// Writes the parts as an array. With `breakpoints`, a marker on a part is written, and
/// the position before the closing brace of every other part with a block is added to
/// `slots`: a marker that is placed later is inserted there, without writing the part
/// again.
pub(super) fn write_parts(
    out: &mut Vec<u8>,
    parts: &[Placed<'_>],
    breakpoints: bool,
    slots: &mut Vec<Slot>,
) {
    for (index, Placed { part, at, marker }) in parts.iter().enumerate() {
        out.push(if index == 0 { b'[' } else { b',' });
        write_json(out, part);
        if !breakpoints {
            continue;
        }
        let offset = out.len() - 1;
        match (marker, at) {
            (Some(control), _) => {
                out.pop();
                out.extend_from_slice(&breakpoint(control));
                out.push(b'}');
            }
            (None, Some(at)) => slots.push(Slot { at: *at, offset }),
            (None, None) => {}
        }
    }
    if parts.is_empty() {
        out.push(b'[');
    }
    out.push(b']');
}

/// Returns the member of a part that marks it, with its leading comma. The lifetimes of
/// the wire are 30 minutes, the default, and 12 hours, the only one that covers an hour.
///
/// ```text
/// {"type":"ephemeral"}              → ,"prompt_cache_breakpoint":{"mode":"explicit"}
/// {"type":"ephemeral","ttl":"1h"}   → ,"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}
/// ```
pub(super) fn breakpoint(control: &CacheControl) -> Bytes {
    let is_long = matches!(
        control,
        CacheControl::Ephemeral {
            ttl: Some(Ttl::OneHour),
            ..
        }
    );
    Bytes::from_static(match is_long {
        true => br#","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}"#,
        false => br#","prompt_cache_breakpoint":{"mode":"explicit"}"#,
    })
}
