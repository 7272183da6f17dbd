//! A block: the smallest part of a request that a cache entry can end after.
//!
//! A block's hash leaves out markers and white space, as the cache does. Spans
//! are relative to the item, so that requests can share it at different
//! positions.

use aside_models::{TokenEstimate, Tokenizer};

use crate::hash::{self, ByteHash};
use aside_json::scan::canonical;
use aside_json::{Kind, Span, Tape, Value};

use super::kind::{BlockKind, kind_of};
use super::mark::{Mark, is_marker, lifetime};
use super::tokens;

/// A block. Its spans begin where its item starts.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The bytes of the block.
    pub span: Span,
    /// Its index in its list; `None` when the content is not a list.
    pub index: Option<usize>,
    /// The string, when the block has a text and nothing else.
    pub text: Option<Span>,
    /// The kind, by `type` or by Gemini's keys.
    pub kind: BlockKind,
    /// The hash of its bytes without markers.
    pub hash: u64,
    /// The same without the addresses of files that the API fetches: thinking is bound to the
    /// files.
    pub bound: u64,
    /// The estimated tokens.
    pub tokens: TokenEstimate,
    /// Its marker; `None` for `"cache_control": null` too.
    pub mark: Option<Mark>,
    /// The elements of nested content (tool results).
    pub nested: Vec<Nested>,
    /// True for empty text, for thinking whose text is omitted, and for null content.
    pub is_empty: bool,
    /// A hash of the signature of thinking.
    pub signature: Option<u64>,
    /// True for a tool with `defer_loading`.
    pub is_deferred: bool,
    /// True for an image, and for a result that has one.
    pub has_image: bool,
    /// True if citations are enabled.
    pub has_citations: bool,
    /// True for an item that the provider keeps and the body only names by its id, such as
    /// reasoning without its encrypted content: its tokens are not known.
    pub is_reference: bool,
    /// A hash of the tool use's id, at the use and at its result.
    pub call_id: Option<u64>,
    /// Hashes of its name, of the functions that it declares, or of the
    /// deferred tools that it refers to.
    pub names: Vec<u64>,
    /// The functions that a tool declares (Gemini), or the tools that an item has, such as the
    /// output of a tool search (Responses).
    pub functions: Vec<Function>,
}

impl Block {
    /// Returns a block of signed thinking as it is without its text.
    #[must_use]
    pub fn with_omitted_text(&self) -> Self {
        Self {
            hash: self.signature.unwrap_or(self.hash),
            tokens: TokenEstimate::of_tokens(tokens::FRAME_TOKENS),
            is_empty: true,
            ..self.clone()
        }
    }
}

/// A function that a tool declares next to others.
#[derive(Clone, Debug)]
pub struct Function {
    /// The key of the list.
    pub key: &'static str,
    /// A hash of its name.
    pub name: u64,
    /// Its estimated tokens.
    pub tokens: TokenEstimate,
}

/// An element in a tool result's content.
#[derive(Clone, Debug)]
pub struct Nested {
    /// Its bytes. The span begins where the item starts.
    pub span: Span,
    /// A hash without markers.
    pub hash: u64,
    pub tokens: TokenEstimate,
    pub mark: Option<Mark>,
    /// True for an image.
    pub has_image: bool,
}

/// Returns the key of a tool result's content: blocks, or a string that stands for one text
/// block. `None` for other types.
#[must_use]
pub fn content_key(kind: &str) -> Option<&'static str> {
    match kind {
        "tool_result" => Some("content"),
        _ => kind.ends_with("_call_output").then_some("output"),
    }
}

/// Returns the text of a block that a string could stand for: a type and a
/// text, and no other key but a marker.
pub fn plain_text(block: Value<'_>) -> Option<Value<'_>> {
    let (mut has_type, mut text) = (false, None);
    for member in block.children() {
        match member.raw_key()? {
            key if is_marker(key) => {}
            // These can also be written as a string.
            "type" if !has_type => {
                let kind = member.raw_text();
                has_type = matches!(kind, Some("text" | "input_text" | "output_text"));
            }
            "text" if text.is_none() && member.kind() == Kind::String => text = Some(member),
            _ => return None,
        }
    }
    text.filter(|_| has_type)
}

/// Returns where the text of such a block is, for a block at a place in a body.
#[must_use]
pub fn plain_text_at(bytes: &[u8], block: &Span) -> Option<Span> {
    let tape = Tape::parse(&bytes[block.clone()]).ok()?;
    let text = plain_text(tape.root())?.range();
    Some(block.start + text.start..block.start + text.end)
}

/// Returns a member's string as written.
pub(super) fn raw_text<'a>(object: Value<'a>, key: &str) -> Option<&'a str> {
    object.get(key)?.raw_text()
}

/// Hashes a member's string.
pub(super) fn hash_in(object: Value<'_>, key: &str) -> Option<u64> {
    raw_text(object, key).map(|it| hash::of_bytes(it.as_bytes()))
}

/// Hashes a value without white space and without the removed ranges, which are in any order.
pub(super) fn hash_without(value: Value<'_>, mut removed: Vec<Span>) -> u64 {
    removed.sort_by_key(|it| it.start);
    let mut hash = ByteHash::default();
    canonical(value.document().as_bytes(), &value.range(), &removed, |it| hash.add(it));
    hash.end()
}

/// Reads an item's blocks. Positions are within the item.
pub(super) struct Reader {
    /// The kind of an element without a type.
    pub(super) default: BlockKind,
    /// For estimates; `None` to leave them out.
    pub(super) family: Option<Tokenizer>,
}

/// A block that is being read.
struct Read<'a> {
    value: Value<'a>,
    block: Block,
    text: Option<Value<'a>>,
    /// Where its markers are.
    removed: Vec<Span>,
    /// Where its addresses of files are.
    fetched: Vec<Span>,
}

impl Reader {
    /// Reads a value as a block.
    ///
    /// A tool result's hash leaves out markers in its elements too.
    pub(super) fn block(&self, value: Value<'_>, index: Option<usize>) -> Block {
        let mut read = self.members(value, index);
        let content = match read.block.kind {
            BlockKind::ToolResult => self.content(&mut read),
            _ => None,
        };
        self.end(&mut read, content);
        read.block
    }

    /// Reads a block's members, or a value that has none.
    fn members<'a>(&self, value: Value<'a>, index: Option<usize>) -> Read<'a> {
        let span = value.range();
        let is_object = value.kind() == Kind::Object;
        let text = is_object.then(|| plain_text(value)).flatten();
        let block = Block {
            index,
            kind: self.default,
            is_empty: !is_object && span.len() <= 2,
            span,
            text: text.map(Value::range),
            ..Block::default()
        };
        let mut read = Read { value, block, text, removed: Vec::new(), fetched: Vec::new() };
        if is_object {
            for member in value.children() {
                self.member(&mut read, member);
                read.fetched.extend(address(member));
            }
        }
        read
    }

    /// Estimates and hashes a block. The estimate of a list in it may be known.
    fn end<'a>(&self, read: &mut Read<'a>, list: Option<(Value<'a>, TokenEstimate)>) {
        let Read { value, block, text, removed, fetched } = read;
        block.is_reference = match raw_text(*value, "type") {
            Some("item_reference") => true,
            Some("reasoning") => {
                raw_text(*value, "id").is_some()
                    && raw_text(*value, "encrypted_content").is_none()
                    && value.items_of("content").next().is_none()
            }
            // Servers take an id alone for a reference.
            None if self.default == BlockKind::Other => {
                raw_text(*value, "id").is_some() && raw_text(*value, "role").is_none()
            }
            _ => false,
        };
        block.tokens = match value.kind() {
            Kind::Object => tokens::of_block(block.kind, *value, list, self.family),
            _ => tokens::of_content(*value, self.family),
        };
        // A block with a text and nothing else is hashed like a string: the API
        // takes both for the same.
        block.hash = match text {
            // White space in a string is content.
            Some(text) => hash::of_bytes(text.raw().as_bytes()),
            None => match block.signature.filter(|_| block.is_empty) {
                Some(signature) => signature,
                None => hash_without(*value, removed.clone()),
            },
        };
        block.bound = match &fetched[..] {
            [] => block.hash,
            fetched => hash_without(*value, [fetched, removed].concat()),
        };
    }

    /// Reads a block's member: its content, its ids and names, or a marker.
    fn member(&self, read: &mut Read<'_>, member: Value<'_>) {
        let block = &mut read.block;
        let hash = || hash::of_bytes(member.raw_text().unwrap_or_default().as_bytes());
        match member.raw_key().unwrap_or_default() {
            "type" => {
                block.kind = kind_of(member.raw_text().unwrap_or_default(), self.default);
            }
            "text" | "thinking" => block.is_empty = member.raw_text() == Some(""),
            "signature" => block.signature = Some(hash()),
            "content" if member.is_null() => block.is_empty = true,
            "inlineData" | "inline_data" | "fileData" => block.kind = BlockKind::Image,
            key @ ("functionCall" | "functionResponse") => {
                block.kind = match key {
                    "functionCall" => BlockKind::ToolUse,
                    _ => BlockKind::ToolResult,
                };
                block.names.extend(hash_in(member, "name"));
                block.call_id = hash_in(member, "id").or(block.call_id);
            }
            "thought" if member.is_true() => block.kind = BlockKind::Thinking,
            "defer_loading" => block.is_deferred = member.is_true(),
            "name" | "tool_name" => block.names.push(hash()),
            "id" if block.call_id.is_none() => block.call_id = Some(hash()),
            "tool_use_id" | "call_id" => block.call_id = Some(hash()),
            "tool" | "function" | "custom" => block.names.extend(hash_in(member, "name")),
            "functionDeclarations" => self.functions(block, "functionDeclarations", member),
            "function_declarations" => self.functions(block, "function_declarations", member),
            "tools" if self.default != BlockKind::Tool => self.functions(block, "tools", member),
            // A tool search's result names the tools that it loads.
            "content" if member.kind() == Kind::Object => {
                let found = member.items_of("tool_references");
                block.names.extend(found.filter_map(|it| hash_in(it, "tool_name")));
            }
            "citations" => {
                block.has_citations = member.get("enabled").is_some_and(Value::is_true);
            }
            key if is_marker(key) => {
                let is_object = member.kind() == Kind::Object;
                block.mark = is_object
                    .then(|| Mark { span: member.member_range(), lifetime: lifetime(member) });
                read.removed.push(member.removal());
            }
            _ => {}
        }
        block.has_image |= block.kind == BlockKind::Image;
    }

    /// Reads the functions that a tool declares in a list.
    fn functions(&self, block: &mut Block, key: &'static str, list: Value<'_>) {
        for function in list.items() {
            let Some(name) = hash_in(function, "name") else {
                continue;
            };
            block.names.push(name);
            let tokens = tokens::of_value(function, self.family);
            block.functions.push(Function { key, name, tokens });
        }
    }

    /// Reads the elements of a tool result's content. Returns the list and what it is
    /// estimated at as a part of the result; `None` when the content is no list.
    ///
    /// A list of one text is hashed and estimated like the string that could stand for it.
    fn content<'a>(&self, result: &mut Read<'a>) -> Option<(Value<'a>, TokenEstimate)> {
        let content = match raw_text(result.value, "type") {
            Some(kind) => result.value.get(content_key(kind)?)?,
            None => result.value.get("functionResponse")?.get("parts")?,
        };
        let block = &mut result.block;
        if content.kind() != Kind::Array {
            // A screenshot (Responses).
            block.has_image |= self.members(content, None).block.has_image;
            return None;
        }
        let is_single = content.items().nth(1).is_none();
        let mut tokens = TokenEstimate::ZERO;
        for element in content.items() {
            let mut inner = self.members(element, None);
            self.end(&mut inner, None);
            tokens += match (inner.text, self.family) {
                (Some(text), _) if is_single => {
                    let (list, text) = (content.range(), text.range());
                    result.removed.extend([list.start..text.start, text.end..list.end]);
                    inner.block.tokens - TokenEstimate::of_tokens(tokens::FRAME_TOKENS)
                }
                (Some(text), Some(family)) => {
                    tokens::of_text_element(element, text, inner.block.tokens, family)
                }
                _ => tokens::of_value(element, self.family),
            };
            block.has_image |= inner.block.has_image;
            block.has_citations |= inner.block.has_citations;
            block.names.append(&mut inner.block.names);
            result.removed.append(&mut inner.removed);
            result.fetched.append(&mut inner.fetched);
            block.nested.push(Nested {
                span: inner.block.span,
                hash: inner.block.hash,
                tokens: inner.block.tokens,
                mark: inner.block.mark,
                has_image: inner.block.has_image,
            });
        }
        Some((content, tokens))
    }
}

/// Returns the address in a source, unless that is the file itself.
fn address(member: Value<'_>) -> Option<Span> {
    let is_address = member.raw_key() == Some("source")
        && raw_text(member, "type") == Some("url")
        && !raw_text(member, "url")?.starts_with("data:");
    is_address.then(|| member.get("url").map(Value::removal)).flatten()
}
