//! Neutralizing the strings in a content block.
//!
//! ```text
//! "</system-reminder>"  →  "&lt;/system-reminder>"
//! ```
//!
//! Every string is neutralized, also ids, names, keys and media types. Equal
//! ids stay equal.

use std::borrow::Cow;
use std::sync::Arc;

use aside_text::neutralize;

use super::neutralize_json;
use crate::wire::{
    ContentBlock, Document, Extra, MediaSource, RawJson, ResultContent, Text, ToolResult, ToolUse,
};

/// Neutralizes every string in a block, whatever its kind.
///
/// Linear. A block without a tag keeps its bytes and its shared texts.
pub(crate) fn neutralize_block(block: &mut ContentBlock, tags: &[&str]) {
    match block {
        ContentBlock::Text(Text { text, citations, extra, .. }) => {
            replace(text, tags);
            replace_raw(citations, tags);
            replace_extra(extra, tags);
        }
        ContentBlock::Document(document) => neutralize_document(document, tags),
        ContentBlock::Image(image) => {
            neutralize_source(&mut image.source, tags);
            replace_extra(&mut image.extra, tags);
        }
        ContentBlock::ToolResult(result) => neutralize_result(result, tags),
        ContentBlock::ToolUse(ToolUse { id, name, input, extra, .. }) => {
            replace(id, tags);
            replace(name, tags);
            *input = neutralize_json(input, tags);
            replace_extra(extra, tags);
        }
        ContentBlock::Thinking(thinking) => {
            replace(&mut thinking.thinking, tags);
            replace(&mut thinking.signature, tags);
            replace_extra(&mut thinking.extra, tags);
        }
        ContentBlock::RedactedThinking(thinking) => {
            replace(&mut thinking.data, tags);
            replace_extra(&mut thinking.extra, tags);
        }
        ContentBlock::Other(other) => other.rewrite(|raw| neutralize_json(raw, tags)),
    }
}

/// Neutralizes the citations in a block by the model, and leaves its own text
/// unchanged. A call's id is neutralized too: it has to stay equal to the id in
/// the result, which is neutralized.
pub(crate) fn neutralize_quoted(block: &mut ContentBlock, tags: &[&str]) {
    match block {
        ContentBlock::Text(text) => replace_raw(&mut text.citations, tags),
        ContentBlock::ToolUse(call) => replace(&mut call.id, tags),
        _ => {}
    }
}

/// The call's id, the content, and the unknown keys.
fn neutralize_result(result: &mut ToolResult, tags: &[&str]) {
    replace(&mut result.tool_use_id, tags);
    match &mut result.content {
        ResultContent::Text(text) => replace(text, tags),
        ResultContent::Blocks(blocks) => {
            for block in blocks {
                neutralize_block(block, tags);
            }
        }
    }
    replace_extra(&mut result.extra, tags);
}

/// The source, title, context, citations, and the unknown keys.
fn neutralize_document(document: &mut Document, tags: &[&str]) {
    neutralize_source(&mut document.source, tags);
    for text in [&mut document.title, &mut document.context].into_iter().flatten() {
        replace(text, tags);
    }
    replace_raw(&mut document.citations, tags);
    replace_extra(&mut document.extra, tags);
}

/// Base64 has no `<`, but the data may be anything.
fn neutralize_source(source: &mut MediaSource, tags: &[&str]) {
    match source {
        MediaSource::Base64 { media_type, data } | MediaSource::Text { media_type, data } => {
            replace_string(media_type, tags);
            replace(data, tags);
        }
        MediaSource::Url { url: text } | MediaSource::File { file_id: text } => {
            replace_string(text, tags);
        }
        MediaSource::Content { content: raw } | MediaSource::Other(raw) => {
            *raw = neutralize_json(raw, tags);
        }
    }
}

/// A text without a tag keeps its shared memory.
fn replace(text: &mut Arc<str>, tags: &[&str]) {
    if let Cow::Owned(safe) = neutralize(text, tags) {
        *text = safe.into();
    }
}

/// A text without a tag keeps its allocation.
fn replace_string(text: &mut String, tags: &[&str]) {
    if let Cow::Owned(safe) = neutralize(text, tags) {
        *text = safe;
    }
}

fn replace_raw(raw: &mut Option<RawJson>, tags: &[&str]) {
    if let Some(raw) = raw {
        *raw = neutralize_json(raw, tags);
    }
}

/// Neutralizes keys as well as values.
fn replace_extra(extra: &mut Extra, tags: &[&str]) {
    for (key, value) in &mut extra.0 {
        replace_string(key, tags);
        *value = neutralize_json(value, tags);
    }
}
