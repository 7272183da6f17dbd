//! The places of blocks and markers in the bytes of a request.
//!
//! The scan accepts what the edits can preserve. A body that repeats
//! `cache_control` in one object, or writes the key with escapes, is left
//! alone.

use std::ops::Range;

use aside_messages::wire::Ttl;
use serde_json::value::RawValue;

use crate::object::{Object, items};

/// The key of a marker.
const KEY: &str = "cache_control";

/// The blocks of a request.
#[derive(Debug)]
pub(crate) struct Scan {
    /// The tools, in order.
    pub(crate) tools: Vec<Block>,
    /// The blocks of the system prompt; none if it is a string.
    pub(crate) system: Vec<Block>,
    /// The messages, in order.
    pub(crate) messages: Vec<ScannedMessage>,
    /// The member for the marker of the request itself.
    automatic: Option<MarkerSpan>,
    /// The end of the top-level object, its brace included.
    pub(crate) end: usize,
}

/// A message, with the blocks of its content.
#[derive(Debug)]
pub(crate) struct ScannedMessage {
    /// The content blocks; none if the content is a string.
    pub(crate) blocks: Vec<Block>,
    /// Whether the content is a string, which cannot have a marker.
    pub(crate) is_text: bool,
    /// True for the role `system`.
    pub(crate) is_system: bool,
    /// True if the next user message clears the message.
    pub(crate) is_scoped: bool,
}

/// A tool, a block of the system prompt or a content block.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The end of the object, its brace included.
    pub(crate) end: usize,
    /// True if a marker may be inserted: not on thinking, empty text, a
    /// deferred tool, or a block of a turn-scoped message.
    pub(crate) takes_marker: bool,
    /// The member for the marker of the block itself.
    marker: Option<MarkerSpan>,
    /// The members for markers inside a tool result.
    inner: Vec<MarkerSpan>,
}

/// A marker: the bytes of its member, a comma included if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkerSpan {
    /// The bytes to remove, as offsets in the body.
    pub(crate) range: Range<usize>,
    /// The lifetime; five minutes if the marker has none.
    pub(crate) ttl: Ttl,
    /// True for `null`, which marks nothing.
    is_null: bool,
}

impl Scan {
    /// Scans a body. Returns `None` if it is not a request, or repeats a key in
    /// a way that edits cannot preserve.
    pub(crate) fn of(body: &[u8]) -> Option<Self> {
        let text = str::from_utf8(body).ok()?;
        let scanner = Scanner { text };
        let object = Object::parse(text)?;
        let messages = object.get("messages")?;
        let messages = items(messages.get()).into_iter();
        let read = |raw: &RawValue| {
            let message = Object::parse(raw.get())?;
            let content = message.get("content");
            let is_text = content.is_some_and(|raw| raw.get().starts_with('"'));
            let is_scoped = message.text("clear_at").as_deref() == Some("next_user_message");
            let mut blocks = scanner.blocks(content)?;
            for block in &mut blocks {
                block.takes_marker &= !is_scoped;
            }
            Some(ScannedMessage {
                blocks,
                is_text,
                is_system: message.text("role").as_deref() == Some("system"),
                is_scoped,
            })
        };
        Some(Self {
            tools: scanner.blocks(object.get("tools"))?,
            system: scanner.blocks(object.get("system"))?,
            messages: messages.map(read).collect::<Option<_>>()?,
            automatic: scanner.marker(&object)?,
            end: text.trim_end().len(),
        })
    }

    /// Iterates over tools, system blocks and content blocks, in the order of
    /// the prefix.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let messages = self.messages.iter().flat_map(|message| &message.blocks);
        self.tools.iter().chain(&self.system).chain(messages)
    }

    /// Returns the marker of the request itself.
    pub(crate) fn automatic(&self) -> Option<&MarkerSpan> {
        self.automatic.as_ref().filter(|it| !it.is_null)
    }

    /// Returns the number of markers, the automatic one included.
    pub(crate) fn marker_count(&self) -> usize {
        let on_blocks = self.blocks().flat_map(Block::markers);
        on_blocks.chain(self.automatic()).count()
    }

    /// Iterates over the members with `null`. They are removed, so that no key
    /// is repeated.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = &MarkerSpan> {
        let on_blocks = self.blocks().flat_map(Block::members);
        on_blocks.chain(&self.automatic).filter(|it| it.is_null)
    }
}

impl Block {
    /// Iterates over the marker of the block and those inside it.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &MarkerSpan> {
        self.members().filter(|it| !it.is_null)
    }

    fn members(&self) -> impl Iterator<Item = &MarkerSpan> {
        self.marker.iter().chain(&self.inner)
    }
}

/// Finds the positions of values, which borrow from the text.
struct Scanner<'a> {
    text: &'a str,
}

impl<'a> Scanner<'a> {
    fn blocks(&self, raw: Option<&'a RawValue>) -> Option<Vec<Block>> {
        let items = raw.map(|raw| items(raw.get())).unwrap_or_default();
        items.into_iter().map(|raw| self.block(raw)).collect()
    }

    /// Reads a block with its marker and those of its content; `None` if edits
    /// could not preserve it.
    fn block(&self, raw: &'a RawValue) -> Option<Block> {
        let object = Object::parse(raw.get())?;
        let kind = object.text("type").unwrap_or_default();
        let is_empty = object
            .text("text")
            .is_some_and(|text| text.trim().is_empty());
        let is_thinking = matches!(&*kind, "thinking" | "redacted_thinking");
        let inner = match object.get("content") {
            Some(content) if kind == "tool_result" && content.get().starts_with('[') => {
                // Results hold no results, so this is the last level.
                let inner: Vec<_> = items(content.get())
                    .into_iter()
                    .map(|raw| self.marker(&Object::parse(raw.get())?))
                    .collect::<Option<_>>()?;
                inner.into_iter().flatten().collect()
            }
            _ => Vec::new(),
        };
        Some(Block {
            end: self.start(raw.get()) + raw.get().len(),
            takes_marker: !is_empty && !is_thinking && !object.is_true("defer_loading"),
            marker: self.marker(&object)?,
            inner,
        })
    }

    /// Returns the marker of an object; `None` if it has several.
    fn marker(&self, object: &Object<'a>) -> Option<Option<MarkerSpan>> {
        let mut markers = object.members().filter(|(key, _)| *key == KEY);
        let Some((_, value)) = markers.next() else {
            return Some(None);
        };
        if markers.next().is_some() {
            return None;
        }
        let start = self.start(value.get());
        let ttl = Object::parse(value.get()).and_then(|it| it.text("ttl"));
        Some(Some(MarkerSpan {
            range: self.member(start, start + value.get().len())?,
            ttl: match ttl.as_deref() {
                Some("1h") => Ttl::OneHour,
                _ => Ttl::FiveMinutes,
            },
            is_null: value.get() == "null",
        }))
    }

    /// Returns the range of a member by that of its value: with the comma
    /// before it, or with the one after it if it is the first.
    ///
    /// ```text
    /// {"type":"text","cache_control":{…}}     removes ,"cache_control":{…}
    /// {"cache_control":{…},"type":"text"}     removes "cache_control":{…},
    /// ```
    fn member(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let before = self.text[..start].trim_end().strip_suffix(':')?.trim_end();
        // A key that is written with escapes is left alone.
        let key = before.strip_suffix("\"cache_control\"")?.len();
        let before = self.text[..key].trim_end();
        if let Some(rest) = before.strip_suffix(',') {
            return Some(rest.len()..end);
        }
        let after = self.text[end..].trim_start();
        let next = self.text.len() - after.len();
        Some(match bytes.get(next) {
            Some(b',') => key..next + 1,
            _ => key..end,
        })
    }

    /// Returns the position of a part of the text in it.
    ///
    /// `part` has to borrow from the text, as all values of the scan do; the
    /// position is computed from the addresses.
    fn start(&self, part: &str) -> usize {
        part.as_ptr().addr() - self.text.as_ptr().addr()
    }
}
