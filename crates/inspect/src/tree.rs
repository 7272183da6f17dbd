//! Builds the tree of parts from a body's JSON.
//!
//! The tree is built from top to bottom: the body's members, the items in its
//! lists, their blocks, the texts in these. At each level, bytes that no child
//! covers become a child with the kind `Json`, so that bytes add up without an
//! exception.

mod sums;

use std::borrow::Cow;
use std::ops::Range;

use aside_cache_model::Body;
use aside_json::scan::Member;
use aside_json::{Tape, unescape};
use aside_messages::encode::SourceSpan;
use aside_messages::{Layer, Source, Tokenizer};
use aside_models::find;

use crate::block::{self, Leaf};
use crate::part::{CacheState, PartKind, PartLayer, RequestPart};
use crate::pieces::{self, Piece};
use crate::sources::BodySources;
use crate::states::{ItemSlots, Slot, Slots};

use sums::Estimator;

/// Builds the tree. Tokens come from the blocks; costs are not filled in.
///
/// In an item that is broken JSON, blocks have no parts. With `only`, items after the system prompt
/// that do not have this byte have neither parts nor tokens.
pub(crate) fn build(
    request: &Body,
    slots: &Slots,
    sources: Option<&BodySources>,
    only: Option<usize>,
) -> RequestPart {
    let bytes = request.as_bytes();
    let model = find(request.model().unwrap_or_default());
    let builder = Builder { bytes, slots, sources, family: model.facts.estimated_tokenizer() };
    let mut is_start = true;
    let part_of = |member: &Member| {
        let key = unescape(member.key(bytes));
        let items = slots.items_in(&member.value);
        if items.is_empty() {
            return parameter(key, member.span());
        }
        let kind = match key.as_str() {
            "tools" => PartKind::Tools,
            "messages" | "input" | "contents" => PartKind::Messages,
            _ => PartKind::System,
        };
        let children = items.iter().map(|item| {
            if !is_start && only.is_some_and(|byte| !item.range.contains(&byte)) {
                let (name, path) = (String::new(), String::new());
                return RequestPart::new(PartKind::Other, name, path, item.range.clone());
            }
            builder.item(item, kind, &mut is_start)
        });
        let children = children.collect();
        let mut part = RequestPart::new(kind, key.clone(), key, member.span());
        part.children = children;
        part.finish(CacheState::NotShown, PartLayer::Json);
        part
    };
    let children = request.members().iter().map(part_of).collect();
    let name = "request".to_owned();
    let mut body = RequestPart::new(PartKind::Body, name, String::new(), 0..bytes.len());
    body.children = children;
    body.finish(CacheState::NotShown, PartLayer::Json);
    body
}

/// Returns a body member that is not in the prompt.
fn parameter(key: String, range: Range<usize>) -> RequestPart {
    let kind = match key.as_str() {
        "cache_control" => PartKind::Marker,
        _ => PartKind::Parameter,
    };
    let mut part = RequestPart::new(kind, key.clone(), key, range);
    part.state = CacheState::NotShown;
    part.layer = Some(PartLayer::Parameters);
    part
}

struct Builder<'a> {
    bytes: &'a [u8],
    slots: &'a Slots,
    sources: Option<&'a BodySources>,
    /// The model's tokenizer.
    family: Tokenizer,
}

/// What a block's parts have in common.
#[derive(Clone, Copy)]
struct Common<'t> {
    state: CacheState,
    layer: PartLayer,
    /// The item's JSON around the block, and where it is in the body.
    tape: Option<&'t Tape<'t>>,
    start: usize,
    /// Whether its texts may contain reminders.
    has_reminders: bool,
}

impl Builder<'_> {
    fn estimator(&self) -> Estimator<'_> {
        Estimator { bytes: self.bytes, family: self.family }
    }

    /// Returns a tool, a system prompt part, or a message. `is_start` is true
    /// until the first message that is not a system message.
    fn item(&self, item: &ItemSlots, list: PartKind, is_start: &mut bool) -> RequestPart {
        let slots = &self.slots.slots[item.slots.clone()];
        let tape = Tape::parse(&self.bytes[item.range.clone()]).ok();
        let value = tape.as_ref().map(Tape::root);
        let role = value.and_then(|it| it.text_of("role"));
        if list == PartKind::Messages {
            let is_system = matches!(role.as_deref(), Some("system" | "developer"));
            *is_start &= is_system;
        }
        let layer = match list {
            PartKind::Tools => PartLayer::Tools,
            PartKind::System => PartLayer::System,
            _ if *is_start => PartLayer::System,
            _ => PartLayer::Conversation,
        };
        let is_answer = matches!(role.as_deref(), Some("assistant" | "model"));
        let common = Common {
            state: CacheState::Plain,
            layer,
            start: item.range.start,
            tape: tape.as_ref(),
            // A system prompt may explain reminders, which is not a reminder.
            has_reminders: layer == PartLayer::Conversation && !is_answer,
        };
        if let [slot] = slots
            && slot.block.range == item.range
        {
            return self.slot(slot, common, list, role.as_deref());
        }
        let path = slots[0].path.as_str();
        let end = path.rfind('.').unwrap_or(path.len());
        let path = path[..end].to_owned();
        let blocks = slots.iter();
        let blocks =
            blocks.map(|slot| self.slot(slot, common, PartKind::Messages, role.as_deref()));
        let mut children: Vec<RequestPart> = blocks.collect();
        let state = slots[0].state;
        if let Some(value) = value {
            if let (Some(id), [only]) = (value.get("tool_call_id"), &mut children[..]) {
                only.call_id = id.text().map(Cow::into_owned);
            }
            let frame = block::frame(value, &path);
            if !frame.is_empty() {
                self.add_frame(&mut children, frame, &path, &slots[0], Common { state, ..common });
            }
        }
        let name = role.as_deref().unwrap_or("message").to_owned();
        let mut part = RequestPart::new(PartKind::Message, name, path, item.range.clone());
        part.children = children;
        part.finish(state, layer);
        part
    }

    /// Adds a message's members other than its content. Their tokens are counted with the first
    /// block.
    fn add_frame(
        &self,
        children: &mut Vec<RequestPart>,
        frame: Vec<Leaf>,
        path: &str,
        slot: &Slot,
        common: Common<'_>,
    ) {
        let mut first = RequestPart::new(PartKind::Other, String::new(), path.to_owned(), 0..0);
        first.children.push(children.remove(0));
        let leaves = frame.into_iter();
        let leaves = leaves.map(|leaf| self.leaf(leaf, common, PartLayer::Conversation));
        first.children.extend(leaves);
        first.share(slot.tokens, common.state, self.estimator());
        children.extend(first.children);
        children.sort_by_key(|it| it.range.start);
    }

    fn slot(
        &self,
        slot: &Slot,
        common: Common<'_>,
        list: PartKind,
        role: Option<&str>,
    ) -> RequestPart {
        let state = slot.state;
        let common = Common { state, ..common };
        let layer = self.layer(&slot.block.range, common.layer);
        let range = &slot.block.range;
        let range = range.start - common.start..range.end - common.start;
        let path = slot.path.as_str();
        let leaf = match common.tape.and_then(|it| it.value_at(range.start)) {
            Some(value) => block::of(value, path, list, role),
            None => Leaf::new(PartKind::Other, range, path.to_owned()),
        };
        let mut part = self.leaf(leaf, common, layer);
        part.share(slot.tokens, state, self.estimator());
        part
    }

    /// Turns a block's outline into parts, and splits its texts.
    fn leaf(&self, leaf: Leaf, common: Common<'_>, layer: PartLayer) -> RequestPart {
        let range = leaf.range.start + common.start..leaf.range.end + common.start;
        let mut part = RequestPart::new(leaf.kind, leaf.name, leaf.path, range);
        part.state = common.state;
        part.layer = Some(layer);
        part.call_id = leaf.call_id;
        part.detail = leaf.detail;
        self.attribute(&mut part, None);
        if leaf.is_text {
            self.split_text(&mut part, common, layer);
        } else {
            let children = leaf.children.into_iter();
            part.children = children.map(|it| self.leaf(it, common, layer)).collect();
            part.lift_pieces();
            part.adopt_layer();
        }
        part.finish(common.state, layer);
        part
    }

    /// Splits a text by its sources, its reminders and its instruction files.
    fn split_text(&self, part: &mut RequestPart, common: Common<'_>, layer: PartLayer) {
        let whole =
            Piece { range: part.range.clone(), kind: part.kind, name: String::new(), layer: None };
        let is_system = layer == PartLayer::System && self.sources.is_none();
        let mut pieces = match part.kind {
            PartKind::Text if common.has_reminders => {
                pieces::split(self.bytes, &part.range, self.sources)
            }
            PartKind::Text if is_system => pieces::split_system(self.bytes, &part.range),
            _ => Vec::new(),
        };
        if pieces.is_empty() {
            pieces.push(whole);
        }
        let mut children = Vec::new();
        for piece in pieces {
            for range in self.cut(&piece.range) {
                let name = match piece.name.as_str() {
                    "" => part.name.clone(),
                    name => name.to_owned(),
                };
                let mut child = RequestPart::new(piece.kind, name, part.path.clone(), range);
                child.state = common.state;
                // Known sources also have the layer.
                let guess = piece.layer.filter(|_| self.sources.is_none());
                child.layer = Some(guess.unwrap_or(layer));
                self.attribute(&mut child, Some(&piece));
                children.push(child);
            }
        }
        match <[RequestPart; 1]>::try_from(children) {
            Ok([only]) => {
                let children = std::mem::take(&mut part.children);
                *part = RequestPart { children, ..only };
            }
            Err(children) => part.children = children,
        }
    }

    /// Cuts a range where sources change.
    fn cut(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut cuts: Vec<Range<usize>> = Vec::new();
        let Some(sources) = self.sources else {
            return vec![range.clone()];
        };
        let mut at = range.start;
        let mut last: Option<Source> = None;
        for span in sources.spans(range).filter(|it| !is_separator(it)) {
            if last.as_ref() != Some(&span.source) && span.range.start > at {
                cuts.push(at..span.range.start);
                at = span.range.start;
            }
            last = Some(span.source);
        }
        cuts.push(at..range.end);
        cuts.retain(|it| !it.is_empty());
        cuts
    }

    /// Sets a part's source, if its bytes have one.
    fn attribute(&self, part: &mut RequestPart, piece: Option<&Piece>) {
        let Some(sources) = self.sources else {
            return;
        };
        let mut spans = sources.spans(&part.range).filter(|it| !is_separator(it));
        let Some(first) = spans.next() else {
            return;
        };
        if spans.any(|it| it.source != first.source) {
            return;
        }
        part.origin = sources.origin(&first.source);
        if part.kind == PartKind::File
            && let Some(why) = sources.file(&part.name)
        {
            part.origin = Some(why);
        }
        if let (Source::Section { name }, PartKind::Text) = (&first.source, part.kind) {
            part.kind = PartKind::Section;
            part.name = name.to_string();
        }
        if let (Source::Reminder { id }, Some(_)) = (&first.source, piece) {
            part.kind = PartKind::Reminder;
            part.name = id.to_string();
        }
        part.source = Some(first.source);
    }

    /// Returns a range's layer: its source's, or `default`.
    fn layer(&self, range: &Range<usize>, default: PartLayer) -> PartLayer {
        if default == PartLayer::Tools {
            return default;
        }
        let span = self.sources.and_then(|it| it.spans(range).next());
        match span.map(|it| it.layer) {
            Some(Layer::Static) => PartLayer::Static,
            // Like the headers by which files are found in a body without sources: whose file it
            // is does not count.
            Some(Layer::Project | Layer::User) => PartLayer::Project,
            Some(Layer::Session) => PartLayer::Session,
            Some(_) => PartLayer::Conversation,
            None => default,
        }
    }
}

/// Returns true for the few bytes that join two sections.
fn is_separator(span: &SourceSpan) -> bool {
    const MAX_SEPARATOR_BYTES: usize = 8;
    span.source == Source::Envelope && span.range.len() <= MAX_SEPARATOR_BYTES
}
