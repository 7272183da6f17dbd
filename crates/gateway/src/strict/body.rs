//! A request body, read leniently: unknown keys and block types are kept.
//!
//! Values borrow from the body, so a digest sums the bytes that were sent.

use std::borrow::Cow;

use aside_json::{Kind, Tape, Value};

/// A request body.
#[derive(Debug)]
pub(crate) struct RequestBody<'t> {
    /// The whole body, an object.
    pub(crate) parameters: Value<'t>,
    /// The model as the request names it; empty if missing.
    pub(crate) model: Cow<'t, str>,
    pub(crate) tools: Vec<Value<'t>>,
    /// The system prompt; a string is one text block.
    pub(crate) system: Vec<Value<'t>>,
    pub(crate) messages: Vec<Value<'t>>,
}

impl<'t> RequestBody<'t> {
    /// `None` if it is not an object.
    pub(crate) fn of(tape: &'t Tape<'t>) -> Option<Self> {
        let root = tape.root();
        (root.kind() == Kind::Object).then(|| Self {
            parameters: root,
            model: text_of(root, "model"),
            tools: root.items_of("tools").collect(),
            system: blocks(root, "system"),
            messages: root.items_of("messages").collect(),
        })
    }
}

pub(crate) fn content_blocks(message: Value<'_>) -> Vec<Value<'_>> {
    blocks(message, "content")
}

/// Reads a member that is a list of blocks, or a string that stands for a text
/// block.
pub(crate) fn blocks<'t>(object: Value<'t>, key: &str) -> Vec<Value<'t>> {
    let text = object.get(key).filter(|it| it.kind() == Kind::String);
    text.into_iter().chain(object.items_of(key)).collect()
}

/// Returns the values of `input`: its items, or the string that stands for a
/// user message.
#[cfg(feature = "servers")]
pub(crate) fn inputs(root: Value<'_>) -> Vec<Value<'_>> {
    blocks(root, "input")
}

/// Returns a member's text; empty if there is none.
pub(crate) fn text_of<'t>(object: Value<'t>, key: &str) -> Cow<'t, str> {
    object.text_of(key).unwrap_or_default()
}

/// Returns true for thinking, which cannot have a marker and belongs to no
/// prefix.
pub(crate) fn is_thinking(block: Value<'_>) -> bool {
    matches!(&*block.tag(), "thinking" | "redacted_thinking")
}

/// Returns true for a block that a client has to send back: you may remove thinking, and must
/// remove blank text, which the API refuses.
pub(crate) fn is_kept(block: Value<'_>) -> bool {
    let is_blank = block.tag() == "text" && block.get("text").is_some_and(Value::is_blank);
    !is_thinking(block) && !is_blank
}

/// Returns the tools that a tool result, a tool search or a tool addition
/// refers to, by name.
pub(crate) fn tool_references(block: Value<'_>) -> Vec<Cow<'_, str>> {
    match &*block.tag() {
        "tool_result" => {
            let references = block.items_of("content");
            let references = references.filter(|it| it.tag() == "tool_reference");
            references.filter_map(|it| it.text_of("tool_name")).collect()
        }
        "tool_search_tool_result" => {
            let content = block.get("content").into_iter();
            let found = content.flat_map(|it| it.items_of("tool_references"));
            found.filter_map(|it| it.text_of("tool_name")).collect()
        }
        "tool_addition" => {
            let tool = block.get("tool");
            tool.and_then(|it| it.text_of("name")).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
