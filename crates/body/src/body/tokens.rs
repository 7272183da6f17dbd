//! Estimating a block's tokens from its bytes.
//!
//! Estimates follow the model's tokenizer family. Keys that the model never
//! sees are left out, and images and PDFs are estimated by their data. Later,
//! estimates are scaled by what the provider reports. Without a family, all are 0.

use aside_models::media::{estimate_image, estimate_pdf};
use aside_models::{TokenEstimate, Tokenizer, estimate};

use aside_json::scan::{self as json, Kind, Member, Span};

use super::kind::BlockKind;
use super::mark::is_marker;

/// How many tokens an image of unknown size has: as many as about a megapixel.
const IMAGE_TOKENS: u64 = 1_500;

/// How many tokens a block takes beyond its text.
const FRAME_TOKENS: u64 = 2;

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
const FRAME_KEYS: [&[u8]; 8] = [
    b"role",
    b"content",
    b"parts",
    b"id",
    b"type",
    b"status",
    b"clear_at",
    b"output_config",
];

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
/// An image has its own estimate, and so has base64 data, which is taken for a
/// PDF. Markers count as 0.
fn of_object(bytes: &[u8], span: &Span, family: Tokenizer) -> TokenEstimate {
    let members = json::members(bytes, span.start).unwrap_or_default();
    let text = |key: &[u8]| {
        let value = json::find(bytes, &members, key)?;
        json::raw_string(bytes, &value)
    };
    if text(b"type") == Some(b"image") {
        return of_image(bytes, &members);
    }
    if text(b"type") == Some(b"base64")
        && let Some(data) = text(b"data")
    {
        return std::str::from_utf8(data).map_or(TokenEstimate::ZERO, estimate_pdf);
    }
    of_members(bytes, &members, None, family)
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
        _ => value(bytes, &member.value, family),
    }
}

/// Estimates an image from its base64 data, in the Messages API's form.
///
/// Data that cannot be read, and images by URL, count as [`IMAGE_TOKENS`].
fn of_image(bytes: &[u8], members: &[Member]) -> TokenEstimate {
    let data = || {
        let source = json::find(bytes, members, b"source")?;
        let data = json::get(bytes, source.start, "data")?;
        let data = json::raw_string(bytes, &data)?;
        std::str::from_utf8(data).ok()
    };
    let estimated = data().and_then(estimate_image);
    estimated.unwrap_or(TokenEstimate::of_tokens(IMAGE_TOKENS))
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
