//! Content parts.

use aside_messages::wire::{CacheControl, ContentBlock, MediaSource, RawJson};

use crate::import::ImportError;
use crate::import::conversation::{media, source};
use crate::import::object::Object;
use crate::import::unread::lose;
use crate::loss::ConversionLoss;

/// Reads content parts.
pub(super) fn parts(
    parts: &RawJson,
    path: &str,
    losses: &mut Vec<ConversionLoss>,
) -> Result<Vec<ContentBlock>, ImportError> {
    let parts: Vec<RawJson> =
        serde_json::from_str(parts.get()).map_err(|_| ImportError::shape(path, "parts"))?;
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let mut part = Object::read(part, &path)?;
        let kind = part.required("type")?;
        match kind.as_str() {
            "input_text" | "output_text" | "text" => {
                blocks.push(ContentBlock::text(part.required("text")?));
            }
            "refusal" => blocks.push(ContentBlock::text(part.required("refusal")?)),
            "input_image" => match part.string("image_url")? {
                Some(url) => blocks.push(media(source(&url), true, None)),
                None => lose(&path, losses),
            },
            "input_file" => {
                let title = part.string("filename")?;
                let data = part.string("file_data")?.map(|data| source(&data));
                let url = part.string("file_url")?.map(|url| MediaSource::Url { url });
                match data.or(url) {
                    Some(source) => blocks.push(media(source, false, title)),
                    None => lose(&path, losses),
                }
            }
            _ => lose(&path, losses),
        }
        if part.take("prompt_cache_breakpoint").is_some()
            && let Some(block) = blocks.last_mut()
        {
            block.mark(CacheControl::EPHEMERAL);
        }
    }
    Ok(blocks)
}
