//! Rules for single messages and content blocks.
//!
//! - `empty-content`: `"content":""` or `"content":[]`, except in a last
//!   assistant message. Refusal: `all messages must have non-empty content
//!   except for the optional final assistant message`.
//! - `blank-text`: `{"type":"text","text":" "}`. Refusal: `text content blocks
//!   must contain non-whitespace text`.
//! - `block-role`: a user's `tool_use`, an assistant's `tool_result`, a tool
//!   change outside a system message.
//! - `thinking-signature`: `"signature":""`. Refusal: ``Invalid `signature` in
//!   `thinking` block`` (observed, September 2026). The valid neighbour has the
//!   signature as it was received.
//! - `assistant-document` and `user-citations`: refused under version
//!   2026-10-21, accepted under 2023-06-01 (documented by the SDK's types).

use super::view::{Block, Message, View};
use crate::checker::Checker;
use crate::of::message::{Place, needs_content};
use crate::table::{
    ASSISTANT_DOCUMENT, BLANK_TEXT, BLOCK_ROLE, EMPTY_CONTENT, MISSING_KEY, THINKING_SIGNATURE,
    USER_CITATIONS,
};
use aside_json::Value;

/// Blank text is also looked for in the system prompt and in tool results.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    for block in view.system() {
        blank_text(checker, block.value, || block.path());
    }
    for message in &view.messages {
        empty(checker, message, Place::new(message.index, view.messages.len()));
        for block in &message.blocks {
            role(checker, message, block);
            signature(checker, block);
            version(checker, message, block);
            blank(checker, block);
            // Whether a document or a search result can have some is not documented.
            let result = Some(&block.content).filter(|_| block.kind == "tool_result");
            for inner in result.into_iter().flatten() {
                blank(checker, inner);
            }
        }
    }
}

/// Checks the content of a user or assistant message. An absent `content` is
/// `missing-key`; the walk has already reported a null.
fn empty(checker: &mut Checker, message: &Message<'_>, place: Place) {
    // System messages have rules of their own.
    if message.is_system() || !message.blocks.is_empty() {
        return;
    }
    if message.value.get("content").is_none() {
        checker.add(&MISSING_KEY, message.at("content"), "no key");
        return;
    }
    if let Some(text) = &message.text
        && !text.is_empty()
        && text.trim().is_empty()
    {
        checker.add(&BLANK_TEXT, message.at("content"), "blank text");
    }
    let has_content = message.value.given("content").is_some();
    if message.is_empty() && has_content && needs_content(&message.role, place) {
        checker.add(&EMPTY_CONTENT, message.at("content"), "no content");
    }
}

fn blank(checker: &mut Checker, block: &Block<'_>) {
    if block.kind == "text" {
        blank_text(checker, block.value, || block.path());
    }
}

/// Checks one text block. `""` and `" \n"` are equal faults, for which the API
/// has different texts.
fn blank_text(checker: &mut Checker, block: Value<'_>, path: impl Fn() -> String) {
    if let Some(text) = block.get("text").filter(|it| it.is_blank()) {
        let found = match text.raw_text() {
            Some("") => "empty text",
            _ => "blank text",
        };
        checker.add(&BLANK_TEXT, path(), found);
    }
}

/// Checks that a block is in a message whose role can have it. Server tool
/// results, such as `web_search_tool_result`, are accepted in either role.
fn role(checker: &mut Checker, message: &Message<'_>, block: &Block<'_>) {
    let is_wrong = match &*block.kind {
        "tool_use" | "thinking" | "redacted_thinking" | "server_tool_use" => message.is_user(),
        "tool_result" => message.is_assistant(),
        "tool_addition" | "tool_removal" => !message.is_system(),
        _ => false,
    };
    if is_wrong {
        let found = format!("a {} of the {}", block.kind, message.role);
        checker.add(&BLOCK_ROLE, block.path(), found);
    }
}

/// A body only shows an empty signature; others are counted as not checked.
fn signature(checker: &mut Checker, block: &Block<'_>) {
    if block.kind == "thinking" && block.value.text_of("signature").as_deref() == Some("") {
        checker.add(&THINKING_SIGNATURE, block.at("signature"), "an empty signature");
    }
}

/// Checks both rules that version 2026-10-21 has for blocks.
fn version(checker: &mut Checker, message: &Message<'_>, block: &Block<'_>) {
    if message.is_assistant() && block.kind == "document" {
        checker.add(&ASSISTANT_DOCUMENT, block.path(), "a document");
    }
    if message.is_user() && block.kind == "text" && block.value.given("citations").is_some() {
        checker.add(&USER_CITATIONS, block.at("citations"), "citations");
    }
}
