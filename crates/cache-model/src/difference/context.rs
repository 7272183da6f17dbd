//! Finds why requests differ, from what is around the difference.
//!
//! Rules for the whole level come first: another set or order of tools, dropped
//! thinking, a split block, a moved reminder, a compacted conversation. If none
//! fits, the two values decide.

use std::collections::HashSet;

use aside_body::body::{Body, Placed};
use aside_body::path::Level;
use aside_json::scan::{self as json, Kind};
use aside_json::{exact_text, numbers_are_equal};

use super::cause::Cause;
use super::compare::{Change, Found, Pair, Shape};
use super::rest::{Rest, block_text};
use super::text;
use super::{is_json, json_is_equal};
use crate::parent::begins_with;

/// Two requests, and the item that differs.
pub(crate) struct Context<'a> {
    pub(crate) before: &'a Body,
    pub(crate) after: &'a Body,
    /// The level that differs first.
    pub(crate) level: Level,
    /// The item's index in its list; only one request may have it.
    pub(crate) item: usize,
}

impl Context<'_> {
    /// Finds the cause. A difference inside a tool is an edited definition,
    /// unless a more special cause fits, such as key order or a date.
    pub(crate) fn cause(&self, found: &Found) -> Cause {
        if self.level == Level::Tools
            && let Some(cause) = self.tools()
        {
            return cause;
        }
        if self.level == Level::Messages
            && let Some(cause) = self.messages(found)
        {
            return cause;
        }
        if self.level == Level::System && self.is_split(self.before.system(), self.after.system()) {
            return Cause::BlockSplitOrJoined;
        }
        let is_whole = found.path.is_empty();
        if self.level == Level::Tools
            && is_whole
            && matches!(found.change, Change::Added | Change::Removed)
        {
            return Cause::ToolAddedOrRemoved;
        }
        let pair = Pair { before: self.before.as_bytes(), after: self.after.as_bytes() };
        let cause = value(pair, found);
        match (self.level, cause) {
            (Level::Tools, Cause::TextEdited | Cause::TextTrimmed) => Cause::ToolDefinitionEdited,
            _ => cause,
        }
    }

    /// Compares tools by their names. `None` if names and order are the same,
    /// so that a tool's definition differs.
    fn tools(&self) -> Option<Cause> {
        let names = |request: &Body| -> Vec<Option<u64>> {
            let tools = request.section(Level::Tools).iter();
            let tools = tools.filter(|it| !it.item.is_deferred_tool());
            tools.flat_map(|it| tool_names(request, it)).collect()
        };
        let (mut before, mut after) = (names(self.before), names(self.after));
        if before == after {
            return None;
        }
        before.sort_unstable();
        after.sort_unstable();
        Some(if before == after { Cause::ToolOrder } else { Cause::ToolAddedOrRemoved })
    }

    /// Returns the cause when it concerns a whole message or the conversation.
    fn messages(&self, found: &Found) -> Option<Cause> {
        let (a, b) = (self.before.section(Level::Messages), self.after.section(Level::Messages));
        let both = a.get(self.item).zip(b.get(self.item));
        let rest = Rest::new(self.before, self.after, self.item);
        if rest.is_thinking_dropped() {
            return Some(Cause::ThinkingDropped);
        }
        if both.is_some_and(|(one, other)| self.is_split([one], [other])) {
            return Some(Cause::BlockSplitOrJoined);
        }
        if rest.is_reminder_moved() {
            return Some(Cause::ReminderMovedOrRemoved);
        }
        if rest.is_image_changed() && !self.is_equal(found) {
            return Some(Cause::ImageChanged);
        }
        if self.is_compacted() {
            return Some(Cause::Compaction);
        }
        rest.is_image_replaced().then_some(Cause::ImageChanged)
    }

    /// Returns true if turns are missing and do not occur later. A client that goes back to an
    /// earlier message can add to it.
    fn is_compacted(&self) -> bool {
        let (a, b) = (self.before.section(Level::Messages), self.after.section(Level::Messages));
        let both = a.get(self.item).zip(b.get(self.item));
        let is_begun = both.is_some_and(|(one, other)| begins_with(other, one));
        let [old, new] = [self.before, self.after].map(|it| turns(it.conversation()).count());
        if new >= old || is_begun {
            return false;
        }
        let kept: HashSet<u64> = b.iter().map(|it| it.item.hash).collect();
        let is_lost = |turn: &&[Placed]| turn.iter().any(|it| !kept.contains(&it.item.hash));
        turns(a.get(self.item..).unwrap_or_default()).filter(is_lost).count() >= 2
    }

    /// Returns true if both values are the same JSON.
    fn is_equal(&self, found: &Found) -> bool {
        let (a, b) = (self.before.as_bytes(), self.after.as_bytes());
        json_is_equal(&a[found.before.clone()], &b[found.after.clone()])
    }

    /// Returns true if both have the same text in more or fewer blocks. White space is ignored. What
    /// has a block that is not text is never split.
    fn is_split<'a>(
        &self,
        one: impl IntoIterator<Item = &'a Placed>,
        other: impl IntoIterator<Item = &'a Placed>,
    ) -> bool {
        let (one, other) = (Vec::from_iter(one), Vec::from_iter(other));
        let count = |items: &[&Placed]| items.iter().map(|it| it.item.blocks.len()).sum::<usize>();
        if count(&one) == count(&other) {
            return false;
        }
        let text = |request: &Body, items: &[&Placed]| -> Option<String> {
            let blocks = items.iter().flat_map(|it| it.item.blocks.iter().map(move |b| (it, b)));
            let texts: Option<Vec<String>> =
                blocks.map(|(placed, it)| block_text(request, placed, it)).collect();
            let joined = texts?.concat();
            Some(joined.split_whitespace().collect())
        };
        let both = (text(self.before, &one), text(self.after, &other));
        matches!(both, (Some(a), Some(b)) if a == b)
    }
}

/// Iterates over the turns of a conversation: what the model wrote, and what it got. The messages,
/// calls and results in a turn are as many items as the wire wants.
fn turns(items: &[Placed]) -> impl Iterator<Item = &[Placed]> {
    items.chunk_by(|one, other| one.item.is_from_model() == other.item.is_from_model())
}

/// Hashes a tool's names, of which a Gemini item declares several, or the type
/// that a server tool has instead.
fn tool_names(request: &Body, tool: &Placed) -> Vec<Option<u64>> {
    let names = tool.item.blocks.iter().flat_map(|it| &it.names);
    let names: Vec<_> = names.copied().map(Some).collect();
    if !names.is_empty() {
        return names;
    }
    let bytes = request.as_bytes();
    let kind = json::get(bytes, tool.start, "type");
    vec![kind.map(|it| aside_body::hash::of_bytes(&bytes[it]))]
}

/// Finds the cause from the two values alone.
///
/// ```text
/// kind of change                    cause
/// keys in another order             KeyOrder
/// string and list with this text    StringAgainstArray
/// number                            NumberFormat if equal, else by its digits
/// string                            StringEscapes if equal, else by its words
/// string that is JSON               by the values in it
/// anything else                     TextEdited
/// ```
fn value(pair: Pair<'_>, found: &Found) -> Cause {
    let a = &pair.before[found.before.clone()];
    let b = &pair.after[found.after.clone()];
    let strings = || {
        let a = json::string(pair.before, &found.before)?;
        let b = json::string(pair.after, &found.after)?;
        Some((a, b))
    };
    match found.change {
        Change::KeyOrder => Cause::KeyOrder,
        Change::Kind if is_only_text(a, b) || is_only_text(b, a) => Cause::StringAgainstArray,
        Change::Scalar if are_equal_numbers(a, b) => Cause::NumberFormat,
        Change::Text => match strings() {
            Some((a, b)) if a == b => {
                // What differs may be half a surrogate pair, which `a` and `b` do not have.
                let raw = [(pair.before, &found.before), (pair.after, &found.after)];
                let [a, b] = raw.map(|(body, value)| json::raw_string(body, value).map(exact_text));
                if a == b { Cause::StringEscapes } else { Cause::TextEdited }
            }
            Some((a, b)) => {
                json_cause(a.as_bytes(), b.as_bytes()).unwrap_or_else(|| text::cause(&a, &b))
            }
            None => Cause::TextEdited,
        },
        // A number with fewer digits is no cut text.
        Change::Scalar => {
            match text::cause(&String::from_utf8_lossy(a), &String::from_utf8_lossy(b)) {
                Cause::TextTrimmed => Cause::TextEdited,
                cause => cause,
            }
        }
        Change::Kind | Change::Added | Change::Removed | Change::Key => Cause::TextEdited,
    }
}

/// Returns true if a list has one block, with the text that a string has.
fn is_only_text(list: &[u8], string: &[u8]) -> bool {
    if [list, string].map(|it| json::kind(it, 0)) != [Kind::Array, Kind::String] {
        return false;
    }
    let blocks = json::elements(list, 0).unwrap_or_default();
    let [block] = &blocks[..] else {
        return false;
    };
    let text = json::get(list, block.start, "text").and_then(|it| json::string(list, &it));
    text.is_some() && text == json::string(string, &(0..string.len()))
}

/// Finds why two strings differ that are JSON, such as a call's arguments;
/// `None` if they are not.
fn json_cause(before: &[u8], after: &[u8]) -> Option<Cause> {
    if !(is_json(before) && is_json(after)) {
        return None;
    }
    let pair = Pair { before, after };
    let found = pair.compare(&(0..before.len()), &(0..after.len()), Shape::Data);
    Some(found.map_or(Cause::JsonSpacing, |found| value(pair, &found)))
}

/// Returns true if both are numbers with the same value, as in `1.0` and `1`.
fn are_equal_numbers(a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (std::str::from_utf8(a), std::str::from_utf8(b));
    matches!((a, b), (Ok(a), Ok(b)) if numbers_are_equal(a, b))
}
