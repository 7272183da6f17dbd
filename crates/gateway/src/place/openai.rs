//! Breakpoints for OpenAI's cache, from GPT-5.6 on.
//!
//! The provider sets one breakpoint itself, at the latest message, and reads nowhere else. So
//! sessions that share their developer message read none of it, unless it ends in a breakpoint.
//! That one costs nothing: the provider's own writes what precedes it anyway.

use aside_body::Body;
use aside_body::body::{BlockKind, Role};
use aside_body::hash::extend;
use aside_body::path::Level;
use aside_models::find;
use bytes::Bytes;

use super::Placed;
use super::edit::Edits;

const BREAKPOINT: &str = r#""prompt_cache_breakpoint":{"mode":"explicit"}"#;

/// Adds a breakpoint after the leading developer messages, and a `prompt_cache_key` if there is
/// none. A body with its own breakpoints, or for a model without them, stays as it is.
pub(super) fn place(read: &Body, body: &Bytes) -> Placed {
    let facts = find(read.model().unwrap_or_default()).facts;
    let mut blocks = read.blocks().map(|(_, _, _, block)| block);
    if facts.cache_breakpoints != Some(true) || blocks.any(|it| it.mark.is_some()) {
        return Placed::unchanged(body);
    }
    let mut edits = Edits::new(body);
    let messages = read.section(Level::Messages).iter();
    let leading = messages.take_while(|it| it.item.role == Role::System);
    let prompt = [Level::Tools, Level::System].map(|level| read.section(level));
    let prompt = prompt.into_iter().flatten();
    let key = { prompt }
        .chain(leading.clone())
        .fold(0, |key, it| extend(key, &it.item.hash));
    let end = leading
        .last()
        .and_then(|it| Some((it, it.item.blocks.last()?)));
    if let Some((message, part)) = end
        && part.kind == BlockKind::Text
        && part.index.is_some()
        && !part.is_empty
        && body[message.at(&part.span)].ends_with(b"}")
    {
        edits.insert(message.at(&part.span).end - 1, BREAKPOINT);
    }
    if read.get("prompt_cache_key").is_none() && key != 0 {
        let end = body.trim_ascii_end().len();
        edits.insert(end - 1, &format!(r#""prompt_cache_key":"{key:016x}""#));
    }
    Placed {
        removed: 0,
        inserted: edits.len(),
        segments: edits.segments(body),
    }
}
