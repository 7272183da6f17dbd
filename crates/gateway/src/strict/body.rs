//! A request body, read leniently: unknown keys and block types are kept.
//!
//! The values borrow from the body, so a digest sums the bytes that were sent.

use serde_json::value::RawValue;

use crate::object::{Object, items};

/// A request body.
#[derive(Debug)]
pub(crate) struct RequestBody<'a> {
    /// All members of the body, including those that the other fields are read
    /// from.
    pub(crate) parameters: Object<'a>,
    /// The model as the request names it; empty if it is missing.
    pub(crate) model: String,
    pub(crate) tools: Vec<Block<'a>>,
    /// The system prompt; a string is one text block.
    pub(crate) system: Vec<Block<'a>>,
    pub(crate) messages: Vec<Message<'a>>,
}

/// One message.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    /// The role; empty if it is missing.
    pub(crate) role: String,
    /// All members of the message.
    pub(crate) object: Object<'a>,
    /// The content; a string is one text block.
    pub(crate) content: Vec<Block<'a>>,
}

/// A tool, a block of the system prompt or a content block.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// Its `type`; empty if it has none.
    pub(crate) kind: String,
    /// All members of the block; none if it is not an object.
    pub(crate) object: Object<'a>,
}

impl<'a> RequestBody<'a> {
    /// Reads a body. Returns `None` if it is not a JSON object.
    pub(crate) fn parse(json: &'a [u8]) -> Option<Self> {
        let parameters = Object::parse(str::from_utf8(json).ok()?)?;
        let tools = parameters.items("tools").into_iter().map(Block::read);
        let messages = parameters.items("messages");
        Some(Self {
            model: parameters.text("model").unwrap_or_default(),
            tools: tools.collect(),
            system: content(parameters.get("system")),
            messages: messages.into_iter().map(Message::read).collect(),
            parameters,
        })
    }
}

impl<'a> Message<'a> {
    fn read(raw: &'a RawValue) -> Self {
        let object = Object::parse(raw.get()).unwrap_or_default();
        Self {
            role: object.text("role").unwrap_or_default(),
            content: content(object.get("content")),
            object,
        }
    }
}

impl<'a> Block<'a> {
    fn read(raw: &'a RawValue) -> Self {
        let object = Object::parse(raw.get()).unwrap_or_default();
        Self {
            kind: object.text("type").unwrap_or_default(),
            object,
        }
    }

    /// Returns the text block of a string: `"Hi"` is
    /// `{"type":"text","text":"Hi"}`.
    fn text(raw: &'a RawValue) -> Self {
        Self {
            kind: "text".to_owned(),
            object: Object::new(vec![
                ("type".to_owned(), literal("\"text\"")),
                ("text".to_owned(), raw),
            ]),
        }
    }

    /// Reads the blocks inside a tool result.
    pub(crate) fn inner(&self) -> Vec<Self> {
        let inner = self.object.get("content").map(|raw| items(raw.get()));
        inner.into_iter().flatten().map(Self::read).collect()
    }

    /// Returns true for thinking, which cannot have a marker and belongs to no
    /// prefix.
    pub(crate) fn is_thinking(&self) -> bool {
        matches!(&*self.kind, "thinking" | "redacted_thinking")
    }

    /// Returns the names of the tools that a tool result, a tool search or a tool
    /// addition refers to.
    pub(crate) fn tool_references(&self) -> Vec<String> {
        match &*self.kind {
            "tool_result" => {
                let inner = self.inner();
                let references = inner.iter().filter(|it| it.kind == "tool_reference");
                references
                    .filter_map(|it| it.object.text("tool_name"))
                    .collect()
            }
            "tool_search_tool_result" => {
                let found = self.object.object("content");
                let found = found.as_ref().and_then(|it| it.get("tool_references"));
                let found = found.map(|it| items(it.get())).unwrap_or_default();
                let references = found.into_iter().filter_map(|it| Object::parse(it.get()));
                references.filter_map(|it| it.text("tool_name")).collect()
            }
            "tool_addition" => {
                let tool = self.object.object("tool");
                tool.and_then(|it| it.text("name")).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if the tool is loaded on demand.
    pub(crate) fn is_deferred(&self) -> bool {
        self.object.is_true("defer_loading")
    }
}

/// Reads content that is a string or an array of blocks.
fn content(raw: Option<&RawValue>) -> Vec<Block<'_>> {
    match raw {
        Some(raw) if raw.get().starts_with('"') => vec![Block::text(raw)],
        Some(raw) => items(raw.get()).into_iter().map(Block::read).collect(),
        None => Vec::new(),
    }
}

/// Returns a constant as a raw JSON value.
fn literal(json: &'static str) -> &'static RawValue {
    serde_json::from_str(json).expect("the literal is JSON")
}
