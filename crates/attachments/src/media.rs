use std::sync::Arc;

use aside_messages::conversation::Part;
use aside_messages::wire::{Document, Image, MediaSource};
use serde::{Deserialize, Serialize};

use crate::byte_size::byte_size;

/// The data for an image or a document.
///
/// ```
/// use aside_attachments::Media;
///
/// let json = r#"{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}"#;
/// let image: Media = serde_json::from_str(json)?;
/// assert_eq!(image.bytes(), Some(8));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Media {
    /// Inline data.
    Base64 {
        /// The media type, such as `image/png` or `application/pdf`.
        media_type: String,
        /// The data in standard base64.
        data: Arc<str>,
    },
    /// A URL for the API to fetch the data from.
    Url {
        /// An `https` address.
        url: String,
    },
    /// A file uploaded to the Files API.
    File {
        /// The file's id.
        file_id: String,
    },
}

impl Media {
    /// Returns the size of inline data, in bytes.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let Self::Base64 { data, .. } = self else {
            return None;
        };
        let digits = data.trim_end_matches('=').len() as u64;
        Some(digits * 3 / 4)
    }

    /// Describes the image, and returns its block. An image that the API would
    /// refuse has no block: it would make every later request fail.
    pub(crate) fn image(self) -> (String, Option<Part>) {
        self.block("An image", |source| Part::Image(Image::new(source)))
    }

    /// Describes the document, and returns its block.
    pub(crate) fn document(self) -> (String, Option<Part>) {
        self.block("A document", |source| Part::Document(Document::new(source)))
    }

    fn block(self, what: &str, part: impl Fn(MediaSource) -> Part) -> (String, Option<Part>) {
        if let Some(fault) = self.fault() {
            return (format!("{what} that cannot be given: {fault}."), None);
        }
        let text = format!("{what} ({}), given as it is.", self.describe());
        (text, Some(part(self.into_source())))
    }

    /// Returns the media type and the size, if known.
    fn describe(&self) -> String {
        match self {
            Self::Base64 { media_type, .. } => {
                format!("{media_type}, {}", byte_size(self.bytes().unwrap_or_default()))
            }
            Self::Url { .. } => "from a URL".to_owned(),
            Self::File { .. } => "an uploaded file".to_owned(),
        }
    }

    /// Returns why the API would refuse the data, if it would.
    fn fault(&self) -> Option<&'static str> {
        let consists_of = |text: &str, signs: &[u8]| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || signs.contains(&byte);
            !text.is_empty() && text.bytes().all(is_allowed)
        };
        match self {
            Self::Base64 { media_type, .. } if !consists_of(media_type, b"/.+-") => {
                Some("its media type is none")
            }
            Self::Base64 { data, .. } if !consists_of(data, b"+/=") => {
                Some("its data is not base64")
            }
            Self::Url { url } if !consists_of(url, b"-._~:/?#[]@!$&'()*+,;=%") => {
                Some("its URL is none")
            }
            Self::File { file_id } if !consists_of(file_id, b"_-") => {
                Some("its id is none of an uploaded file")
            }
            _ => None,
        }
    }

    fn into_source(self) -> MediaSource {
        match self {
            Self::Base64 { media_type, data } => MediaSource::Base64 { media_type, data },
            Self::Url { url } => MediaSource::Url { url },
            Self::File { file_id } => MediaSource::File { file_id },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_padding_is_not_counted() {
        for (data, bytes) in [("", 0), ("QQ==", 1), ("QUI=", 2), ("QUJD", 3)] {
            let media = Media::Base64 { media_type: "image/png".into(), data: data.into() };
            assert_eq!(media.bytes(), Some(bytes));
        }
    }
}
