//! Where blocks and markers are in a request's bytes.
//!
//! A session's next request repeats all messages but the last ones, so what was found in a tool, a
//! block of the system prompt or a message is kept for it: its places count from where it starts.
//! The rest of a request, its *frame*, is scanned each time:
//!
//! ```text
//! the request    {"model":"…","tools":[{…},{…}],"messages":[{…},{…},…,{…}],"stream":true}
//! its frame      {"model":"…","tools":[],"messages":[],"stream":true}
//! ```
//!
//! The scan accepts what edits can preserve. A body that repeats
//! `cache_control` in one object, or writes the key with escapes, is left
//! alone.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use aside_body::Body;
use aside_body::path::Level;
use aside_cache_split::{MessageShape, Shape, ShapeMarker};
use aside_json::{Kind, Tape, Value};
use aside_messages::encode::{BlockRef, StepBlock, StepKind};
use aside_messages::wire::{CacheControl, ContentBlock, Role, Ttl};
use aside_models::find;

use super::edit::Edits;
use super::{KEY, key_count};

/// How many bytes a block of text has besides its string.
const TEXT_BYTES: usize = r#"{"type":"text","text":}"#.len();

/// A request that was read, with what was found in it.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) tools: Vec<ItemAt>,
    /// The system prompt's blocks; none if it is a string.
    pub(crate) system: Vec<ItemAt>,
    pub(crate) messages: Vec<ItemAt>,
    /// The member with the request's own marker.
    automatic: Option<MarkerSpan>,
    /// Where the top-level object ends, after its brace.
    pub(crate) end: usize,
    /// How many keys of markers are in the frame.
    keys: usize,
    /// True if the API keeps messages of the conversation.
    pub(crate) is_in_thread: bool,
}

/// A tool, a block of the system prompt or a message, and where it starts in the body.
#[derive(Clone, Debug)]
pub(crate) struct ItemAt {
    pub(crate) start: usize,
    pub(crate) item: Arc<Scanned>,
}

/// What was found in a tool, a block of the system prompt or a message. All places count from its
/// start.
#[derive(Debug)]
pub(crate) struct Scanned {
    len: usize,
    /// The content blocks, none if the content is a string; a tool is its own only block.
    pub(crate) blocks: Vec<Block>,
    /// Whether the content is a string, which cannot have a marker.
    pub(crate) is_text: bool,
    /// True for the role `system`.
    pub(crate) is_system: bool,
    /// True if the next user message clears this one.
    pub(crate) is_scoped: bool,
    /// How many keys of markers it has, wherever they are.
    keys: usize,
    shape: MessageShape,
}

/// A tool, a system prompt block or a content block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Where the object ends, after its brace.
    pub(crate) end: usize,
    /// True if a marker may be inserted: not on thinking, empty text, a
    /// deferred tool, or a block in a turn-scoped message.
    pub(crate) takes_marker: bool,
    /// True for empty text and for a deferred tool.
    is_hollow: bool,
    /// The member with the block's own marker.
    marker: Option<MarkerSpan>,
    /// The members with markers inside a tool result, each with its element's index.
    inner: Vec<(usize, MarkerSpan)>,
}

/// A marker: its member's bytes, with a comma if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkerSpan {
    /// The bytes to remove.
    range: Range<usize>,
    /// How long it lasts; five minutes if the marker does not say.
    pub(crate) ttl: Ttl,
    /// True for `null`, which marks nothing.
    is_null: bool,
}

impl Scan {
    /// Scans a body after another one, whose items it may share. `None` if it is no request, or
    /// repeats a key in a way that edits cannot preserve.
    pub(crate) fn of(body: &Body, earlier: Option<(&Body, &Self)>) -> Option<Self> {
        let bytes = body.as_bytes();
        let mut cuts = Edits::new(bytes);
        let mut list = |level| {
            let items = listed(body, level);
            if let [first, .., last] | [first @ last] = items {
                cuts.remove(first.start..last.span().end);
            }
            let items = items.iter().enumerate();
            let items = items.map(|(index, it)| {
                let known = || {
                    let (body, scan) = earlier?;
                    let known = listed(body, level).get(index)?;
                    let scanned = scan.level(level).get(index)?;
                    Arc::ptr_eq(&known.item, &it.item).then(|| scanned.item.clone())
                };
                let new = || Scanned::of(&bytes[it.span()], level).map(Arc::new);
                Some(ItemAt { start: it.start, item: known().or_else(new)? })
            });
            items.collect::<Option<Vec<_>>>()
        };
        let [tools, system, messages] =
            [list(Level::Tools)?, list(Level::System)?, list(Level::Messages)?];
        let frame = cuts.apply();
        let tape = Tape::parse(&frame).ok()?;
        let root = tape.root();
        root.given("messages")?;
        let whole = |it: Range<usize>| cuts.source(it.start)..cuts.source(it.end);
        Some(Self {
            tools,
            system,
            messages,
            automatic: marker(root)?.map(|it| MarkerSpan { range: whole(it.range.clone()), ..it }),
            end: whole(root.range()).end,
            keys: key_count(tape.text()),
            is_in_thread: root.given("thread").is_some(),
        })
    }

    fn level(&self, level: Level) -> &[ItemAt] {
        match level {
            Level::Tools => &self.tools,
            Level::System => &self.system,
            Level::Messages => &self.messages,
        }
    }

    /// Iterates over all items, in prefix order.
    pub(crate) fn items(&self) -> impl Iterator<Item = (Level, usize, &ItemAt)> {
        Level::ALL.into_iter().flat_map(|level| {
            let items = self.level(level).iter().enumerate();
            items.map(move |(index, it)| (level, index, it))
        })
    }

    /// Iterates over tools, system blocks and content blocks with their places, in prefix order.
    pub(crate) fn places(&self) -> impl Iterator<Item = (BlockRef, &Block)> {
        self.items().flat_map(|(level, index, it)| {
            let blocks = it.item.blocks.iter().enumerate();
            blocks.map(move |(block, it)| (block_ref(level, index, block), it))
        })
    }

    /// Iterates over the blocks of [`Self::places`].
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.places().map(|(_, block)| block)
    }

    /// Returns a block, and where its item starts.
    fn placed(&self, at: BlockRef) -> Option<(&Block, usize)> {
        let (level, index, block) = indices(at);
        let item = self.level(level).get(index)?;
        Some((item.item.blocks.get(block)?, item.start))
    }

    /// Returns a block.
    pub(crate) fn block(&self, at: BlockRef) -> Option<&Block> {
        self.placed(at).map(|(block, _)| block)
    }

    /// Returns where a block's object ends in the body, after its brace.
    pub(crate) fn end_of(&self, at: BlockRef) -> Option<usize> {
        self.placed(at).map(|(block, start)| start + block.end)
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

    /// Returns true if the markers of an item stay: those on tools, on the system prompt and on the
    /// first of several messages do.
    fn keeps_item(&self, level: Level, index: usize) -> bool {
        level < Level::Messages || index == 0 && self.messages.len() > 1
    }

    /// Iterates over the blocks whose markers stay.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (BlockRef, &Block)> {
        self.places().take_while(|(at, _)| self.keeps(*at))
    }

    /// Returns true if the markers of a block stay.
    pub(crate) fn keeps(&self, at: BlockRef) -> bool {
        let (level, index, _) = indices(at);
        self.keeps_item(level, index)
    }

    /// Iterates over what to remove from the body: the markers that are replaced, and members with
    /// `null`, so that no key is repeated.
    pub(crate) fn removals(&self) -> impl Iterator<Item = Range<usize>> {
        let on_items = self.items().flat_map(move |(level, index, it)| {
            let is_kept = self.keeps_item(level, index);
            let members = it.item.blocks.iter().flat_map(Block::members);
            let removed = members.filter(move |it| !is_kept || it.is_null);
            removed.map(|marker| it.start + marker.range.start..it.start + marker.range.end)
        });
        on_items.chain(self.automatic.iter().map(|it| it.range.clone()))
    }

    /// Returns the request as a plan sees it, without the markers that are replaced.
    pub(crate) fn shape(&self, model: Option<&str>) -> Shape<'_> {
        let markable = |items: &[ItemAt]| -> Vec<bool> {
            let blocks = items.iter().flat_map(|it| &it.item.blocks);
            blocks.map(|it| it.takes_marker).collect()
        };
        let messages = self.messages.iter().map(|it| &it.item.shape);
        let markers = self.kept().flat_map(|(at, block)| {
            let marker = move |inner, it: &MarkerSpan, is_refused| {
                let control = CacheControl::lasting(it.ttl);
                (!it.is_null).then(|| ShapeMarker::new(at, inner, control, is_refused))
            };
            let inner = block.inner.iter();
            let inner = inner.filter_map(move |(index, it)| marker(Some(*index), it, false));
            let own = block.marker.iter();
            inner.chain(own.filter_map(move |it| marker(None, it, block.is_hollow)))
        });
        let facts = find(model.unwrap_or_default()).facts;
        Shape {
            tools: markable(&self.tools),
            system: markable(&self.system),
            messages: messages.map(Cow::Borrowed).collect(),
            markers: markers.collect(),
            automatic: None,
            thinking: facts.thinking_kept,
        }
    }

    /// Scans the items that edits change, and says what the edited body has. `is_automatic` is true
    /// if that has an automatic marker; where items start is not moved.
    pub(crate) fn after(&self, edits: &Edits<'_>, is_automatic: bool) -> Option<Self> {
        let mut scan = self.clone();
        let had_automatic = scan.automatic.take().is_some();
        scan.keys = scan.keys + usize::from(is_automatic) - usize::from(had_automatic);
        let items = [
            (Level::Tools, &mut scan.tools),
            (Level::System, &mut scan.system),
            (Level::Messages, &mut scan.messages),
        ];
        for (level, items) in items {
            for it in items {
                let span = it.start..it.start + it.item.len;
                if let Some(edited) = edits.within(span) {
                    it.item = Arc::new(Scanned::of(&edited, level)?);
                }
            }
        }
        Some(scan)
    }

    /// Counts keys of markers, wherever they are.
    pub(crate) fn key_count(&self) -> usize {
        let on_items = self.items().map(|(.., it)| it.item.keys);
        self.keys + on_items.sum::<usize>()
    }
}

/// Returns the reverse of [`indices`].
pub(super) fn block_ref(level: Level, item: usize, block: usize) -> BlockRef {
    match level {
        Level::Tools => BlockRef::Tool(item),
        Level::System => BlockRef::System(item),
        Level::Messages => BlockRef::Message { message: item, block },
    }
}

/// Returns a block's level, its item and its number in the item.
fn indices(at: BlockRef) -> (Level, usize, usize) {
    match at {
        BlockRef::Tool(index) => (Level::Tools, index, 0),
        BlockRef::System(index) => (Level::System, index, 0),
        BlockRef::Message { message, block } => (Level::Messages, message, block),
    }
}

/// Returns the items of a list: none if there is no list under its key, such as for a system prompt
/// that is a string.
fn listed(body: &Body, level: Level) -> &[aside_body::body::Placed] {
    let items = body.section(level);
    let Some(list) = body.get(level.as_str()) else {
        return &[];
    };
    let is_list = body.as_bytes()[list.start] == b'[';
    let is_of_list = items.first().is_some_and(|it| list.contains(&it.start));
    if is_list && is_of_list { items } else { &[] }
}

impl Scanned {
    /// Scans an item; `None` if it is no JSON, or edits could not preserve it.
    fn of(bytes: &[u8], level: Level) -> Option<Self> {
        let tape = Tape::parse(bytes).ok()?;
        let value = tape.root();
        let content = value.given("content").filter(|_| level == Level::Messages);
        let values: Vec<Value<'_>> = match level {
            Level::Tools | Level::System => vec![value],
            Level::Messages => content.into_iter().flat_map(Value::items).collect(),
        };
        let is_scoped = value.text_of("clear_at").as_deref() == Some("next_user_message");
        let blocks = values.iter().map(|it| block(*it));
        let mut blocks: Vec<Block> = blocks.collect::<Option<_>>()?;
        for block in &mut blocks {
            block.takes_marker &= !is_scoped;
        }
        let role = value.text_of("role").unwrap_or_default();
        let role = Role::from(role.into_owned());
        let text = content.filter(|it| it.kind() == Kind::String);
        let steps = values.iter().zip(&blocks).map(|it| step(*it.0, it.1));
        // A string stands for a list of one text, and counts like that.
        let of_text = text.map(|it| StepBlock {
            kind: StepKind::of_text(&it.text().unwrap_or_default()),
            range: it.range().start..it.range().end + TEXT_BYTES,
            is_stable: true,
            is_markable: !it.is_blank(),
        });
        let steps = steps.chain(of_text).collect();
        Some(Self {
            len: bytes.len(),
            blocks,
            is_text: text.is_some(),
            is_system: role == Role::System,
            is_scoped,
            keys: key_count(tape.text()),
            shape: MessageShape::new(role, steps),
        })
    }
}

/// Returns what counts of a block for turns: its markers do not.
fn step(value: Value<'_>, block: &Block) -> StepBlock {
    let markers: usize = block.members().map(|it| it.range.len()).sum();
    StepBlock {
        kind: match &*value.tag() {
            "tool_use" => StepKind::Call,
            "tool_result" => StepKind::Result,
            "text" => StepKind::of_text(&value.text_of("text").unwrap_or_default()),
            _ => StepKind::Other,
        },
        range: value.range().start..value.range().end - markers,
        is_stable: true,
        is_markable: block.takes_marker,
    }
}

impl Block {
    /// Iterates over the block's marker and those inside it.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &MarkerSpan> {
        self.members().filter(|it| !it.is_null)
    }

    fn members(&self) -> impl Iterator<Item = &MarkerSpan> {
        let inner = self.inner.iter().map(|(_, it)| it);
        self.marker.iter().chain(inner)
    }
}

/// Reads a block with its marker and those in its content; `None` if edits
/// could not preserve it.
fn block(value: Value<'_>) -> Option<Block> {
    if value.kind() != Kind::Object {
        return None;
    }
    let kind = value.tag();
    let is_empty = value.get("text").is_some_and(Value::is_blank);
    let is_deferred = value.get("defer_loading").is_some_and(Value::is_true);
    // Results hold no results, so this is the last level.
    let content = value.get("content").filter(|_| kind == "tool_result");
    let elements = content.into_iter().flat_map(Value::items).enumerate();
    let inner = elements.map(|(index, it)| Some((index, marker(it)?)));
    let inner: Vec<_> = inner.collect::<Option<_>>()?;
    let inner = { inner.into_iter() }.filter_map(|(index, it)| Some((index, it?)));
    Some(Block {
        end: value.range().end,
        takes_marker: !is_empty && !is_deferred && ContentBlock::kind_takes_marker(&kind),
        is_hollow: is_empty || is_deferred,
        marker: marker(value)?,
        inner: inner.collect(),
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
