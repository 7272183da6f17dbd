//! Estimating a block's tokens from its bytes.
//!
//! Estimates follow the model's tokenizer family. Keys that the model never
//! sees are left out, and images and PDFs are estimated by their data. Later,
//! estimates are scaled by what the provider reports. Without a family, all are 0.

use std::borrow::Cow;

use aside_models::media::{LARGEST_IMAGE, estimate_image, estimate_pdf};
use aside_models::{TokenEstimate, Tokenizer, estimate};

use aside_json::scan::{self as json, Kind, Member, Span};

use super::kind::{BlockKind, kind_of};
use super::mark::is_marker;

/// How much base64 of a sound or a film has one token. No provider documents a figure for bytes.
const SOUND_CHARS_PER_TOKEN: usize = 1_000;

/// How much base64 of a text has one token.
const TEXT_CHARS_PER_TOKEN: usize = 5;

/// How many tokens a block takes beyond its text.
pub(super) const FRAME_TOKENS: u64 = 2;

/// Keys whose strings the model does not read as text.
const UNREAD_KEYS: [&[u8]; 7] = [
    b"type",
    b"signature",
    b"id",
    b"tool_use_id",
    b"call_id",
    b"encrypted_content",
    b"thoughtSignature",
];

/// Estimates a block that is an object.
///
/// A tool is counted whole, with its keys, since the model reads its schema. In
/// any other block only values count. `list` is a value whose estimate is known.
pub(super) fn of_block(
    bytes: &[u8],
    kind: BlockKind,
    span: &Span,
    members: &[Member],
    list: Option<(Span, TokenEstimate)>,
    family: Option<Tokenizer>,
) -> TokenEstimate {
    let Some(family) = family else {
        return TokenEstimate::ZERO;
    };
    let frame = TokenEstimate::of_tokens(FRAME_TOKENS);
    if kind == BlockKind::Image {
        return of_image(bytes, members);
    }
    if matches!(kind, BlockKind::Tool | BlockKind::SystemTool) {
        return frame + value(bytes, span, family);
    }
    let read = members
        .iter()
        .filter(|it| !is_marker(bytes, it) && !UNREAD_KEYS.contains(&&bytes[it.key.clone()]));
    let known = list.as_ref().map(|(span, tokens)| (span, *tokens));
    frame + read.map(|it| of_member(bytes, it, known, family)).sum()
}

/// Estimates a block with a text and nothing else as an element of a tool result, where its keys
/// count. `block` is its own estimate.
pub(super) fn of_text_element(
    bytes: &[u8],
    members: &[Member],
    (text, block): (&Span, TokenEstimate),
    family: Tokenizer,
) -> TokenEstimate {
    let of_text = block - TokenEstimate::of_tokens(FRAME_TOKENS);
    of_members(bytes, members, Some((text, of_text)), family)
}

/// Estimates content that is no object: a string counts as the text block that
/// it stands for.
pub(super) fn of_content(bytes: &[u8], span: &Span, family: Option<Tokenizer>) -> TokenEstimate {
    let value = of_value(bytes, span, family);
    match json::kind(bytes, span.start) {
        Kind::String if family.is_some() => TokenEstimate::of_tokens(FRAME_TOKENS) + value,
        _ => value,
    }
}

/// Message keys without text for the model.
const FRAME_KEYS: [&[u8]; 8] =
    [b"role", b"content", b"parts", b"id", b"type", b"status", b"clear_at", b"output_config"];

/// Estimates a message's keys other than its content, such as `tool_calls`.
pub(super) fn of_frame(
    bytes: &[u8],
    members: &[Member],
    family: Option<Tokenizer>,
) -> TokenEstimate {
    let read = members
        .iter()
        .filter(|it| !is_marker(bytes, it) && !FRAME_KEYS.contains(&&bytes[it.key.clone()]));
    read.map(|it| of_value(bytes, &it.value, family)).sum()
}

/// Estimates any value: strings by their text, anything else as written. A list
/// or an object that cannot be read counts as 0.
pub(super) fn of_value(bytes: &[u8], span: &Span, family: Option<Tokenizer>) -> TokenEstimate {
    family.map_or(TokenEstimate::ZERO, |family| value(bytes, span, family))
}

fn value(bytes: &[u8], span: &Span, family: Tokenizer) -> TokenEstimate {
    match json::kind(bytes, span.start) {
        Kind::String => of_string(bytes, span, family),
        Kind::Array => {
            let elements = json::elements(bytes, span.start).unwrap_or_default();
            elements.iter().map(|it| value(bytes, it, family)).sum()
        }
        Kind::Object => of_object(bytes, span, family),
        Kind::Number | Kind::Bool | Kind::Null => {
            estimate(&String::from_utf8_lossy(&bytes[span.clone()]), family)
        }
    }
}

/// Estimates an object with its keys and punctuation.
///
/// An image has its own estimate, and so has base64 data. Markers count as 0.
fn of_object(bytes: &[u8], span: &Span, family: Tokenizer) -> TokenEstimate {
    let members = json::members(bytes, span.start).unwrap_or_default();
    let kind = json::find(bytes, &members, b"type");
    let kind = kind.and_then(|it| json::raw_string(bytes, &it));
    match kind.map(|it| kind_of(it, BlockKind::Other)) {
        Some(BlockKind::Image) => of_image(bytes, &members),
        _ => of_members(bytes, &members, None, family),
    }
}

/// A value whose estimate is known.
type Known<'a> = Option<(&'a Span, TokenEstimate)>;

/// Estimates members other than markers: values, and keys with quotes, colon and comma.
fn of_members(
    bytes: &[u8],
    members: &[Member],
    known: Known<'_>,
    family: Tokenizer,
) -> TokenEstimate {
    let counted = members.iter().filter(|it| !is_marker(bytes, it));
    let member = |it: &Member| {
        let key = String::from_utf8_lossy(&bytes[it.key.clone()]);
        let key = estimate(&key, family) + TokenEstimate::of_tokens(1);
        key + of_member(bytes, it, known, family)
    };
    counted.map(member).sum()
}

fn of_member(bytes: &[u8], member: &Member, known: Known<'_>, family: Tokenizer) -> TokenEstimate {
    match known {
        Some((span, tokens)) if *span == member.value => tokens,
        _ => of_media(bytes, member).unwrap_or_else(|| value(bytes, &member.value, family)),
    }
}

/// Estimates an image by its data. One that has none, or that cannot be read, counts as a large
/// one.
fn of_image(bytes: &[u8], members: &[Member]) -> TokenEstimate {
    let estimated = members.iter().find_map(|it| of_media(bytes, it));
    estimated.unwrap_or(LARGEST_IMAGE)
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
fn of_media(bytes: &[u8], member: &Member) -> Option<TokenEstimate> {
    let text = |span: &Span| match json::raw_string(bytes, span)? {
        raw if raw.contains(&b'\\') => Some(Cow::Owned(aside_json::unescape(raw))),
        raw => std::str::from_utf8(raw).ok().map(Cow::Borrowed),
    };
    let inner = |key: &str| text(&json::get(bytes, member.value.start, key)?);
    match member.key(bytes) {
        b"source" if inner("type").as_deref() == Some("base64") => {
            Some(of_data(&inner("media_type").unwrap_or_default(), &inner("data")?))
        }
        b"inlineData" | b"inline_data" => {
            let kind = inner("mimeType").or_else(|| inner("mime_type"));
            Some(of_data(&kind.unwrap_or_default(), &inner("data")?))
        }
        b"input_audio" => Some(of_data("audio/", &inner("data")?)),
        b"image_url" => {
            let url = text(&member.value).or_else(|| inner("url"))?;
            Some(of_data_url(&url).unwrap_or(LARGEST_IMAGE))
        }
        b"file_data" => {
            let data = text(&member.value)?;
            Some(of_data_url(&data).unwrap_or_else(|| estimate_pdf(&data)))
        }
        b"result" => estimate_image(&text(&member.value)?),
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

fn of_string(bytes: &[u8], span: &Span, family: Tokenizer) -> TokenEstimate {
    let Some(raw) = json::raw_string(bytes, span) else {
        return TokenEstimate::ZERO;
    };
    match (memchr::memchr(b'\\', raw), std::str::from_utf8(raw)) {
        (None, Ok(text)) => estimate(text, family),
        _ => estimate(&aside_json::unescape(raw), family),
    }
}
