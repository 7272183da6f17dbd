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
use crate::result_text::{is_other_file, text_of};
use crate::user_part::{UserPart, address};

/// A content part in a message or a call's output.
#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Part<'a> {
    /// Text from the user, from instructions or from a result.
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
        /// The document's title, or `document.pdf`; only next to data.
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
    pub(super) part: Part<'a>,
    /// The block whose marker the part can have; `None` if it cannot have one.
    pub(super) at: Option<BlockRef>,
    /// The marker in the encoded request, not one to add later.
    pub(super) marker: Option<CacheControl>,
}

impl<'a> Part<'a> {
    /// Returns a document's part; `None` for a file id, and for data other than a PDF without the
    /// name that says what it is.
    fn file(document: &'a Document) -> Option<Self> {
        let title = document.title.as_deref();
        match &document.source {
            _ if title.is_none() && is_other_file(document) => None,
            // OpenAI refuses a name next to an address.
            MediaSource::Url { url } => {
                Some(Self::File { filename: None, file_data: None, file_url: Some(url) })
            }
            source => Some(Self::File {
                filename: Some(title.unwrap_or("document.pdf")),
                file_data: Some(address(source)?.into_owned()),
                file_url: None,
            }),
        }
    }
}

impl<'a> UserPart<'a> for Part<'a> {
    fn of(block: &'a ContentBlock) -> Option<Self> {
        if let Some(text) = text_of(block) {
            return Some(Self::Text { text });
        }
        match block {
            ContentBlock::Image(image) => {
                Some(Self::Image { detail: "auto", image_url: address(&image.source)? })
            }
            ContentBlock::Document(document) => Self::file(document),
            _ => None,
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self, Self::Text { text } if text.trim().is_empty())
    }

    fn has_title(&self) -> bool {
        matches!(self, Self::File { filename: Some(_), .. })
    }
}

/// Writes the parts as an array. With `breakpoints`, this writes the parts' markers. For every
/// other part with a block, it adds the position before the closing brace to `slots`, to insert a
/// later marker there without writing the part again.
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

/// Returns the member to mark a part with, and its leading comma. On this wire, a breakpoint lives
/// for 30 minutes, the default, or 12 hours, the only choice that covers an hour.
///
/// ```text
/// {"type":"ephemeral"}              → ,"prompt_cache_breakpoint":{"mode":"explicit"}
/// {"type":"ephemeral","ttl":"1h"}   → ,"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}
/// ```
pub(super) fn breakpoint(control: &CacheControl) -> Bytes {
    let is_long = matches!(control, CacheControl::Ephemeral { ttl: Some(Ttl::OneHour), .. });
    Bytes::from_static(if is_long {
        br#","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}"#
    } else {
        br#","prompt_cache_breakpoint":{"mode":"explicit"}"#
    })
}
