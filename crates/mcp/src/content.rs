//! Converting tool results and resource contents for a session.

use aside_messages::models::media::judge_image;
use aside_messages::wire::{ContentBlock, Image, MediaSource};
use aside_session::attachments::McpContent;
use aside_text::one_line;
use rmcp::model::{self, CallToolResult, ResourceContents};

/// About 25,000 tokens.
const MAX_RESULT_BYTES: usize = 100 * 1024;

/// Converts a call's result for the model. Content that has no block in the API
/// is replaced by its name. Texts are cut after 100 KB.
pub(crate) fn blocks(result: CallToolResult) -> Vec<ContentBlock> {
    let structured = result.structured_content.filter(|_| result.content.is_empty());
    let structured = structured.map(|value| ContentBlock::text(value.to_string()));
    let mut blocks: Vec<ContentBlock> = result.content.into_iter().map(block).collect();
    blocks.extend(structured);
    let mut left = MAX_RESULT_BYTES;
    for block in &mut blocks {
        if let ContentBlock::Text(text) = block {
            if text.text.len() > left {
                let end = text.text.floor_char_boundary(left);
                let cut = text.text.len() - end;
                text.text = format!("{}\n[{cut} bytes left out]", &text.text[..end]).into();
                left = 0;
            } else {
                left -= text.text.len();
            }
        }
    }
    blocks
}

fn block(content: model::ContentBlock) -> ContentBlock {
    let named = |what: &str, media_type: &str| format!("[{what}: {}]", one_line(media_type));
    let text = match content {
        model::ContentBlock::Image(found) => return image(&found.mime_type, found.data),
        model::ContentBlock::Text(text) => text.text,
        model::ContentBlock::Audio(audio) => named("audio", &audio.mime_type),
        model::ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                let media_type = mime_type.unwrap_or_default();
                if media_type.to_ascii_lowercase().starts_with("image/") {
                    return image(&media_type, blob);
                }
                named("resource", &media_type)
            }
            _ => named("resource", "unknown"),
        },
        model::ContentBlock::ResourceLink(link) => {
            format!("[resource: {} {}]", one_line(&link.name), one_line(&link.uri))
        }
        _ => named("content", "unknown"),
    };
    ContentBlock::text(text)
}

/// Returns an image under the type of its data, since the API refuses another; if it accepts none,
/// the reason.
fn image(declared: &str, data: String) -> ContentBlock {
    let data = data.replace(['\n', '\r'], "");
    match judge_image(&data) {
        Ok(media_type) => {
            let media_type = media_type.to_owned();
            let source = MediaSource::Base64 { media_type, data: data.into() };
            ContentBlock::Image(Image::new(source))
        }
        Err(fault) => {
            ContentBlock::text(format!("[image: {}, left out: {fault}]", one_line(declared)))
        }
    }
}

/// Returns a resource's contents; for data other than text, only its size.
pub(crate) fn contents(contents: Vec<ResourceContents>) -> Vec<McpContent> {
    let contents = contents.into_iter().filter_map(|content| match content {
        ResourceContents::TextResourceContents { text, .. } => Some(McpContent::Text { text }),
        ResourceContents::BlobResourceContents { mime_type, blob, .. } => Some(McpContent::Blob {
            media_type: mime_type,
            bytes: (blob.trim_end_matches('=').len() * 3 / 4) as u64,
        }),
        _ => None,
    });
    contents.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    fn check(json: &str, expected: &str) {
        let result = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&blocks(result)).unwrap(), expected, "{json}");
    }

    #[test]
    fn a_result_has_blocks_that_the_api_accepts() {
        check(
            r#"{"content":[{"type":"text","text":"a\u001b"},{"type":"audio","data":"AA","mimeType":"audio/wav"},
                {"type":"resource","resource":{"uri":"u","text":"t"}},
                {"type":"resource","resource":{"uri":"u","blob":"AA"}},
                {"type":"resource_link","uri":"u:1","name":"n\n"}]}"#,
            r#"[{"type":"text","text":"a\u001b"},{"type":"text","text":"[audio: audio/wav]"},{"type":"text","text":"t"},{"type":"text","text":"[resource: ]"},{"type":"text","text":"[resource: n\\n u:1]"}]"#,
        );
        check(
            r#"{"content":[],"structuredContent":{"b":1,"a":2}}"#,
            r#"[{"type":"text","text":"{\"a\":2,\"b\":1}"}]"#,
        );
        check(
            r#"{"content":[{"type":"text","text":"t"}],"structuredContent":{"a":2}}"#,
            r#"[{"type":"text","text":"t"}]"#,
        );
    }

    #[test]
    fn an_image_is_sent_under_the_type_of_its_data_or_named_with_the_reason() {
        let image = |data: &str, kind: &str| {
            format!(r#"{{"content":[{{"type":"image","data":"{data}","mimeType":"{kind}"}}]}}"#)
        };
        let sent = format!(
            r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{PNG}"}}}}]"#
        );
        for kind in ["image/png", "IMAGE/PNG", "image/jpeg"] {
            check(&image(PNG, kind), &sent);
        }
        let resource = format!(r#"{{"uri":"u","blob":"{PNG}","mimeType":"Image/png"}}"#);
        check(&format!(r#"{{"content":[{{"type":"resource","resource":{resource}}}]}}"#), &sent);
        let left_out = |data: &str, kind: &str, why: &str| {
            let text = format!("[image: {kind}, left out: {why}]");
            check(&image(data, kind), &format!(r#"[{{"type":"text","text":"{text}"}}]"#));
        };
        left_out("PHN2Zz4=", "image/svg+xml", "not a PNG, JPEG, GIF or WebP");
        left_out("a-b", "image/png", "not base64");
        left_out(&PNG[..44], "image/png", "its data are incomplete");
        left_out(
            &format!("{PNG}{}", "A".repeat(5_000_000)),
            "image/png",
            "more than 5 MB of base64",
        );
    }

    #[test]
    fn long_results_are_cut() {
        let text = "é".repeat(60 * 1024);
        let json = format!(
            r#"{{"content":[{{"type":"text","text":"{text}"}},{{"type":"text","text":"more"}}]}}"#
        );
        let blocks = blocks(serde_json::from_str(&json).unwrap());
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(&*text.text),
                _ => None,
            })
            .collect();
        assert!(texts[0].ends_with("é\n[20480 bytes left out]"));
        assert_eq!(texts[1], "\n[4 bytes left out]");
    }
}
