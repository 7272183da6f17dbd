//! Estimating a block's tokens from its bytes.
//!
//! Estimates follow the model's tokenizer family. Keys that the model never
//! sees are left out, and images and PDFs are estimated by their data. Later,
//! estimates are scaled by what the provider reports. Without a family, all are 0.

use aside_models::media::{LARGEST_IMAGE, estimate_image, estimate_pdf};
use aside_models::{TokenEstimate, Tokenizer, estimate};

use aside_json::{Kind, Tape, Value};

use super::kind::{BlockKind, kind_of};
use super::mark::is_marker;

/// How much base64 of a sound or a film has one token. No provider documents a figure for bytes.
const SOUND_CHARS_PER_TOKEN: usize = 1_000;

/// How much base64 of a text has one token.
const TEXT_CHARS_PER_TOKEN: usize = 5;

/// How many tokens a block takes beyond its text.
pub(super) const FRAME_TOKENS: u64 = 2;

/// Keys whose strings the model does not read as text.
const UNREAD_KEYS: [&str; 7] =
    ["type", "signature", "id", "tool_use_id", "call_id", "encrypted_content", "thoughtSignature"];

/// A value whose estimate is known.
type Estimated<'a> = Option<(Value<'a>, TokenEstimate)>;

/// Estimates a block that is an object.
///
/// A tool is counted whole, with its keys, since the model reads its schema. In
/// any other block only values count. `list` is a value whose estimate is known.
pub(super) fn of_block<'a>(
    kind: BlockKind,
    block: Value<'a>,
    list: Estimated<'a>,
    family: Option<Tokenizer>,
) -> TokenEstimate {
    let Some(family) = family else {
        return TokenEstimate::ZERO;
    };
    let frame = TokenEstimate::of_tokens(FRAME_TOKENS);
    if kind == BlockKind::Image {
        return of_image(block);
    }
    if matches!(kind, BlockKind::Tool | BlockKind::SystemTool) {
        return frame + value(block, family);
    }
    frame + read_members(block, &UNREAD_KEYS).map(|it| of_member(it, list, family)).sum()
}

/// Iterates over members that are neither markers nor among some keys.
fn read_members<'a>(object: Value<'a>, unread: &[&str]) -> impl Iterator<Item = Value<'a>> {
    let is_read = |key: &str| !is_marker(key) && !unread.contains(&key);
    object.children().filter(move |it| it.raw_key().is_some_and(is_read))
}

/// Estimates a block with a text and nothing else as an element of a tool result, where its keys
/// count. `tokens` is its own estimate.
pub(super) fn of_text_element<'a>(
    block: Value<'a>,
    text: Value<'a>,
    tokens: TokenEstimate,
    family: Tokenizer,
) -> TokenEstimate {
    let of_text = tokens - TokenEstimate::of_tokens(FRAME_TOKENS);
    of_members(block, Some((text, of_text)), family)
}

/// Estimates content that is no object: a string counts as the text block that
/// it stands for.
pub(super) fn of_content(content: Value<'_>, family: Option<Tokenizer>) -> TokenEstimate {
    let value = of_value(content, family);
    match content.kind() {
        Kind::String if family.is_some() => TokenEstimate::of_tokens(FRAME_TOKENS) + value,
        _ => value,
    }
}

/// Message keys without text for the model.
const FRAME_KEYS: [&str; 8] =
    ["role", "content", "parts", "id", "type", "status", "clear_at", "output_config"];

/// Estimates a message's keys other than its content, such as `tool_calls`.
pub(super) fn of_frame(message: Value<'_>, family: Option<Tokenizer>) -> TokenEstimate {
    read_members(message, &FRAME_KEYS).map(|it| of_value(it, family)).sum()
}

/// Estimates a part of a block as the block's own estimate does, such as an image in a result.
/// `None` if the bytes are not JSON.
#[must_use]
pub fn estimate_part(bytes: &[u8], family: Tokenizer) -> Option<TokenEstimate> {
    Some(value(Tape::parse(bytes).ok()?.root(), family))
}

/// Estimates any value: strings by their text, anything else as written.
pub(super) fn of_value(it: Value<'_>, family: Option<Tokenizer>) -> TokenEstimate {
    family.map_or(TokenEstimate::ZERO, |family| value(it, family))
}

fn value(it: Value<'_>, family: Tokenizer) -> TokenEstimate {
    match it.kind() {
        Kind::String => estimate(&it.text().unwrap_or_default(), family),
        Kind::Array => it.items().map(|it| value(it, family)).sum(),
        Kind::Object => of_object(it, family),
        Kind::Number | Kind::Bool | Kind::Null => estimate(it.raw(), family),
    }
}

/// Estimates an object with its keys and punctuation.
///
/// An image has its own estimate, and so has base64 data. Markers count as 0.
fn of_object(object: Value<'_>, family: Tokenizer) -> TokenEstimate {
    let kind = object.get("type").and_then(Value::raw_text);
    match kind.map(|it| kind_of(it, BlockKind::Other)) {
        Some(BlockKind::Image) => of_image(object),
        _ => of_members(object, None, family),
    }
}

/// Estimates members other than markers: values, and keys with quotes, colon and comma.
fn of_members<'a>(object: Value<'a>, known: Estimated<'a>, family: Tokenizer) -> TokenEstimate {
    let member = |it: Value<'a>| {
        let key = estimate(it.raw_key().unwrap_or_default(), family);
        key + TokenEstimate::of_tokens(1) + of_member(it, known, family)
    };
    read_members(object, &[]).map(member).sum()
}

fn of_member<'a>(member: Value<'a>, known: Estimated<'a>, family: Tokenizer) -> TokenEstimate {
    match known {
        Some((value, tokens)) if value.range() == member.range() => tokens,
        _ => of_media(member).unwrap_or_else(|| value(member, family)),
    }
}

/// Estimates an image by its data. One that has none, or that cannot be read, counts as a large
/// one.
fn of_image(image: Value<'_>) -> TokenEstimate {
    image.children().find_map(of_media).unwrap_or(LARGEST_IMAGE)
}

/// Estimates a member that holds an image, a document or a sound; `None` for any other.
///
/// ```text
/// Messages     "source":{"type":"base64","media_type":"image/png","data":"iVBO…"}
/// OpenAI       "image_url":"data:image/png;base64,iVBO…"    "image_url":{"url":"…"}
///              "file_data":"data:application/pdf;base64,JVBE…"    "input_audio":{"data":"…"}
///              "result":"iVBO…"
/// Gemini       "inlineData":{"mimeType":"image/png","data":"iVBO…"}
/// ```
fn of_media(member: Value<'_>) -> Option<TokenEstimate> {
    let inner = |key: &str| member.text_of(key);
    match member.raw_key()? {
        "source" if inner("type").as_deref() == Some("base64") => {
            Some(of_data(&inner("media_type").unwrap_or_default(), &inner("data")?))
        }
        "inlineData" | "inline_data" => {
            let kind = inner("mimeType").or_else(|| inner("mime_type"));
            Some(of_data(&kind.unwrap_or_default(), &inner("data")?))
        }
        "input_audio" => Some(of_data("audio/", &inner("data")?)),
        "image_url" => {
            let url = member.text().or_else(|| inner("url"))?;
            Some(of_data_url(&url).unwrap_or(LARGEST_IMAGE))
        }
        "file_data" => {
            let data = member.text()?;
            Some(of_data_url(&data).unwrap_or_else(|| estimate_pdf(&data)))
        }
        "result" => estimate_image(&member.text()?),
        _ => None,
    }
}

/// Estimates what `data:image/png;base64,iVBO…` holds; `None` for another address.
fn of_data_url(url: &str) -> Option<TokenEstimate> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let kind = head.strip_suffix(";base64")?;
    Some(of_data(kind, data))
}

/// Estimates base64 data by its media type. What is neither an image, a text nor a sound is taken
/// for a PDF.
fn of_data(media_type: &str, data: &str) -> TokenEstimate {
    let per = |characters| TokenEstimate::of_tokens(data.len().div_ceil(characters) as u64);
    match media_type.split('/').next().unwrap_or_default() {
        "image" => estimate_image(data).unwrap_or(LARGEST_IMAGE),
        "audio" | "video" => per(SOUND_CHARS_PER_TOKEN),
        "text" => per(TEXT_CHARS_PER_TOKEN),
        _ => estimate_pdf(data),
    }
}
