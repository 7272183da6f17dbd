//! A body's messages, blocks and tools.
//!
//! Rules read a body through this view, which is built once: roles, content
//! blocks with their paths, and the few top-level values that several rules
//! need. A body in another form gives an empty view, because the walk has
//! reported it.

use std::borrow::Cow;
use std::iter;
use std::ops::Deref;

use aside_json::{Kind as Type, Value};

use crate::node::Node;
use crate::of::message::is_paused;
pub(crate) use crate::of::message::is_server_result;

/// A body, with its messages and tools found.
///
/// Entries that are no objects are not in `tools`.
pub(crate) struct View<'t> {
    pub(crate) root: Value<'t>,
    pub(crate) messages: Vec<Message<'t>>,
    pub(crate) tools: Vec<Value<'t>>,
}

pub(crate) struct Message<'t> {
    /// The index in `messages`, from 0.
    pub(crate) index: usize,
    node: Node<'t>,
    /// Empty if the role is absent or no string.
    pub(crate) role: Cow<'t, str>,
    /// The content, if it is a string.
    pub(crate) text: Option<Cow<'t, str>>,
    /// The content, if it is a list.
    pub(crate) blocks: Vec<Block<'t>>,
}

/// A content block and its place.
pub(crate) struct Block<'t> {
    node: Node<'t>,
    /// The `type`; empty if absent.
    pub(crate) kind: Cow<'t, str>,
    /// Its message's index.
    pub(crate) message: usize,
    /// The blocks in a tool result.
    pub(crate) content: Vec<Self>,
}

impl<'t> Deref for Message<'t> {
    type Target = Node<'t>;

    fn deref(&self) -> &Node<'t> {
        &self.node
    }
}

impl<'t> Deref for Block<'t> {
    type Target = Node<'t>;

    fn deref(&self) -> &Node<'t> {
        &self.node
    }
}

impl<'t> View<'t> {
    /// Returns true if the API has the messages before these.
    pub(crate) fn continues_thread(&self) -> bool {
        let thread = self.root.given("thread");
        thread.is_some_and(|it| it.tag() == "continue")
    }

    /// Linear in the nodes below `messages` and `tools`; contents are not
    /// copied.
    pub(crate) fn new(root: Value<'t>) -> Self {
        let messages = Node::root(root).list("messages").enumerate();
        let messages: Vec<_> = messages.map(|(at, it)| Message::new(at, it)).collect();
        let tools = root.items_of("tools");
        Self { root, messages, tools: tools.filter(|it| it.kind() == Type::Object).collect() }
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block<'t>> {
        self.messages.iter().flat_map(|message| &message.blocks)
    }

    /// Iterates over the blocks in all messages and in tool results.
    pub(crate) fn all_blocks<'v>(&'v self) -> impl Iterator<Item = &'v Block<'t>> {
        let with_content = |block: &'v Block<'t>| iter::once(block).chain(&block.content);
        self.blocks().flat_map(with_content)
    }

    /// Iterates over the system prompt's text blocks.
    pub(crate) fn system(&self) -> impl Iterator<Item = Node<'t>> {
        Node::root(self.root).list("system")
    }

    /// Counts blocks of one kind.
    ///
    /// Counts blocks in tool results too.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.all_blocks().filter(|block| block.kind == kind).count()
    }

    /// Returns true if a tool has a type that begins like this.
    ///
    /// `code_execution` finds any version of that tool.
    pub(crate) fn has_tool(&self, kind: &str) -> bool {
        self.tools.iter().any(|tool| tool.tag().starts_with(kind))
    }

    /// Returns the tool choice's type, or an empty text.
    pub(crate) fn tool_choice(&self) -> Cow<'t, str> {
        let choice = self.root.given("tool_choice");
        choice.map(Value::tag).unwrap_or_default()
    }

    /// Returns true if the tool choice forces a tool.
    pub(crate) fn forces_tool(&self) -> bool {
        matches!(&*self.tool_choice(), "any" | "tool")
    }

    /// Returns the thinking mode, or an empty text.
    pub(crate) fn thinking(&self) -> Cow<'t, str> {
        let thinking = self.root.given("thinking");
        thinking.map(Value::tag).unwrap_or_default()
    }

    /// Returns a value below `output_config`.
    ///
    /// `None` if the value, or `output_config` itself, is null.
    pub(crate) fn output_config(&self, key: &str) -> Option<Value<'t>> {
        self.root.given("output_config")?.given(key)
    }
}

impl<'t> Message<'t> {
    fn new(index: usize, node: Node<'t>) -> Self {
        let blocks = node.list("content").map(|block| Block::new(index, block));
        let blocks: Vec<_> = blocks.collect();
        let text = blocks.is_empty().then(|| node.value.text_of("content"));
        Self { index, role: node.text_of("role"), text: text.flatten(), blocks, node }
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
        let config = self.value.given("output_config");
        let has_effort = config.is_some_and(|it| it.given("effort").is_some());
        self.is_system() && self.is_empty() && has_effort
    }

    /// Returns true for an assistant message that ends with an API tool's
    /// result. A system message may follow it.
    pub(crate) fn ends_in_server_result(&self) -> bool {
        let last = self.blocks.last();
        self.is_assistant() && last.is_some_and(|it| is_server_result(&it.kind))
    }

    /// Returns true if the response was paused, so that the API continues it:
    /// it ends with an API tool's result or call.
    pub(crate) fn is_paused(&self) -> bool {
        let last = self.blocks.last();
        self.is_assistant() && last.is_some_and(|it| is_paused(&it.kind))
    }
}

impl<'t> Block<'t> {
    fn new(message: usize, node: Node<'t>) -> Self {
        let mut block = Self::inner(message, node);
        if block.kind == "tool_result" {
            let content = block.list("content");
            block.content = content.map(|node| Self::inner(message, node)).collect();
        }
        block
    }

    fn inner(message: usize, node: Node<'t>) -> Self {
        Self { kind: node.value.tag(), content: Vec::new(), message, node }
    }
}
