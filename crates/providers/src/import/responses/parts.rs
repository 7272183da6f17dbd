//! The content parts of messages and of outputs.
//!
//! ```text
//! {"type":"input_text","text":"Hi"}                         text
//! {"type":"output_text","text":"Hi"}                        text
//! {"type":"refusal","refusal":"No."}                        text
//! {"type":"input_image","image_url":"data:…"}               image
//! {"type":"input_file","filename":"a.pdf","file_data":"…"}  document
//! an image or a file by its id (file_id)                    left out and reported
//! ```

use aside_json::Value;
use aside_messages::wire::{ContentBlock, MediaSource};

use crate::import::Result;
use crate::import::conversation::{image_detail, marker, media, refusal, source};
use crate::import::object::Object;

/// Reads the content parts that a member of an item had. Each block has its path.
pub(super) fn parts<'t>(
    item: &Object<'t>,
    key: &str,
    parts: Value<'t>,
) -> Result<Vec<(ContentBlock, String)>> {
    let mut blocks = Vec::new();
    for part in item.list(parts, &item.path(key), "parts")? {
        let mut part = part?;
        let Some(mut block) = block(&mut part)? else {
            part.lose();
            continue;
        };
        if let Some(marker) = marker(&mut part)? {
            block.mark(marker);
        }
        part.report();
        blocks.push((block, part.place().to_owned()));
    }
    Ok(blocks)
}

/// Returns the block of a part; `None` if the Messages API has none for it.
fn block(part: &mut Object<'_>) -> Result<Option<ContentBlock>> {
    Ok(match part.required("type")?.as_str() {
        "input_text" | "output_text" | "text" => Some(ContentBlock::text(part.required("text")?)),
        "refusal" => Some(refusal(part)?),
        "input_image" => {
            let url = part.string("image_url")?;
            if url.is_some() {
                image_detail(part)?;
            }
            url.map(|url| media(source(&url), true, None))
        }
        "input_file" => {
            let title = part.string("filename")?;
            let data = part.string("file_data")?.map(|data| source(&data));
            let url = part.string("file_url")?.map(|url| MediaSource::Url { url });
            data.or(url).map(|source| media(source, false, title))
        }
        _ => None,
    })
}
