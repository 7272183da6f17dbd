//! Content parts, as they are written.
//!
//! ```json
//! {"text": "Hi"}
//! {"text": "The user greets.", "thought": true, "thoughtSignature": "CiQ…"}
//! {"inlineData": {"mimeType": "image/png", "data": "iVBORw0…"}}
//! {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}}
//! {"functionCall": {"id": "call_1", "name": "Bash", "args": {"command": "ls"}}}
//! {"functionResponse": {"id": "call_1", "name": "Bash", "response": {"output": "README.md"}}}
//! ```

use std::borrow::Cow;
use std::ops::Not;

use aside_messages::wire::{ContentBlock, Image, MediaSource, RawJson};
use serde::{Serialize, Serializer};

use crate::names::{NO_ID, given_id};
use crate::result_text::text_of;
use crate::user_part::UserPart;

#[derive(Serialize)]
pub(super) struct Part<'a> {
    /// The one member that decides which kind of part this is.
    #[serde(flatten)]
    pub(super) data: Data<'a>,
    /// True if the text is thinking.
    #[serde(rename = "thought", skip_serializing_if = "Not::not")]
    pub(super) is_thought: bool,
    /// The signature as Gemini made it, without the Anthropic form's prefix.
    #[serde(rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<&'a str>,
}

/// A part's data. Large variants are boxed, because most parts are text.
#[derive(Serialize)]
pub(super) enum Data<'a> {
    #[serde(rename = "text")]
    Text(Cow<'a, str>),
    /// An image or a document.
    #[serde(rename = "inlineData")]
    Inline(Blob<'a>),
    /// The same by its address.
    #[serde(rename = "fileData")]
    File(FileData<'a>),
    #[serde(rename = "functionCall")]
    Call(Box<FunctionCall<'a>>),
    #[serde(rename = "functionResponse")]
    Response(Box<FunctionResponse<'a>>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blob<'a> {
    /// Such as `image/png`.
    pub(super) mime_type: &'a str,
    /// Copied from the request.
    pub(super) data: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileData<'a> {
    /// Left out for an image whose address does not end in its type: Google then finds it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mime_type: Option<Cow<'a, str>>,
    pub(super) file_uri: &'a str,
}

#[derive(Serialize)]
pub(super) struct FunctionCall<'a> {
    /// The id, from Gemini or from the request, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Cow<'a, str>>,
    /// The name, in the form that Gemini accepts.
    pub(super) name: String,
    /// The input, which is an object.
    pub(super) args: RawJson,
}

#[derive(Serialize)]
pub(super) struct FunctionResponse<'a> {
    /// The call's id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Cow<'a, str>>,
    /// The called function's name.
    pub(super) name: String,
    /// The result.
    pub(super) response: Output<'a>,
    /// The result's media, for models that accept them there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Part<'a>>,
}

/// The key of a result that has the whole response, which [`fit`](crate::fit()) adds. It is never
/// sent.
pub(crate) const RESPONSE: &str = "gemini_response";

/// The key of an image that has its declared media type, which [`fit`](crate::fit()) adds. It is
/// never sent.
pub(crate) const MEDIA_TYPE: &str = "gemini_media_type";

/// A result.
pub(super) enum Output<'a> {
    /// The object that Gemini had.
    Object(&'a RawJson),
    /// `{"output":…}`, or `{"error":…}` for a failed result. The text may be empty.
    Text(&'static str, Cow<'a, str>),
}

/// The media type of a document at an address.
const PDF: &str = "application/pdf";

/// Returns the media type that an address ends in, for an image or a PDF.
pub(crate) fn media_type(url: &str) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let (_, ending) = path.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        "pdf" => Some(PDF),
        _ => None,
    }
}

/// Returns true for an address that only Google's servers can read: that of a file in its storage,
/// or of one that was uploaded to Gemini.
pub(crate) fn is_googles(url: &str) -> bool {
    ["gs://", "files/", "https://generativelanguage.googleapis.com/"]
        .iter()
        .any(|it| url.starts_with(it))
}

/// Returns the media type of an image at an address: the declared one, or that of the ending.
fn image_type<'a>(image: &Image, url: &str) -> Option<Cow<'a, str>> {
    let declared = image.extra.0.iter().find(|(key, _)| key == MEDIA_TYPE);
    match declared {
        Some((_, value)) => serde_json::from_str(value.get()).ok().map(Cow::Owned),
        None => media_type(url).map(Cow::Borrowed),
    }
}

/// Returns a call's id. Gemini needs none: a response without an id is that of the oldest call.
pub(super) fn call_id(id: &str) -> Option<Cow<'_, str>> {
    (!id.starts_with(NO_ID)).then(|| given_id(id))
}

impl<'a> Part<'a> {
    pub(super) fn text(text: Cow<'a, str>) -> Self {
        Self::new(Data::Text(text))
    }

    /// Creates a part without a signature.
    pub(super) fn new(data: Data<'a>) -> Self {
        Self { data, is_thought: false, signature: None }
    }
}

impl<'a> UserPart<'a> for Part<'a> {
    fn is_blank(&self) -> bool {
        matches!(&self.data, Data::Text(text) if text.trim().is_empty())
    }

    /// Converts a text, an image or a document from the user. Returns `None` for another block, and
    /// for a file by its id.
    fn of(block: &'a ContentBlock) -> Option<Self> {
        if let Some(text) = text_of(block) {
            return Some(Self::text(text));
        }
        let (source, image) = match block {
            ContentBlock::Image(image) => (&image.source, Some(image)),
            ContentBlock::Document(document) => (&document.source, None),
            _ => return None,
        };
        match source {
            MediaSource::Base64 { media_type, data } => {
                let mime_type = media_type;
                Some(Self::new(Data::Inline(Blob { mime_type, data })))
            }
            MediaSource::Url { url } => {
                // The Messages API reads only PDF from an address of a document.
                let mime_type = match image {
                    Some(image) => image_type(image, url),
                    None => Some(Cow::Borrowed(PDF)),
                };
                Some(Self::new(Data::File(FileData { mime_type, file_uri: url })))
            }
            _ => None,
        }
    }
}

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(object) => object.serialize(serializer),
            Self::Text(key, text) => serializer.collect_map([(key, text)]),
        }
    }
}
