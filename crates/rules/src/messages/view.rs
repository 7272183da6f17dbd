//! A body's messages, blocks and tools.
//!
//! Rules read a body through this view, which is built once: roles, content
//! blocks with their paths, and the few top-level values that several rules
//! need. A body in another form gives an empty view, because the walk has
//! reported it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter;

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
    /// Each type of block, and how many blocks have it, those in other blocks included.
    kinds: HashMap<Cow<'t, str>, usize>,
}

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

/// The keys of the lists that lead to a block in another, and its index in each. A document in a
/// result is the deepest block that has others.
type Within = [Option<(&'static str, usize)>; 2];

/// A content block and its place.
pub(crate) struct Block<'t> {
    pub(crate) value: Value<'t>,
    /// The `type`; empty if absent.
    pub(crate) kind: Cow<'t, str>,
    /// Its message's index.
    pub(crate) message: usize,
    /// Its index in the message, or that of the block around it.
    index: usize,
    within: Within,
    /// The blocks in a tool result, a document or a search result.
    pub(crate) content: Vec<Self>,
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
        let messages = root.items_of("messages").enumerate();
        let messages = messages.map(|(at, it)| Message::new(at, it)).collect();
        let tools = root.items_of("tools").filter(|it| it.kind() == Type::Object).collect();
        let view = Self { root, messages, tools, kinds: HashMap::new() };
        let mut kinds: HashMap<_, usize> = HashMap::new();
        for block in view.all_blocks() {
            *kinds.entry(block.kind.clone()).or_default() += 1;
        }
        Self { kinds, ..view }
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block<'t>> {
        self.messages.iter().flat_map(|message| &message.blocks)
    }

    /// Iterates over the blocks in all messages, and over those in them.
    pub(crate) fn all_blocks<'v>(&'v self) -> impl Iterator<Item = &'v Block<'t>> {
        let with_content = |block: &'v Block<'t>| iter::once(block).chain(&block.content);
        self.blocks().flat_map(move |block| {
            iter::once(block).chain(block.content.iter().flat_map(with_content))
        })
    }

    /// Iterates over the blocks of these kinds in all messages. Most kinds are rare: if there is
    /// none, no block is looked at.
    pub(crate) fn blocks_of<'v>(
        &'v self,
        kinds: &'static [&'static str],
    ) -> impl Iterator<Item = &'v Block<'t>> {
        let messages = if self.has_some(kinds) { &self.messages[..] } else { &[] };
        let blocks = messages.iter().flat_map(|message| &message.blocks);
        blocks.filter(|block| kinds.contains(&&*block.kind))
    }

    /// Does the same with the blocks in other blocks.
    pub(crate) fn all_blocks_of<'v>(
        &'v self,
        kinds: &'static [&'static str],
    ) -> impl Iterator<Item = &'v Block<'t>> {
        let blocks = self.has_some(kinds).then(|| self.all_blocks());
        blocks.into_iter().flatten().filter(|block| kinds.contains(&&*block.kind))
    }

    /// Iterates over the tools that messages define, each with its `tool_addition`.
    pub(crate) fn definitions<'v>(
        &'v self,
    ) -> impl Iterator<Item = (&'v Block<'t>, Value<'t>)> + use<'t, 'v> {
        let additions = self.blocks_of(&["tool_addition"]);
        additions.filter_map(|it| Some((it, it.value.get("tool")?.get("definition")?)))
    }

    fn has_some(&self, kinds: &[&str]) -> bool {
        kinds.iter().any(|kind| self.count(kind) > 0)
    }

    /// Iterates over the system prompt's text blocks.
    pub(crate) fn system(&self) -> impl Iterator<Item = Node<'t>> {
        Node::root(self.root).list("system")
    }

    /// Counts blocks of one kind.
    ///
    /// Counts blocks in other blocks too.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.kinds.get(kind).copied().unwrap_or(0)
    }

    /// Returns true if a tool has a type that begins like this.
    ///
    /// `code_execution` finds any version of that tool.
    pub(crate) fn has_tool(&self, kind: &str) -> bool {
        self.tools.iter().any(|tool| tool.tag().starts_with(kind))
    }

    /// Returns true if the tool choice forces a tool.
    pub(crate) fn forces_tool(&self) -> bool {
        let choice = self.root.given("tool_choice").map(Value::tag);
        choice.is_some_and(|kind| matches!(&*kind, "any" | "tool"))
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
    fn new(index: usize, value: Value<'t>) -> Self {
        let content = value.get("content");
        let blocks = content.into_iter().flat_map(Value::items).enumerate();
        let blocks =
            blocks.map(|(at, block)| Block::new(index, at, Within::default(), block)).collect();
        let text = content.and_then(Value::text);
        Self { index, role: value.text_of("role").unwrap_or_default(), text, blocks, value }
    }

    /// Returns the path, such as `messages[3]`.
    pub(crate) fn path(&self) -> String {
        format!("messages[{}]", self.index)
    }

    /// Returns the path of a member, or of a value below it, whether it exists or not.
    pub(crate) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path())
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
    fn new(message: usize, index: usize, within: Within, value: Value<'t>) -> Self {
        let kind = value.tag();
        let (key, list) = match &*kind {
            _ if within[1].is_some() => ("", None),
            "tool_result" | "search_result" => ("content", value.get("content")),
            "document" => ("source.content", value.get("source").and_then(|it| it.get("content"))),
            _ => ("", None),
        };
        let content = list.into_iter().flat_map(Value::items).enumerate();
        let content = content.map(|(at, it)| {
            let next = Some((key, at));
            let within = if within[0].is_some() { [within[0], next] } else { [next, None] };
            Self::new(message, index, within, it)
        });
        Self { content: content.collect(), kind, message, index, within, value }
    }

    /// Returns the path, such as `messages[3].content[0]`.
    pub(crate) fn path(&self) -> String {
        let mut path = format!("messages[{}].content[{}]", self.message, self.index);
        for (key, index) in self.within.iter().flatten() {
            path += &format!(".{key}[{index}]");
        }
        path
    }

    /// Returns the path of a member, or of a value below it, whether it exists or not.
    pub(crate) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path())
    }
}
