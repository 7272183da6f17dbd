//! A part of the user, or of a function response.
//!
//! ```text
//! {"text":"Hi"}                                            text
//! {"inlineData":{"mimeType":"image/png","data":"iVBO…"}}   image
//! {"inlineData":{"mimeType":"application/pdf","data":…}}   document
//! {"fileData":{"fileUri":"…"}}                             left out and reported
//! ```

use aside_messages::wire::{ContentBlock, MediaSource};

use crate::import::Result;
use crate::import::conversation::media;
use crate::import::object::Object;

/// Returns the block of a part. The members that the Messages API has no
/// counterpart for are reported.
pub(super) fn block(mut part: Object<'_>) -> Result<Option<ContentBlock>> {
    let block = match (part.string("text")?, part.object("inlineData")?) {
        (Some(text), _) => Some(ContentBlock::text(text)),
        (None, Some(mut blob)) => {
            let media_type = blob.required("mimeType")?;
            let is_image = media_type.starts_with("image/");
            let data = blob.required("data")?.into();
            blob.report();
            let source = MediaSource::Base64 { media_type, data };
            Some(media(source, is_image, None))
        }
        (None, None) => None,
    };
    part.report();
    Ok(block)
}
