//! What two conversations have from the first block on that differs.
//!
//! Each wire has its own items: a reminder after a tool result is a block in the same message on
//! Messages and Gemini, and a message on Responses and Chat Completions. So rules about blocks read
//! these lists, to find the same cause on every wire.

use aside_body::body::{Block, BlockKind, Body, Placed, Role};
use aside_body::path::Level;
use aside_json::scan::{self as json, Kind};

use super::text;

/// A block, with the item and the request that have it.
#[derive(Clone, Copy)]
struct Located<'a> {
    request: &'a Body,
    placed: &'a Placed,
    block: &'a Block,
}

impl Located<'_> {
    fn is_same(self, other: Self) -> bool {
        let key = |it: Self| (it.placed.item.frame, it.block.hash);
        key(self) == key(other)
    }

    fn is_from_model(self) -> bool {
        self.placed.item.is_from_model()
    }

    /// Returns true for a text block that contains reminders and nothing else. A tool's result is
    /// the tool's text, whatever is in it.
    fn is_reminder(self) -> bool {
        let item = &self.placed.item;
        if item.has_tool_results && item.role == Role::Other {
            return false;
        }
        let text = block_text(self.request, self.placed, self.block);
        let rest = text.and_then(|it| text::without_reminders(&it));
        rest.is_some_and(|it| it.trim().is_empty())
    }
}

/// Returns a text block's text, or content that is a string.
pub(super) fn block_text(request: &Body, placed: &Placed, block: &Block) -> Option<String> {
    if block.kind != BlockKind::Text {
        return None;
    }
    let bytes = request.as_bytes();
    let span = placed.at(&block.span);
    let value = match json::kind(bytes, span.start) {
        Kind::String => span,
        _ => json::get(bytes, span.start, "text")?,
    };
    json::string(bytes, &value)
}

/// The blocks of two conversations, without those that both begin with.
pub(super) struct Rest<'a> {
    before: Vec<Located<'a>>,
    after: Vec<Located<'a>>,
}

impl<'a> Rest<'a> {
    /// `item` is the first message that differs.
    pub(super) fn new(before: &'a Body, after: &'a Body, item: usize) -> Self {
        let blocks = |request: &'a Body| -> Vec<Located<'a>> {
            let items = request.section(Level::Messages).iter().skip(item);
            let blocks = items.flat_map(|placed| {
                placed.item.blocks.iter().map(move |block| Located { request, placed, block })
            });
            blocks.collect()
        };
        let (mut before, mut after) = (blocks(before), blocks(after));
        let same = before.iter().zip(&after).take_while(|(a, b)| a.is_same(**b)).count();
        before.drain(..same);
        after.drain(..same);
        Self { before, after }
    }

    /// Returns true if the earlier conversation is the later one with more thinking here.
    pub(super) fn is_thinking_dropped(&self) -> bool {
        let counts = self.apart_from(|it| it.block.kind == BlockKind::Thinking);
        counts.is_some_and(|[before, after]| before > after)
    }

    /// Returns true if the conversations differ here by reminders. One with another text is edited,
    /// unless it is elsewhere in the other conversation.
    pub(super) fn is_reminder_moved(&self) -> bool {
        self.apart_from(Located::is_reminder).is_some_and(|[before, after]| {
            let is_elsewhere = |run: &[Located<'_>], rest: &[Located<'_>]| {
                run.iter().enumerate().any(|(index, it)| {
                    let stays = rest.get(index).is_some_and(|other| it.is_same(*other));
                    !stays && rest.iter().any(|other| it.is_same(*other))
                })
            };
            before != after
                || is_elsewhere(&self.before[..before], &self.after)
                || is_elsewhere(&self.after[..after], &self.before)
        })
    }

    /// Returns true if the conversations differ here by images, or by one in a tool's result.
    pub(super) fn is_image_changed(&self) -> bool {
        let both = self.both();
        let is_edited = both.is_none_or(|(a, b)| a.hash != b.hash);
        let results = both.filter(|(a, b)| a.kind == b.kind);
        let is_nested = results.is_some_and(|(a, b)| {
            let pairs = a.nested.iter().zip(&b.nested);
            let same = pairs.take_while(|(a, b)| a.hash == b.hash).count();
            let differing = [a, b].map(|it| it.nested.get(same));
            differing.into_iter().flatten().any(|it| it.has_image)
        });
        // A screenshot is all of its result (Responses).
        let is_shot = |it: &Block| !is_image(it) && it.has_image && it.nested.is_empty();
        let are_shots = results.is_some_and(|(a, b)| is_edited && is_shot(a) && is_shot(b));
        let are_images = both.is_some_and(|(a, b)| is_image(a) && is_image(b));
        let is_apart = || self.apart_from(|it| is_image(it.block)).is_some();
        is_nested || are_shots || is_edited && (are_images || is_apart())
    }

    /// Returns true if one conversation has an image here, and the other has something else.
    pub(super) fn is_image_replaced(&self) -> bool {
        self.both().is_some_and(|(a, b)| is_image(a) != is_image(b))
    }

    /// Returns the first blocks that differ, if both conversations have one.
    fn both(&self) -> Option<(&'a Block, &'a Block)> {
        let (before, after) = (self.before.first()?, self.after.first()?);
        Some((before.block, after.block))
    }

    /// Counts the blocks of a kind that each conversation has here. `None` if neither has one, or
    /// if they differ by more in this turn: in what follows these blocks.
    fn apart_from(&self, is_kind: impl Fn(Located<'a>) -> bool) -> Option<[usize; 2]> {
        let count = |blocks: &[Located<'a>]| blocks.iter().take_while(|it| is_kind(**it)).count();
        let (before, after) = (count(&self.before), count(&self.after));
        let first = self.before[..before].first().or(self.after[..after].first())?;
        let next = [self.before.get(before), self.after.get(after)];
        let is_end = |it: &Option<&Located<'a>>| {
            it.is_none_or(|it| it.is_from_model() != first.is_from_model())
        };
        let is_same = matches!(next, [Some(a), Some(b)] if a.is_same(*b));
        (is_same || next.iter().all(is_end)).then_some([before, after])
    }
}

fn is_image(block: &Block) -> bool {
    block.kind == BlockKind::Image
}
