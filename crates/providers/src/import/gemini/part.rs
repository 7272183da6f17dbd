//! A part of the user, or of a function response.
//!
//! ```text
//! {"text":"Hi"}                                            text
//! {"inlineData":{"mimeType":"image/png","data":"iVBO…"}}   image
//! {"inlineData":{"mimeType":"application/pdf","data":…}}   document
//! {"fileData":{"mimeType":"image/png","fileUri":"https…"}} image
//! {"fileData":{"fileUri":"https://example.com/a.pdf"}}     document
//! any other fileData                                       left out and reported
//! ```

use aside_messages::wire::{ContentBlock, MediaSource};

use crate::gemini::media_type;
use crate::import::Result;
use crate::import::conversation::media;
use crate::import::object::Object;
use crate::sources::Outputs;

/// Returns the block of a part. The members that the Messages API has no
/// counterpart for are reported. A media type that an address does not show goes to `outputs`.
pub(super) fn block(mut part: Object<'_>, outputs: &mut Outputs) -> Result<Option<ContentBlock>> {
    let block = match (part.string("text")?, part.object("inlineData")?) {
        (Some(text), _) => Some(ContentBlock::text(text)),
        (None, Some(mut blob)) => {
            let media_type = blob.required("mimeType")?;
            let is_image = media_type.starts_with("image/");
            let data = standard_base64(blob.required("data")?).into();
            blob.report();
            let source = MediaSource::Base64 { media_type, data };
            Some(media(source, is_image, None))
        }
        (None, None) => file(&mut part, outputs)?,
    };
    part.report();
    Ok(block)
}

/// Returns data of the URL-safe alphabet in the standard one and with padding, the only form that
/// the other vendors take. Google's Python SDK writes the URL-safe alphabet.
fn standard_base64(data: String) -> String {
    if !data.contains(['-', '_']) {
        return data;
    }
    let mut standard = data.replace('-', "+").replace('_', "/");
    let digits = data.bytes().filter(|it| !matches!(it, b'\n' | b'\r')).count();
    standard.push_str(["", "", "==", "="][digits % 4]);
    standard
}

/// Returns the block of a file at an address. The Messages API reads images and PDF there.
fn file(part: &mut Object<'_>, outputs: &mut Outputs) -> Result<Option<ContentBlock>> {
    let Some(mut file) = part.object("fileData")? else {
        return Ok(None);
    };
    let Some(url) = file.string("fileUri")? else {
        file.lose_whole();
        return Ok(None);
    };
    let declared = file.string("mimeType")?;
    let shown = media_type(&url);
    let kind = declared.as_deref().or(shown).unwrap_or_default();
    let is_image = kind.starts_with("image/");
    if !is_image && kind != "application/pdf" {
        file.lose_whole();
        return Ok(None);
    }
    file.report();
    if is_image && shown != Some(kind) {
        outputs.entry(part.place().to_owned()).or_default().media_type = declared;
    }
    Ok(Some(media(MediaSource::Url { url }, is_image, None)))
}
