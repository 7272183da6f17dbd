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

    /// The type and the size, as far as they are known.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Base64 { media_type, .. } => {
                let media_type = crate::line::one_line(media_type);
                format!("{media_type}, {}", size(self.bytes().unwrap_or_default()))
            }
            Self::Url { .. } => "from a URL".to_owned(),
            Self::File { .. } => "an uploaded file".to_owned(),
        }
    }

    pub(crate) fn into_image(self) -> Part {
        Part::Image(Image {
            source: self.into_source(),
            extra: Extra::default(),
            cache_control: None,
        })
    }

    pub(crate) fn into_document(self) -> Part {
        Part::Document(Document {
            source: self.into_source(),
            title: None,
            context: None,
            citations: None,
            extra: Extra::default(),
            cache_control: None,
        })
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
