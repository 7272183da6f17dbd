//! Thinking that is bound to the prefix under which it was produced.
//!
//! Source: Anthropic's documentation on thinking blocks, and OpenAI's on
//! reasoning items. The model catalogue knows which models bind their thinking.

mod pattern;

use std::collections::HashSet;
use std::slice;

use aside_models::{ModelFacts, Vendor, Wire};
use serde::Serialize;

use crate::chain::summary;
use crate::difference::{Difference, first_difference};
use crate::parameters;
use crate::values::value_at;
use aside_body::body::{Block, BlockKind, Body, Placed, Role};
use aside_body::path::Level;
use aside_json::scan as json;
use pattern::Pattern;

/// Thinking that a request has after a prefix that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ThinkingLoss {
    /// How the API reacts.
    pub outcome: ThinkingOutcome,
    /// How many blocks are lost: the first and every later one.
    pub blocks: usize,
    /// The first block that is lost.
    pub first: String,
    /// What changed in the prefix.
    pub difference: Option<Difference>,
}

impl ThinkingLoss {
    /// Removes all text from the bodies.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        self.difference = self.difference.map(Difference::without_text);
        self
    }
}

/// How the API reacts to thinking whose prefix changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThinkingOutcome {
    /// It refuses the request with status 400, "bound to a different
    /// conversation". Accounts without this check accept it.
    Refused,
    /// It drops the blocks: `prefix_mismatch_behavior` is `drop_block`, or the
    /// API never refuses (OpenAI).
    Dropped,
}

/// OpenAI's first model generation that drops reasoning when the prefix
/// changes.
const DROPS_REASONING: (u16, u16) = (6, 2);

/// Finds thinking that a request loses because its prefix is not the one in the
/// request that it continues; `None` if there is none, or the model does not
/// bind its thinking.
///
/// Thinking is bound to tools, system prompt and every message before the
/// block, but not to parameters and markers. OpenAI's is bound to `text.format` in place of
/// `instructions`.
#[must_use]
pub fn thinking_lost(before: &Body, after: &Body) -> Option<ThinkingLoss> {
    let facts = aside_models::find(after.model()?).facts;
    let drops = facts.vendor == Vendor::OpenAi && facts.generation >= DROPS_REASONING;
    if facts.bound_to_prefix != Some(true) && !drops {
        return None;
    }
    if before.model() != after.model() {
        return None;
    }
    let from = changed_from(before, after, facts)?;
    let messages = after.section(Level::Messages);
    // Messages after the earlier request's response were produced under the new
    // prefix.
    let answered = before.message_count();
    let is_lost = |(at, _): &(Place, &Block)| *at >= from && at.0 <= answered;
    let lost: Vec<_> = thinking(messages).filter(is_lost).collect();
    let ((index, _), first) = lost.first()?;
    let outcome = if drops || drops_blocks(after) {
        ThinkingOutcome::Dropped
    } else {
        ThinkingOutcome::Refused
    };
    Some(ThinkingLoss {
        outcome,
        blocks: lost.len(),
        first: after.block_path(Level::Messages, *index, first).to_string(),
        difference: first_difference(before, after).filter(|it| it.level.is_some()),
    })
}

/// A block's place: the index of its message, and its index in that.
type Place = (usize, usize);

/// Returns the first block before which something that binds has changed;
/// `None` if all thinking is still valid. If tools or system prompt differ,
/// this is the first one. Deferred tools are not compared.
///
/// What stands before a summary by the API binds nothing. If the summary is new, the messages after
/// it have to be those that were at the end.
fn changed_from(before: &Body, after: &Body, facts: &ModelFacts) -> Option<Place> {
    if context(before, facts) != context(after, facts) {
        return Some((0, 0));
    }
    let (a, b) = (before.section(Level::Messages), after.section(Level::Messages));
    let (old, new) = (summary(a), summary(b));
    let Some((from, _, block)) = new else {
        return difference(a, b);
    };
    match old {
        Some((old, _, known)) if known.hash == block.hash => {
            difference(&a[old..], &b[from..]).map(|it| (from + it.0, it.1))
        }
        _ => {
            // Thinking right after an edited summary was produced under another one.
            let known = Known::of(thinking(a).map(|it| it.1));
            let again =
                |(at, block): (Place, &Block)| known.has(block).then_some((from + at.0, at.1));
            let edited = thinking(&b[from..=from]).find_map(again);
            let kept = &b[from + 1..];
            if ends(a, kept).into_iter().any(|at| difference(&a[at..], kept).is_none()) {
                edited
            } else {
                edited.or_else(|| thinking(&b[from..]).find_map(again))
            }
        }
    }
}

/// Returns what binds before the messages: the hashes of tools and system prompt. Models of OpenAI
/// do not bind `instructions`, but the answer's format.
fn context(request: &Body, facts: &ModelFacts) -> (Vec<u64>, Vec<u8>) {
    let levels: &[Level] = match request.wire() {
        Wire::Messages => &[Level::Tools, Level::System],
        _ => &[Level::Tools],
    };
    let items = levels.iter().flat_map(|level| request.section(*level));
    let blocks = items.flat_map(|it| &it.item.blocks);
    let hashes = blocks.filter(|it| !it.is_deferred).map(|it| it.hash);
    (hashes.collect(), parameters::value(request, "text.format", facts))
}

/// Returns the places from which on the earlier messages can be the first of `kept`. The last one
/// can have more blocks there.
fn ends(a: &[Placed], kept: &[Placed]) -> Vec<usize> {
    let [known, kept] = [a, kept].map(|it| it.iter().map(rest).collect::<Vec<_>>());
    let whole = known.len().saturating_sub(1);
    let lengths = Pattern::new(&kept).at_end_of(&known[..whole]);
    lengths.into_iter().map(|length| whole - length).collect()
}

/// Returns a message without its thinking.
fn rest(placed: &Placed) -> (u64, Vec<u64>) {
    let blocks = placed.item.blocks.iter();
    let rest = blocks.filter(|it| it.kind != BlockKind::Thinking);
    (placed.item.frame, rest.map(|it| it.bound).collect())
}

/// Returns the first block before which the messages differ, apart from thinking that is left out.
fn difference(a: &[Placed], b: &[Placed]) -> Option<Place> {
    // A paused answer goes on in its own message.
    let continues = |index: usize, before: &[u64], after: &[u64]| {
        index + 1 == a.len() && a[index].item.role == Role::Assistant && after.starts_with(before)
    };
    let pairs = a.iter().zip(b).enumerate().position(|(index, (a, b))| {
        let ((frame, a), (other, b)) = (rest(a), rest(b));
        frame != other || (a != b && !continues(index, &a, &b))
    });
    if let Some(index) = pairs {
        return Some((index, changed_block(&a[index], &b[index])));
    }
    if b.len() < a.len() {
        return Some((b.len(), 0));
    }
    // Thinking may go from the oldest on, from the newest back, or all of it.
    let new: Vec<_> = thinking(&b[..a.len()]).collect();
    if new.is_empty() {
        return None;
    }
    let known = Known::of(thinking(a).map(|it| it.1));
    // The other blocks are equal, so a block has its place if as many of them stand before it.
    let keys = |messages: &[Placed]| {
        let mut keys = Vec::new();
        for (index, placed) in messages.iter().enumerate() {
            let mut others = 0;
            for block in &placed.item.blocks {
                if block.kind == BlockKind::Thinking {
                    keys.push(((index, others), known.key(block)));
                } else {
                    others += 1;
                }
            }
        }
        keys
    };
    let (old, kept) = (keys(a), keys(&b[..a.len()]));
    if !Pattern::new(&kept).is_in(&old) {
        let first = old.iter().zip(&kept).position(|(a, b)| a != b);
        return first.and_then(|it| new.get(it)).map(|it| it.0);
    }
    // The next answer was produced after all of it: none before that one may be missing.
    let is_answered = b.get(a.len()).is_some_and(|it| thinking(slice::from_ref(it)).count() > 0);
    (is_answered && !old.ends_with(&kept)).then_some((a.len(), 0))
}

/// Returns the first block of a message before which something changed in it: thinking that stands
/// before the change is still valid.
fn changed_block(before: &Placed, after: &Placed) -> usize {
    let (old, new) = (&before.item.blocks, &after.item.blocks);
    if before.item.frame != after.item.frame {
        return 0;
    }
    let rest = |blocks: &[Block]| -> Vec<(usize, u64)> {
        let blocks = blocks.iter().enumerate().filter(|it| it.1.kind != BlockKind::Thinking);
        blocks.map(|(index, it)| (index, it.bound)).collect()
    };
    let (a, b) = (rest(old), rest(new));
    let common = a.iter().zip(&b).take_while(|(a, b)| a.1 == b.1).count();
    let known = Known::of(&old[..a.get(common).map_or(old.len(), |it| it.0)]);
    let until = b.get(common).map_or(new.len(), |it| it.0);
    let is_late = |it: &Block| it.kind == BlockKind::Thinking && !known.has(it);
    new[..until].iter().position(is_late).unwrap_or(until)
}

/// Blocks that the API knows from an earlier request.
///
/// It takes a thinking block for an earlier one if only a text was put into one whose text was
/// omitted: the signature identifies those.
struct Known {
    omitted: HashSet<u64>,
    keys: HashSet<u64>,
}

impl Known {
    fn of<'a>(blocks: impl IntoIterator<Item = &'a Block> + Clone) -> Self {
        let empty = blocks.clone().into_iter().filter(|it| it.is_empty);
        let omitted = empty.filter_map(|it| it.signature).collect();
        let mut known = Self { omitted, keys: HashSet::new() };
        known.keys = blocks.into_iter().map(|it| known.key(it)).collect();
        known
    }

    /// Returns what identifies a block.
    fn key(&self, block: &Block) -> u64 {
        block.signature.filter(|it| self.omitted.contains(it)).unwrap_or(block.hash)
    }

    fn has(&self, block: &Block) -> bool {
        self.keys.contains(&self.key(block))
    }
}

/// Returns the thinking blocks, with their places.
fn thinking(messages: &[Placed]) -> impl Iterator<Item = (Place, &Block)> + Clone {
    messages.iter().enumerate().flat_map(|(index, placed)| {
        let blocks = placed.item.blocks.iter().enumerate();
        let thinking = blocks.filter(|it| it.1.kind == BlockKind::Thinking);
        thinking.map(move |(block, it)| ((index, block), it))
    })
}

/// Returns true if the request asks the API to drop thinking after a change,
/// instead of refusing it.
fn drops_blocks(request: &Body) -> bool {
    if request.wire() != Wire::Messages {
        return false;
    }
    let value = value_at(request, "thinking.block_binding.prefix_mismatch_behavior");
    value.and_then(|it| json::raw_string(request.as_bytes(), &it)) == Some(b"drop_block")
}
