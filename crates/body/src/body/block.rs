//! A block: the smallest part of a request that a cache entry can end after.
//!
//! A block's hash leaves out markers and white space, as the cache does. Spans
//! are relative to the item, so that requests can share it at different
//! positions.

use aside_models::{TokenEstimate, Tokenizer};

use crate::hash::{self, ByteHash};
use aside_json::scan::{self as json, Kind, Member, Span};

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
    /// A hash of the tool use's id, at the use and at its result.
    pub call_id: Option<u64>,
    /// Hashes of its name, of the functions that it declares, or of the
    /// deferred tools that it refers to.
    pub names: Vec<u64>,
    /// The functions that a tool declares (Gemini).
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
    /// A hash without markers.
    pub hash: u64,
    pub tokens: TokenEstimate,
    pub mark: Option<Mark>,
}

/// Block types that you can also write as a string.
const TEXT_TYPES: [&[u8]; 3] = [b"text", b"input_text", b"output_text"];

/// Returns the text of a block that a string could stand for: a type and a
/// text, and no other key but a marker.
pub fn plain_text(bytes: &[u8], members: &[Member]) -> Option<Span> {
    let (mut has_type, mut text) = (false, None);
    for member in members.iter().filter(|it| !is_marker(bytes, it)) {
        match &bytes[member.key.clone()] {
            b"type" if !has_type => {
                let kind = json::raw_string(bytes, &member.value);
                has_type = kind.is_some_and(|it| TEXT_TYPES.contains(&it));
            }
            b"text" if text.is_none() && json::kind(bytes, member.value.start) == Kind::String => {
                text = Some(member.value.clone());
            }
            _ => return None,
        }
    }
    text.filter(|_| has_type)
}

/// Returns the elements of a list; none of anything else.
pub(super) fn list(bytes: &[u8], value: &Span) -> Vec<Span> {
    match json::kind(bytes, value.start) {
        Kind::Array => json::elements(bytes, value.start).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Reads an item's blocks. Positions are within the item.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    /// The kind of an element without a type.
    pub(super) default: BlockKind,
    /// For estimates; `None` to leave them out.
    pub(super) family: Option<Tokenizer>,
}

/// A block that is being read.
struct Read {
    block: Block,
    /// Its members; none if it is no object.
    members: Vec<Member>,
    /// Where its markers are.
    removed: Vec<Span>,
    /// Where its addresses of files are.
    fetched: Vec<Span>,
}

impl Reader<'_> {
    /// Reads a value as a block.
    ///
    /// A tool result's hash leaves out markers in its elements too.
    pub(super) fn block(&self, span: Span, index: Option<usize>) -> Block {
        let mut read = self.members(span, index);
        let content = match read.block.kind {
            BlockKind::ToolResult => self.content(&mut read),
            _ => None,
        };
        self.end(&mut read, content);
        read.block
    }

    /// Reads a block's members, or a value that has none.
    fn members(&self, span: Span, index: Option<usize>) -> Read {
        let bytes = self.bytes;
        let mut read = Read {
            block: Block { index, kind: self.default, span: span.clone(), ..Block::default() },
            members: Vec::new(),
            removed: Vec::new(),
            fetched: Vec::new(),
        };
        if json::kind(bytes, span.start) == Kind::Object {
            read.members = json::members(bytes, span.start).unwrap_or_default();
            for member in &read.members {
                self.member(&mut read.block, member, &mut read.removed);
                read.fetched.extend(self.address(member));
            }
            read.block.text = plain_text(bytes, &read.members);
        } else {
            read.block.is_empty = span.len() <= 2;
        }
        read
    }

    /// Estimates and hashes a block. The estimate of a list in it may be known.
    fn end(&self, read: &mut Read, list: Option<(Span, TokenEstimate)>) {
        let (bytes, span, removed) = (self.bytes, &read.block.span, &read.removed);
        read.block.tokens = match json::kind(bytes, span.start) {
            Kind::Object => {
                let members = &read.members;
                tokens::of_block(bytes, read.block.kind, span, members, list, self.family)
            }
            _ => tokens::of_content(bytes, span, self.family),
        };
        // A block with a text and nothing else is hashed like a string: the API
        // takes both for the same.
        read.block.hash = match &read.block.text {
            // White space in a string is content.
            Some(text) => hash::of_bytes(&bytes[text.clone()]),
            None => match read.block.signature.filter(|_| read.block.is_empty) {
                Some(signature) => signature,
                None => self.hash(span, removed),
            },
        };
        read.block.bound = read.block.hash;
        if !read.fetched.is_empty() {
            let mut out = [&read.fetched[..], removed].concat();
            out.sort_by_key(|it| it.start);
            read.block.bound = self.hash(span, &out);
        }
    }

    /// Returns the address in a source, unless that is the file itself.
    fn address(&self, member: &Member) -> Option<Span> {
        let (bytes, source) = (self.bytes, member.value.start);
        let text = |key: &str| json::raw_string(bytes, &json::get(bytes, source, key)?);
        if member.key(bytes) != b"source"
            || text("type") != Some(b"url")
            || text("url")?.starts_with(b"data:")
        {
            return None;
        }
        let members = json::members(bytes, source).ok()?;
        let address = members.iter().find(|it| it.key(bytes) == b"url")?;
        Some(json::removal(bytes, address.span()))
    }

    /// Reads a block's member: its content, its ids and names, or a marker.
    fn member(&self, block: &mut Block, member: &Member, removed: &mut Vec<Span>) {
        let (bytes, value) = (self.bytes, &member.value);
        let text = || json::raw_string(bytes, value).unwrap_or_default();
        match &bytes[member.key.clone()] {
            b"type" => block.kind = kind_of(text(), self.default),
            b"text" | b"thinking" => block.is_empty = json::raw_string(bytes, value) == Some(b""),
            b"signature" => block.signature = Some(hash::of_bytes(text())),
            b"content" if &bytes[value.clone()] == b"null" => block.is_empty = true,
            b"inlineData" | b"inline_data" | b"fileData" => block.kind = BlockKind::Image,
            b"functionCall" | b"functionResponse" => {
                block.kind = match &bytes[member.key.clone()] {
                    b"functionCall" => BlockKind::ToolUse,
                    _ => BlockKind::ToolResult,
                };
                block.names.extend(self.hash_in(value, "name"));
                block.call_id = self.hash_in(value, "id").or(block.call_id);
            }
            b"thought" if &bytes[value.clone()] == b"true" => block.kind = BlockKind::Thinking,
            b"defer_loading" => block.is_deferred = &bytes[value.clone()] == b"true",
            b"name" | b"tool_name" => block.names.push(hash::of_bytes(text())),
            b"id" if block.call_id.is_none() => block.call_id = Some(hash::of_bytes(text())),
            b"tool_use_id" | b"call_id" => block.call_id = Some(hash::of_bytes(text())),
            b"tool" | b"function" | b"custom" => block.names.extend(self.hash_in(value, "name")),
            b"functionDeclarations" => self.functions(block, "functionDeclarations", value),
            b"function_declarations" => self.functions(block, "function_declarations", value),
            b"content" if json::kind(bytes, value.start) == Kind::Object => {
                // A tool search's result names the tools that it loads.
                let found = json::get(bytes, value.start, "tool_references");
                let found = found.map(|it| list(bytes, &it)).unwrap_or_default();
                block.names.extend(found.iter().filter_map(|it| self.hash_in(it, "tool_name")));
            }
            b"citations" => {
                let enabled = json::get(bytes, value.start, "enabled");
                block.has_citations = enabled.is_some_and(|it| &bytes[it] == b"true");
            }
            _ if is_marker(bytes, member) => {
                block.mark = self.mark(member);
                removed.push(json::removal(bytes, member.span()));
            }
            _ => {}
        }
        block.has_image |= block.kind == BlockKind::Image;
    }

    /// Hashes a text in an object.
    fn hash_in(&self, object: &Span, key: &str) -> Option<u64> {
        let text = json::get(self.bytes, object.start, key)?;
        json::raw_string(self.bytes, &text).map(hash::of_bytes)
    }

    /// Reads the functions that a tool declares in a list.
    fn functions(&self, block: &mut Block, key: &'static str, list: &Span) {
        for span in self::list(self.bytes, list) {
            let Some(name) = self.hash_in(&span, "name") else {
                continue;
            };
            block.names.push(name);
            block.functions.push(Function {
                key,
                name,
                tokens: tokens::of_value(self.bytes, &span, self.family),
            });
        }
    }

    /// `None` if the value is no object.
    fn mark(&self, member: &Member) -> Option<Mark> {
        let is_object = json::kind(self.bytes, member.value.start) == Kind::Object;
        is_object
            .then(|| Mark { span: member.span(), lifetime: lifetime(self.bytes, &member.value) })
    }

    /// Reads the elements of a tool result's content. Returns where the list is and what it is
    /// estimated at as a part of the result; `None` when the content is no list.
    fn content(&self, result: &mut Read) -> Option<(Span, TokenEstimate)> {
        let content = json::find(self.bytes, &result.members, b"content")?;
        if json::kind(self.bytes, content.start) != Kind::Array {
            return None;
        }
        let block = &mut result.block;
        let mut tokens = TokenEstimate::ZERO;
        for span in json::elements(self.bytes, content.start).unwrap_or_default() {
            let mut inner = self.members(span, None);
            self.end(&mut inner, None);
            tokens += match (&inner.block.text, self.family) {
                (Some(text), Some(family)) => {
                    let text = (text, inner.block.tokens);
                    tokens::of_text_element(self.bytes, &inner.members, text, family)
                }
                _ => tokens::of_value(self.bytes, &inner.block.span, self.family),
            };
            block.has_image |= inner.block.has_image;
            block.has_citations |= inner.block.has_citations;
            block.names.append(&mut inner.block.names);
            result.removed.append(&mut inner.removed);
            result.fetched.append(&mut inner.fetched);
            block.nested.push(Nested {
                hash: inner.block.hash,
                tokens: inner.block.tokens,
                mark: inner.block.mark,
            });
        }
        result.removed.sort_by_key(|it| it.start);
        Some((content, tokens))
    }

    /// Hashes a range without white space and without the removed ranges.
    fn hash(&self, span: &Span, removed: &[Span]) -> u64 {
        let mut hash = ByteHash::default();
        json::canonical(self.bytes, span, removed, |it| hash.add(it));
        hash.end()
    }
}
