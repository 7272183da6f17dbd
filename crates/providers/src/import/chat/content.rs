//! The content of a message: a string, or parts.
//!
//! ```text
//! "Hi"                                                  text
//! {"type":"text","text":"Hi"}                           text
//! {"type":"image_url","image_url":{"url":"data:…"}}     image
//! {"type":"file","file":{"file_data":"data:…"}}         document
//! {"type":"refusal","refusal":"No."}                    text
//! {"type":"input_audio",…}, a file by its id            left out and reported
//! ```

use aside_messages::wire::ContentBlock;

use crate::import::conversation::{image_detail, marker, media, refusal, source};
use crate::import::object::Object;
use crate::import::{ImportError, Result};

/// Reads the content of a message: a string, parts, or nothing.
///
/// An empty string and null give no blocks. Each block has its path.
pub(super) fn blocks(message: &mut Object<'_>) -> Result<Vec<(ContentBlock, String)>> {
    let mut blocks = Vec::new();
    let Some(content) = message.take("content") else {
        return Ok(blocks);
    };
    let path = message.path("content");
    if let Some(text) = content.text() {
        if !text.is_empty() {
            blocks.push((ContentBlock::text(text), path));
        }
        return Ok(blocks);
    }
    for part in message.list(content, &path, "parts")? {
        let part = part?;
        let at = part.place().to_owned();
        blocks.extend(block(part)?.map(|block| (block, at)));
    }
    Ok(blocks)
}

/// Reads a part. One that the Messages API has no block for is reported.
fn block(mut part: Object<'_>) -> Result<Option<ContentBlock>> {
    let mut block = match part.required("type")?.as_str() {
        "text" => ContentBlock::text(part.required("text")?),
        "refusal" => refusal(&mut part)?,
        "image_url" => {
            let url = match part.object("image_url")? {
                Some(mut address) => {
                    image_detail(&mut address)?;
                    address.required("url")?
                }
                None => part.required("image_url")?,
            };
            media(source(&url), true, None)
        }
        "file" => {
            let file = part.object("file")?;
            let mut file = file.ok_or_else(|| ImportError::shape(part.place(), "a file"))?;
            let title = file.string("filename")?;
            match file.string("file_data")? {
                Some(data) => media(source(&data), false, title),
                None => {
                    part.lose();
                    return Ok(None);
                }
            }
        }
        _ => {
            part.lose();
            return Ok(None);
        }
    };
    if let Some(marker) = marker(&mut part)? {
        block.mark(marker);
    }
    part.report();
    Ok(Some(block))
}
