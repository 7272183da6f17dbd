//! Where blocks and markers are in a request's bytes.
//!
//! The scan accepts what edits can preserve. A body that repeats
//! `cache_control` in one object, or writes the key with escapes, is left
//! alone.

use std::borrow::Cow;
use std::ops::Range;

use aside_json::{Kind, Tape, Value};
use aside_messages::wire::Ttl;

use super::KEY;

#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) tools: Vec<Block>,
    /// The system prompt's blocks; none if it is a string.
    pub(crate) system: Vec<Block>,
    pub(crate) messages: Vec<ScannedMessage>,
    /// The member with the request's own marker.
    automatic: Option<MarkerSpan>,
    /// Where the top-level object ends, after its brace.
    pub(crate) end: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct ScannedMessage {
    /// The content blocks; none if the content is a string.
    pub(crate) blocks: Vec<Block>,
    /// Where it starts.
    pub(crate) start: usize,
    /// Whether the content is a string, which cannot have a marker.
    pub(crate) is_text: bool,
    /// True for the role `system`.
    pub(crate) is_system: bool,
    /// True if the next user message clears this one.
    pub(crate) is_scoped: bool,
}

/// A tool, a system prompt block or a content block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// Where the object ends, after its brace.
    pub(crate) end: usize,
    /// True if a marker may be inserted: not on thinking, empty text, a
    /// deferred tool, or a block in a turn-scoped message.
    pub(crate) takes_marker: bool,
    /// The member with the block's own marker.
    marker: Option<MarkerSpan>,
    /// The members with markers inside a tool result.
    inner: Vec<MarkerSpan>,
}

/// A marker: its member's bytes, with a comma if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkerSpan {
    /// The bytes to remove, as offsets in the body.
    pub(crate) range: Range<usize>,
    /// How long it lasts; five minutes if the marker does not say.
    pub(crate) ttl: Ttl,
    /// True for `null`, which marks nothing.
    is_null: bool,
}

impl Scan {
    /// Scans a body. `None` if it is no request, or repeats a key in a way that
    /// edits cannot preserve.
    pub(crate) fn of(body: &[u8]) -> Option<Self> {
        let tape = Tape::parse(body).ok()?;
        let root = tape.root();
        let messages = root.given("messages")?.items();
        let read = |message: Value<'_>| {
            let content = message.given("content");
            let is_scoped = message.text_of("clear_at").as_deref() == Some("next_user_message");
            let mut blocks = blocks(content)?;
            for block in &mut blocks {
                block.takes_marker &= !is_scoped;
            }
            Some(ScannedMessage {
                blocks,
                start: message.range().start,
                is_text: content.is_some_and(|it| it.kind() == Kind::String),
                is_system: message.text_of("role").as_deref() == Some("system"),
                is_scoped,
            })
        };
        Some(Self {
            tools: blocks(root.given("tools"))?,
            system: blocks(root.given("system"))?,
            messages: messages.map(read).collect::<Option<_>>()?,
            automatic: marker(root)?,
            end: root.range().end,
        })
    }

    /// Iterates over tools, system blocks and content blocks, in prefix order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let messages = self.messages.iter().flat_map(|message| &message.blocks);
        self.tools.iter().chain(&self.system).chain(messages)
    }

    /// Returns the request's own marker.
    pub(crate) fn automatic(&self) -> Option<&MarkerSpan> {
        self.automatic.as_ref().filter(|it| !it.is_null)
    }

    /// Counts markers, with the automatic one.
    pub(crate) fn marker_count(&self) -> usize {
        let on_blocks = self.blocks().flat_map(Block::markers);
        on_blocks.chain(self.automatic()).count()
    }

    /// Returns the first message whose markers are replaced. Those on tools, on the system prompt
    /// and on the first of several messages stay.
    pub(crate) fn first_replaced(&self) -> usize {
        usize::from(self.messages.len() > 1)
    }

    /// Iterates over the markers that are replaced.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = &MarkerSpan> {
        let messages = self.messages.iter().skip(self.first_replaced());
        let on_messages = messages.flat_map(|message| &message.blocks);
        on_messages.flat_map(Block::markers).chain(self.automatic())
    }

    /// Returns the scan without the markers that are replaced. All places stay those in the body.
    pub(crate) fn without_replaced(&self) -> Self {
        let mut rest = self.clone();
        rest.automatic = None;
        let messages = rest.messages.iter_mut().skip(self.first_replaced());
        for block in messages.flat_map(|message| &mut message.blocks) {
            block.marker = None;
            block.inner.clear();
        }
        rest
    }

    /// Iterates over members with `null`. They are removed, so that no key is
    /// repeated.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = &MarkerSpan> {
        let on_blocks = self.blocks().flat_map(Block::members);
        on_blocks.chain(&self.automatic).filter(|it| it.is_null)
    }
}

impl ScannedMessage {
    /// Returns true if it has no marker, not even `null`.
    pub(crate) fn has_no_marker(&self) -> bool {
        self.blocks.iter().all(|it| it.members().next().is_none())
    }
}

impl Block {
    /// Iterates over the block's marker and those inside it.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &MarkerSpan> {
        self.members().filter(|it| !it.is_null)
    }

    fn members(&self) -> impl Iterator<Item = &MarkerSpan> {
        self.marker.iter().chain(&self.inner)
    }
}

fn blocks(list: Option<Value<'_>>) -> Option<Vec<Block>> {
    let items = list.into_iter().flat_map(Value::items);
    items.map(block).collect()
}

/// Reads a block with its marker and those in its content; `None` if edits
/// could not preserve it.
fn block(value: Value<'_>) -> Option<Block> {
    if value.kind() != Kind::Object {
        return None;
    }
    let kind = value.tag();
    let is_empty = value.get("text").is_some_and(Value::is_blank);
    let is_thinking = matches!(&*kind, "thinking" | "redacted_thinking");
    let is_deferred = value.get("defer_loading").is_some_and(Value::is_true);
    // Results hold no results, so this is the last level.
    let content = value.get("content").filter(|_| kind == "tool_result");
    let inner = content.into_iter().flat_map(Value::items).map(marker);
    let inner: Vec<Option<MarkerSpan>> = inner.collect::<Option<_>>()?;
    Some(Block {
        end: value.range().end,
        takes_marker: !is_empty && !is_thinking && !is_deferred,
        marker: marker(value)?,
        inner: inner.into_iter().flatten().collect(),
    })
}

/// Returns an object's marker; `None` if the value is no object, has several,
/// or writes the key with escapes.
fn marker(object: Value<'_>) -> Option<Option<MarkerSpan>> {
    if object.kind() != Kind::Object {
        return None;
    }
    let mut markers = object.members().filter(|(key, _)| key == KEY);
    let Some((key, value)) = markers.next() else {
        return Some(None);
    };
    if markers.next().is_some() || matches!(key, Cow::Owned(_)) {
        return None;
    }
    Some(Some(MarkerSpan {
        range: value.removal(),
        ttl: match value.text_of("ttl").as_deref() {
            Some("1h") => Ttl::OneHour,
            _ => Ttl::FiveMinutes,
        },
        is_null: value.is_null(),
    }))
}
