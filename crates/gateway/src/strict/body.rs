//! A request body, read leniently: unknown keys and block types are kept.
//!
//! The values borrow from the body, so a digest sums the bytes that were sent.

use std::borrow::Cow;

use aside_json::{Kind, Tape, Value};

/// A request body.
#[derive(Debug)]
pub(crate) struct RequestBody<'t> {
    /// The whole body, an object.
    pub(crate) parameters: Value<'t>,
    /// The model as the request names it; empty if it is missing.
    pub(crate) model: Cow<'t, str>,
    pub(crate) tools: Vec<Block<'t>>,
    /// The system prompt; a string is one text block.
    pub(crate) system: Vec<Block<'t>>,
    pub(crate) messages: Vec<Message<'t>>,
}

/// One message.
#[derive(Debug)]
pub(crate) struct Message<'t> {
    /// The role; empty if it is missing.
    pub(crate) role: Cow<'t, str>,
    /// The message as it was sent.
    pub(crate) value: Value<'t>,
    /// The content; a string is one text block.
    pub(crate) content: Vec<Block<'t>>,
}

/// A tool, a block of the system prompt or a content block.
#[derive(Debug)]
pub(crate) struct Block<'t> {
    /// Its `type`; empty if it has none.
    pub(crate) kind: Cow<'t, str>,
    /// The block as it was sent: an object, or a string that stands for a text block.
    pub(crate) value: Value<'t>,
}

impl<'t> RequestBody<'t> {
    /// Reads a body. Returns `None` if it is not an object.
    pub(crate) fn of(tape: &'t Tape<'t>) -> Option<Self> {
        let root = tape.root();
        let list = |key| root.get(key).into_iter().flat_map(Value::items);
        (root.kind() == Kind::Object).then(|| Self {
            parameters: root,
            model: root.text_of("model").unwrap_or_default(),
            tools: list("tools").map(Block::read).collect(),
            system: content(root.get("system")),
            messages: list("messages").map(Message::read).collect(),
        })
    }
}

impl<'t> Message<'t> {
    fn read(value: Value<'t>) -> Self {
        Self {
            role: value.text_of("role").unwrap_or_default(),
            content: content(value.get("content")),
            value,
        }
    }
}

impl<'t> Block<'t> {
    fn read(value: Value<'t>) -> Self {
        Self {
            kind: value.tag(),
            value,
        }
    }

    /// Returns the text of a member; empty if there is none.
    pub(crate) fn text_of(&self, key: &str) -> Cow<'t, str> {
        self.value.text_of(key).unwrap_or_default()
    }

    /// Reads the blocks inside a tool result.
    pub(crate) fn inner(&self) -> impl Iterator<Item = Self> + use<'t> {
        let inner = self.value.get("content").into_iter();
        inner.flat_map(Value::items).map(Self::read)
    }

    /// Returns true for thinking, which cannot have a marker and belongs to no
    /// prefix.
    pub(crate) fn is_thinking(&self) -> bool {
        matches!(&*self.kind, "thinking" | "redacted_thinking")
    }

    /// Returns the names of the tools that a tool result, a tool search or a tool
    /// addition refers to.
    pub(crate) fn tool_references(&self) -> Vec<Cow<'t, str>> {
        match &*self.kind {
            "tool_result" => {
                let references = self.inner().filter(|it| it.kind == "tool_reference");
                references
                    .filter_map(|it| it.value.text_of("tool_name"))
                    .collect()
            }
            "tool_search_tool_result" => {
                let content = self.value.get("content");
                let found = content.and_then(|it| it.get("tool_references"));
                let found = found.into_iter().flat_map(Value::items);
                found.filter_map(|it| it.text_of("tool_name")).collect()
            }
            "tool_addition" => {
                let tool = self.value.get("tool");
                tool.and_then(|it| it.text_of("name")).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if the tool is loaded on demand.
    pub(crate) fn is_deferred(&self) -> bool {
        self.value.get("defer_loading").is_some_and(Value::is_true)
    }
}

/// Reads content that is a string or a list of blocks.
fn content(value: Option<Value<'_>>) -> Vec<Block<'_>> {
    match value {
        Some(text) if text.kind() == Kind::String => vec![Block {
            kind: Cow::Borrowed("text"),
            value: text,
        }],
        Some(list) => list.items().map(Block::read).collect(),
        None => Vec::new(),
    }
}
