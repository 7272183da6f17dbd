use std::sync::Arc;

use aside_messages::conversation::Part;
use aside_messages::wire::{Document, Extra, Image, MediaSource};
use serde::{Deserialize, Serialize};

use crate::size::size;

/// Where the data of an image or a document is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Media {
    /// The data itself.
    Base64 {
        /// Such as `image/png` or `application/pdf`.
        media_type: String,
        /// Standard base64.
        data: Arc<str>,
    },
    /// Fetched by the API.
    Url {
        /// An `https` address.
        url: String,
    },
    /// Uploaded before.
    File {
        /// The id that the Files API gave.
        file_id: String,
    },
}

impl Media {
    /// The number of bytes, where the data is at hand.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let Self::Base64 { data, .. } = self else {
            return None;
        };
        let digits = data.trim_end_matches('=').len() as u64;
        Some(digits * 3 / 4)
    }

    /// What to say of an image, and its block. One that the API would refuse,
    /// and every later request with it, has no block.
    pub(crate) fn image(self) -> (String, Option<Part>) {
        let image = |source| {
            Part::Image(Image {
                source,
                extra: Extra::default(),
                cache_control: None,
            })
        };
        self.block("An image", image)
    }

    /// What to say of a document, and its block.
    pub(crate) fn document(self) -> (String, Option<Part>) {
        let document = |source| {
            Part::Document(Document {
                source,
                title: None,
                context: None,
                citations: None,
                extra: Extra::default(),
                cache_control: None,
            })
        };
        self.block("A document", document)
    }

    fn block(self, what: &str, part: impl Fn(MediaSource) -> Part) -> (String, Option<Part>) {
        if let Some(fault) = self.fault() {
            return (format!("{what} that cannot be given: {fault}."), None);
        }
        let text = format!("{what} ({}), given as it is.", self.describe());
        (text, Some(part(self.into_source())))
    }

    /// The type and the size, as far as they are known.
    fn describe(&self) -> String {
        match self {
            Self::Base64 { media_type, .. } => {
                format!("{media_type}, {}", size(self.bytes().unwrap_or_default()))
            }
            Self::Url { .. } => "from a URL".to_owned(),
            Self::File { .. } => "an uploaded file".to_owned(),
        }
    }

    /// What the API would not take.
    fn fault(&self) -> Option<&'static str> {
        let is_made_of = |text: &str, signs: &[u8]| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || signs.contains(&byte);
            !text.is_empty() && text.bytes().all(is_allowed)
        };
        match self {
            Self::Base64 { media_type, .. } if !is_made_of(media_type, b"/.+-") => {
                Some("its media type is none")
            }
            Self::Base64 { data, .. } if !is_made_of(data, b"+/=") => {
                Some("its data is not base64")
            }
            Self::Url { url } if !is_made_of(url, b"-._~:/?#[]@!$&'()*+,;=%") => {
                Some("its URL is none")
            }
            Self::File { file_id } if !is_made_of(file_id, b"_-") => {
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
    fn the_size_is_that_of_the_data() {
        for (data, bytes) in [("", 0), ("QQ==", 1), ("QUI=", 2), ("QUJD", 3)] {
            let media = Media::Base64 {
                media_type: "image/png".into(),
                data: data.into(),
            };
            assert_eq!(media.bytes(), Some(bytes));
        }
    }
}
