//! One item in a body's lists: a tool, a system prompt part, a message.
//! Requests with the same bytes share it.
//!
//! The next request in a conversation repeats all items but the last few. They
//! are found by comparing bytes, and are not read again.

use aside_models::Tokenizer;

use crate::hash::ByteHash;
use aside_json::scan::{self as json, Kind, Member, Span};

use super::block::{Block, Reader, list};
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

    /// Iterates over hashes of its call and result ids.
    pub fn call_ids(&self) -> impl Iterator<Item = u64> {
        let blocks = self.blocks.iter().filter_map(|it| it.call_id);
        blocks.chain(self.calls.iter().copied())
    }

    /// Reads the calls that a Chat Completions message makes, or the one that
    /// it answers.
    fn read_chat_calls(&mut self, members: &[Member], bytes: &[u8]) {
        let hashed = |span: Option<Span>| {
            let text = span.and_then(|it| json::raw_string(bytes, &it));
            text.map(crate::hash::of_bytes)
        };
        self.calls.extend(hashed(json::find(bytes, members, b"tool_call_id")));
        let calls = json::find(bytes, members, b"tool_calls");
        for call in calls.map(|it| list(bytes, &it)).unwrap_or_default() {
            let member = |object: &Span, key| json::get(bytes, object.start, key);
            self.calls.extend(hashed(member(&call, "id")));
            let tool = member(&call, "function").or_else(|| member(&call, "custom"));
            let name = tool.and_then(|it| member(&it, "name"));
            self.called.push(hashed(name).unwrap_or_default());
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
pub(super) fn single(bytes: &[u8], default: BlockKind, family: Option<Tokenizer>) -> Item {
    let reader = Reader { bytes, default, family };
    item(bytes, vec![reader.block(0..bytes.len(), None)])
}

/// Reads a message: an object with its blocks in `content` or `parts`.
///
/// Content that is a string is one block without an index, with the hash of a
/// list of that one text. A message without
/// content, such as an item of Responses, is one block of its own kind. A string, such as
/// the `input` of Responses, is a message of the user.
pub(super) fn message(bytes: &[u8], family: Option<Tokenizer>) -> Item {
    let reader = Reader { bytes, default: BlockKind::Text, family };
    let members = match json::kind(bytes, 0) {
        Kind::Object => json::members(bytes, 0).unwrap_or_default(),
        Kind::String => {
            let role = br#"{"role":"user"}"#;
            return Item {
                role: Role::User,
                frame: without(role, &[]),
                ..item(bytes, vec![reader.block(0..bytes.len(), None)])
            };
        }
        _ => return single(bytes, BlockKind::Text, family),
    };
    let named = |names: &[&'static str]| {
        names.iter().find_map(|name| {
            let member = members.iter().rfind(|it| it.key(bytes) == name.as_bytes())?;
            Some((*name, member))
        })
    };
    let value = |name: &'static str| named(&[name]).map(|(_, member)| &bytes[member.value.clone()]);
    let Some((content_key, content)) = named(&["content", "parts"]) else {
        let mut item = single(bytes, BlockKind::Other, family);
        item.role = role(&members, bytes);
        item.read_chat_calls(&members, bytes);
        return item;
    };
    let is_list = json::kind(bytes, content.value.start) == Kind::Array;
    let blocks: Vec<Block> = if is_list {
        let elements = json::elements(bytes, content.value.start).unwrap_or_default();
        let numbered = elements.into_iter().enumerate();
        numbered.map(|(index, span)| reader.block(span, Some(index))).collect()
    } else {
        vec![reader.block(content.value.clone(), None)]
    };
    let mut item = item(bytes, blocks);
    if let Some(first) = item.blocks.first_mut() {
        first.tokens += tokens::of_frame(bytes, &members, family);
    }
    item.role = role(&members, bytes);
    item.read_chat_calls(&members, bytes);
    item.frame = without(bytes, &[json::removal(bytes, content.span())]);
    item.content_key = Some(content_key);
    item.is_turn_scoped = value("clear_at") == Some(b"\"next_user_message\"");
    item.has_tool_results |= value("role") == Some(b"\"tool\"");
    item
}

/// The caller adds the values that only messages have.
fn item(bytes: &[u8], blocks: Vec<Block>) -> Item {
    let results = [BlockKind::ToolResult, BlockKind::ServerToolResult];
    let hashes: Vec<u8> = blocks.iter().flat_map(|it| it.hash.to_le_bytes()).collect();
    Item {
        len: bytes.len(),
        hash: crate::hash::of_bytes(&hashes),
        has_tool_results: blocks.iter().any(|it| results.contains(&it.kind)),
        blocks,
        ..Item::default()
    }
}

/// Knows the names that all wires use.
fn role(members: &[Member], bytes: &[u8]) -> Role {
    let role = json::find(bytes, members, b"role");
    match role.and_then(|it| json::raw_string(bytes, &it)) {
        Some(b"user") => Role::User,
        Some(b"assistant" | b"model") => Role::Assistant,
        Some(b"system" | b"developer") => Role::System,
        _ => Role::Other,
    }
}

/// Hashes an item without some ranges and without white space.
fn without(bytes: &[u8], removed: &[Span]) -> u64 {
    let mut hash = ByteHash::default();
    json::canonical(bytes, &(0..bytes.len()), removed, |it| hash.add(it));
    hash.end()
}
