//! One item in a body's lists: a tool, a system prompt part, a message.
//! Requests with the same bytes share it.
//!
//! The next request in a conversation repeats all items but the last few. They
//! are found by comparing bytes, and are not read again.

use aside_models::Tokenizer;

use aside_json::{Kind, Span, Value};

use super::block::{Block, Reader, hash_in, hash_without, raw_text};
use super::kind::BlockKind;
use super::tokens;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The program: `system` or `developer`.
    System,
    /// A tool (Chat Completions), or none.
    #[default]
    Other,
}

/// An item; its spans begin where it starts.
#[derive(Debug, Default)]
pub struct Item {
    /// The length in bytes.
    pub len: usize,
    /// Who wrote this, if it is a message.
    pub role: Role,
    /// The item's hash without its content.
    pub frame: u64,
    /// The item's hash without markers.
    pub hash: u64,
    /// The content's key, when it is a list.
    pub content_key: Option<&'static str>,
    /// The content; a tool or a system block is its own only block.
    pub blocks: Vec<Block>,
    /// True if this is sent only until the user's next message.
    pub is_turn_scoped: bool,
    /// True for a message with tool results, which begins no user turn.
    pub has_tool_results: bool,
    /// Hashes of call ids that are keys of the message itself (Chat
    /// Completions).
    pub calls: Vec<u64>,
    /// Hashes of the names of the tools that it calls, in order.
    pub called: Vec<u64>,
}

impl Item {
    /// Returns true for a tool that is not in the prompt until a message names
    /// it.
    pub fn is_deferred_tool(&self) -> bool {
        self.blocks.iter().any(|it| it.is_deferred)
    }

    /// Returns true if the model wrote this: a message, or a call or thinking that is an item of
    /// its own (Responses), also one that is named by its id.
    pub fn is_from_model(&self) -> bool {
        let is_own =
            |it: &Block| it.kind.is_call() || it.kind == BlockKind::Thinking || it.is_reference;
        self.role == Role::Assistant || self.blocks.iter().any(is_own)
    }

    /// Iterates over hashes of its call and result ids.
    pub fn call_ids(&self) -> impl Iterator<Item = u64> {
        let blocks = self.blocks.iter().filter_map(|it| it.call_id);
        blocks.chain(self.calls.iter().copied())
    }

    /// Reads the calls that a Chat Completions message makes, or the one that
    /// it answers.
    fn read_chat_calls(&mut self, message: Value<'_>) {
        self.calls.extend(hash_in(message, "tool_call_id"));
        for call in message.items_of("tool_calls") {
            self.calls.extend(hash_in(call, "id"));
            let tool = call.get("function").or_else(|| call.get("custom"));
            let name = tool.and_then(|it| hash_in(it, "name"));
            self.called.push(name.unwrap_or_default());
        }
    }
}

/// An item, and where it is in a body.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Where its first byte is in the body.
    pub start: usize,
    /// The item.
    pub item: std::sync::Arc<Item>,
}

impl Placed {
    /// Returns the item's bytes in the body.
    pub fn span(&self) -> Span {
        self.start..self.start + self.item.len
    }

    /// Turns a span in the item into one in the body.
    pub fn at(&self, span: &Span) -> Span {
        self.start + span.start..self.start + span.end
    }
}

/// Reads an item that is its own only block.
///
/// `default` is the kind of a value without a `type`.
pub(super) fn single(value: Value<'_>, default: BlockKind, family: Option<Tokenizer>) -> Item {
    let reader = Reader { default, family };
    item(value, vec![reader.block(value, None)])
}

/// Reads a message: an object with its blocks in `content` or `parts`.
///
/// Content that is a string is one block without an index, with the hash of a
/// list of that one text. A message without
/// content, such as an item of Responses, is one block of its own kind. A string, such as
/// the `input` of Responses, is a message of the user.
pub(super) fn message(value: Value<'_>, family: Option<Tokenizer>) -> Item {
    match value.kind() {
        Kind::Object => {}
        Kind::String => {
            let frame = crate::hash::of_bytes(br#"{"role":"user"}"#);
            return Item { role: Role::User, frame, ..single(value, BlockKind::Text, family) };
        }
        _ => return single(value, BlockKind::Text, family),
    }
    let content = ["content", "parts"].into_iter().find_map(|key| Some((key, value.get(key)?)));
    // Thinking is one block, with or without its text.
    let content = content.filter(|_| raw_text(value, "type") != Some("reasoning"));
    let mut item = match content {
        None => single(value, BlockKind::Other, family),
        Some((key, content)) => {
            let reader = Reader { default: BlockKind::Text, family };
            let mut blocks = match content.kind() {
                Kind::Array => {
                    let elements = content.items().enumerate();
                    elements.map(|(index, it)| reader.block(it, Some(index))).collect()
                }
                _ => vec![reader.block(content, None)],
            };
            if let Some(first) = blocks.first_mut() {
                first.tokens += tokens::of_frame(value, family);
            }
            Item {
                frame: hash_without(value, vec![content.removal()]),
                content_key: Some(key),
                is_turn_scoped: raw_text(value, "clear_at") == Some("next_user_message"),
                ..item(value, blocks)
            }
        }
    };
    item.has_tool_results |= raw_text(value, "role") == Some("tool");
    item.role = role(value);
    item.read_chat_calls(value);
    item
}

/// The caller adds the values that only messages have.
fn item(value: Value<'_>, blocks: Vec<Block>) -> Item {
    let results = [BlockKind::ToolResult, BlockKind::ServerToolResult];
    let hashes: Vec<u8> = blocks.iter().flat_map(|it| it.hash.to_le_bytes()).collect();
    Item {
        len: value.raw().len(),
        hash: crate::hash::of_bytes(&hashes),
        has_tool_results: blocks.iter().any(|it| results.contains(&it.kind)),
        blocks,
        ..Item::default()
    }
}

/// Knows the names that all wires use.
fn role(message: Value<'_>) -> Role {
    match raw_text(message, "role") {
        Some("user") => Role::User,
        Some("assistant" | "model") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        _ => Role::Other,
    }
}
