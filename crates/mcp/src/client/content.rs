//! Converting tool results and resource contents for a session.

use aside_messages::models::media::judge_image;
use aside_messages::wire::{ContentBlock, Image, MediaSource};
use aside_session::attachments::McpContent;
use aside_text::{one_line, shortened};
use rmcp::model::{self, ResourceContents};
use serde_json::Value;

use super::results;

/// About 25,000 tokens.
const MAX_RESULT_BYTES: usize = 100 * 1024;

/// Around each text, the API and a request have more bytes than a short text itself.
const MAX_RESULT_TEXTS: usize = 1_000;

/// A server may choose the name of an unknown form.
const MAX_KIND_CHARS: usize = 100;

/// A tool's result for the model, and whether the tool reports it as an error.
pub(crate) struct CallResult {
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) is_error: bool,
}

/// Converts a call's result for the model. Content that has no block in the API
/// is replaced by its name. Texts are cut after 100 KB or 1,000 of them, with
/// one note on all that is left out.
///
/// Returns `None` if it is no result of a call.
pub(crate) fn call_result(mut result: Value) -> Option<CallResult> {
    let is_error = !matches!(result["isError"], Value::Null | Value::Bool(false));
    let content = results::take_items(&mut result, "content");
    let members = result.as_object_mut()?;
    if members.get("resultType").is_some_and(|kind| kind != "complete") {
        return None;
    }
    let structured = members.remove("structuredContent");
    let is_empty = members.keys().all(|key| matches!(&**key, "_meta" | "isError" | "resultType"));
    if content.is_none() && structured.is_none() && !is_empty {
        return None;
    }
    let mut content = content.into_iter().flatten().map(|item| item.map_or_else(unread, block));
    let first = content.next();
    let structured = structured.filter(|_| first.is_none());
    let structured = structured.map(|value| ContentBlock::text(value.to_string()));
    let content = limited(first.into_iter().chain(content).chain(structured));
    Some(CallResult { content, is_error })
}

/// Converts content that is not as the protocol has it.
fn unread(mut content: Value) -> ContentBlock {
    let kind = content["type"].as_str().unwrap_or("unknown");
    let name = format!("[content: {}]", shortened(&one_line(kind), MAX_KIND_CHARS));
    // Nothing of them is sent.
    if let Some(members) = content.as_object_mut() {
        members.remove("annotations");
        members.remove("_meta");
    }
    serde_json::from_value(content).map_or_else(|_| ContentBlock::text(name), block)
}

/// Returns the message of an error for the model, cut as a result is.
pub(crate) fn error_blocks(message: String) -> Vec<ContentBlock> {
    limited([ContentBlock::text(message)])
}

fn limited(blocks: impl IntoIterator<Item = ContentBlock>) -> Vec<ContentBlock> {
    let (mut kept, mut texts, mut left) = (Vec::new(), 0, MAX_RESULT_BYTES);
    // The place of the text that was cut, and how many bytes are left out from there.
    let mut cut: Option<(usize, usize)> = None;
    for mut block in blocks {
        if let ContentBlock::Text(text) = &mut block {
            let bytes = text.text.len();
            if let Some((_, left_out)) = &mut cut {
                *left_out += bytes;
                continue;
            }
            texts += 1;
            if texts == MAX_RESULT_TEXTS || bytes > left {
                let end = text.text.floor_char_boundary(left);
                cut = Some((kept.len(), bytes - end));
                text.text = text.text[..end].into();
            }
            left = left.saturating_sub(bytes);
        }
        kept.push(block);
    }
    if let Some((index, left_out @ 1..)) = cut
        && let ContentBlock::Text(text) = &mut kept[index]
    {
        text.text = format!("{}\n[{left_out} bytes left out]", text.text).into();
    }
    kept
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
    use std::iter::repeat_n;

    use super::*;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    fn check(json: &str, expected: &str) {
        let result = call_result(serde_json::from_str(json).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&result.content).unwrap(), expected, "{json}");
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
    fn content_in_an_unknown_form_is_named_and_the_rest_stays() {
        check(
            r#"{"content":[{"type":"video\n","data":"x"},{"type":"text","text":"after"},{"type":"text","text":5},3]}"#,
            r#"[{"type":"text","text":"[content: video\\n]"},{"type":"text","text":"after"},{"type":"text","text":"[content: text]"},{"type":"text","text":"[content: unknown]"}]"#,
        );
        check(
            r#"{"content":[{"type":"text","text":"t","annotations":{"priority":5,"audience":["other"]}}]}"#,
            r#"[{"type":"text","text":"t"}]"#,
        );
        let long = format!(r#"{{"content":[{{"type":"{}"}}]}}"#, "x".repeat(100_000));
        let result = call_result(serde_json::from_str(&long).unwrap()).unwrap();
        assert!(serde_json::to_string(&result.content).unwrap().len() < 200);
    }

    #[test]
    fn only_a_result_of_a_call_is_one() {
        let is_result = |json| call_result(serde_json::from_str(json).unwrap()).is_some();
        for json in [r#"{"isError":true}"#, r#"{"structuredContent":null}"#, r#"{"_meta":{}}"#] {
            assert!(is_result(json), "{json}");
        }
        for json in ["3", r#"{"toolResult":1}"#, r#"{"content":"a"}"#] {
            assert!(!is_result(json), "{json}");
        }
        assert!(!is_result(r#"{"resultType":"input_required","content":[]}"#));
        assert!(is_result(r#"{"resultType":"complete","content":[]}"#));
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

    /// Returns the texts of a limited result; `image` is one.
    fn limited_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let blocks = texts.into_iter().map(|text| match text {
            "image" => image("image/png", PNG.to_owned()),
            text => ContentBlock::text(text.to_owned()),
        });
        let text = |block: ContentBlock| match block {
            ContentBlock::Text(text) => text.text.to_string(),
            _ => "image".to_owned(),
        };
        limited(blocks).into_iter().map(text).collect()
    }

    #[test]
    fn long_results_are_cut() {
        let (fits, long) = ("é".repeat(50 * 1024), "é".repeat(60 * 1024));
        assert_eq!(limited_texts(["a", "image", "b"]), ["a", "image", "b"]);
        assert_eq!(limited_texts([&*fits]), [&*fits]);
        let cut = |bytes: usize| format!("{fits}\n[{bytes} bytes left out]");
        assert_eq!(limited_texts([&*long]), [cut(20_480)]);
        assert_eq!(limited_texts([&*long, "more", "image"]), [&*cut(20_484), "image"]);
        assert_eq!(limited_texts([&*fits, "more", "a"]), [&*fits, "\n[5 bytes left out]"]);
    }

    #[test]
    fn results_of_many_texts_are_cut() {
        let texts = limited_texts(repeat_n("a", MAX_RESULT_TEXTS));
        assert!(texts.iter().all(|text| text == "a") && texts.len() == MAX_RESULT_TEXTS);
        let texts = limited_texts(repeat_n("a", 400_000));
        assert_eq!(texts.len(), MAX_RESULT_TEXTS);
        assert_eq!(texts[MAX_RESULT_TEXTS - 1], "a\n[399000 bytes left out]");
    }
}
