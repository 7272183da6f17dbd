//! The messages, blocks and tools of a body.
//!
//! The rules read a body through this view, which is built once: roles, content
//! blocks with their paths, and the few top-level values that several rules
//! need. A body of another form gives an empty view, because the walk has
//! reported it.

use std::borrow::Cow;
use std::fmt;

use aside_json::{Kind as Type, Value};

use crate::of::message::is_paused;
pub(crate) use crate::of::message::is_server_result;

/// A body, with its messages and tools found.
///
/// Entries of `tools` that are no objects are not in `tools`.
pub(crate) struct View<'t> {
    pub(crate) root: Value<'t>,
    pub(crate) messages: Vec<Message<'t>>,
    /// The blocks of all messages, and of the tool results in them.
    all_blocks: Vec<Block<'t>>,
    pub(crate) tools: Vec<Value<'t>>,
}

/// A message.
pub(crate) struct Message<'t> {
    /// The index in `messages`, from 0.
    pub(crate) index: usize,
    pub(crate) value: Value<'t>,
    /// Empty if the role is absent or no string.
    pub(crate) role: Cow<'t, str>,
    /// The content, if it is a string.
    pub(crate) text: Option<Cow<'t, str>>,
    /// The content, if it is a list.
    pub(crate) blocks: Vec<Block<'t>>,
}

/// A content block and its place.
#[derive(Clone)]
pub(crate) struct Block<'t> {
    pub(crate) value: Value<'t>,
    /// The `type`; empty if it is absent.
    pub(crate) kind: Cow<'t, str>,
    /// The index of its message.
    message: usize,
    /// The index in the content of its message.
    index: usize,
    /// The index in the content of a tool result.
    within: Option<usize>,
}

impl<'t> View<'t> {
    /// Linear in the nodes of `messages` and `tools`; contents are not copied.
    pub(crate) fn new(root: Value<'t>) -> Self {
        let messages = root
            .get("messages")
            .into_iter()
            .flat_map(Value::items)
            .enumerate();
        let messages: Vec<_> = messages.map(|(at, it)| Message::new(at, it)).collect();
        let mut all_blocks = Vec::new();
        for block in messages.iter().flat_map(|message| &message.blocks) {
            all_blocks.push(block.clone());
            all_blocks.extend(block.content());
        }
        let tools = root.get("tools").into_iter().flat_map(Value::items);
        Self {
            root,
            messages,
            all_blocks,
            tools: tools.filter(|it| it.kind() == Type::Object).collect(),
        }
    }

    /// Iterates over the blocks of all messages.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block<'t>> {
        self.messages.iter().flat_map(|message| &message.blocks)
    }

    /// Iterates over the blocks of all messages and of the tool results in
    /// them.
    pub(crate) fn all_blocks(&self) -> impl Iterator<Item = &Block<'t>> {
        self.all_blocks.iter()
    }

    /// Iterates over the text blocks of the system prompt, with their paths.
    pub(crate) fn system(&self) -> impl Iterator<Item = (String, Value<'t>)> {
        let blocks = self
            .root
            .get("system")
            .into_iter()
            .flat_map(Value::items)
            .enumerate();
        blocks.map(|(index, block)| (format!("system[{index}]"), block))
    }

    /// Returns the number of blocks of a kind.
    ///
    /// Blocks in tool results are counted too.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.all_blocks().filter(|block| block.kind == kind).count()
    }

    /// Returns true if a tool has a type that begins so.
    ///
    /// With `code_execution`, any version of the tool is found.
    pub(crate) fn has_tool(&self, kind: &str) -> bool {
        self.tools.iter().any(|tool| tool.tag().starts_with(kind))
    }

    /// Returns the type of the tool choice, or an empty text.
    pub(crate) fn tool_choice(&self) -> Cow<'t, str> {
        let choice = self.root.given("tool_choice");
        choice.map(Value::tag).unwrap_or_default()
    }

    /// Returns true if the tool choice forces a tool.
    pub(crate) fn forces_tool(&self) -> bool {
        matches!(&*self.tool_choice(), "any" | "tool")
    }

    /// Returns the mode of thinking, or an empty text.
    pub(crate) fn thinking(&self) -> Cow<'t, str> {
        let thinking = self.root.given("thinking");
        thinking.map(Value::tag).unwrap_or_default()
    }

    /// Returns a value below `output_config`.
    ///
    /// Returns `None` if the value, or `output_config` itself, is null.
    pub(crate) fn output_config(&self, key: &str) -> Option<Value<'t>> {
        self.root.given("output_config")?.given(key)
    }
}

impl<'t> Message<'t> {
    fn new(index: usize, value: Value<'t>) -> Self {
        let content = value.get("content");
        let blocks = content.into_iter().flat_map(Value::items).enumerate();
        Self {
            index,
            value,
            role: value.text_of("role").unwrap_or_default(),
            text: content.and_then(Value::text),
            blocks: blocks
                .map(|(at, block)| Block {
                    value: block,
                    kind: block.tag(),
                    message: index,
                    index: at,
                    within: None,
                })
                .collect(),
        }
    }

    pub(crate) fn is_user(&self) -> bool {
        self.role == "user"
    }

    pub(crate) fn is_assistant(&self) -> bool {
        self.role == "assistant"
    }

    pub(crate) fn is_system(&self) -> bool {
        self.role == "system"
    }

    /// Returns true if it has neither text nor a block.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.text.as_deref().unwrap_or_default().is_empty()
    }

    /// Returns true for a system message that only sets the effort.
    ///
    /// ```json
    /// {"role": "system", "content": [], "output_config": {"effort": "low"}}
    /// ```
    pub(crate) fn is_directive(&self) -> bool {
        self.is_system() && self.is_empty() && self.value.given("output_config").is_some()
    }

    /// Returns true if it is a message of the assistant that ends with the
    /// result of a tool that the API runs. A system message may follow such a
    /// message.
    pub(crate) fn ends_in_server_result(&self) -> bool {
        let last = self.blocks.last();
        self.is_assistant() && last.is_some_and(|it| is_server_result(&it.kind))
    }

    /// Returns true if the response was paused, so that the API continues it:
    /// it ends with the result or with the call of a tool that the API runs.
    pub(crate) fn is_paused(&self) -> bool {
        let last = self.blocks.last();
        self.is_assistant() && last.is_some_and(|it| is_paused(&it.kind))
    }

    /// Returns the path of the message.
    pub(crate) fn path(&self) -> String {
        format!("messages[{}]", self.index)
    }

    /// Returns the path of a key of the message.
    pub(crate) fn at(&self, key: &str) -> String {
        format!("messages[{}].{key}", self.index)
    }
}

impl<'t> Block<'t> {
    /// Iterates over the blocks in a tool result.
    ///
    /// Empty for other blocks, for a result that is a text, and for a block
    /// that is in a result itself.
    pub(crate) fn content(&self) -> impl Iterator<Item = Self> {
        let is_result = self.kind == "tool_result" && self.within.is_none();
        let content = self.value.get("content").filter(|_| is_result);
        let items = content.into_iter().flat_map(Value::items).enumerate();
        let (message, index) = (self.message, self.index);
        items.map(move |(within, value)| Self {
            value,
            kind: value.tag(),
            message,
            index,
            within: Some(within),
        })
    }

    /// Returns `messages[3].content[0]`, or `messages[3].content[0].content[1]`
    /// for a block in a tool result.
    pub(crate) fn path(&self) -> String {
        self.to_string()
    }

    /// Returns the path of a key of the block.
    pub(crate) fn at(&self, key: &str) -> String {
        format!("{self}.{key}")
    }

    /// Returns the index of its message.
    pub(crate) fn message(&self) -> usize {
        self.message
    }
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}].content[{}]", self.message, self.index)?;
        match self.within {
            Some(within) => write!(f, ".content[{within}]"),
            None => Ok(()),
        }
    }
}
