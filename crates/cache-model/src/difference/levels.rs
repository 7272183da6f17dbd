//! Compares the cache levels: tools, system prompt, messages.

use std::cmp::Ordering;
use std::collections::HashSet;

use aside_models::Wire;

use super::compare::{Change, Found, Shape};
use super::{Cause, Difference, Search};
use crate::chain::summary;
use crate::parent::{begins_with, is_same};
use aside_body::body::{Body, Placed};
use aside_body::path::Level;
use aside_body::wire::messages_key;
use aside_json::scan as json;

/// An item that the cache compares, with its index in the body's list.
type Numbered<'a> = (usize, &'a Placed);

/// Items that are compared in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Tools,
    /// The system prompt outside the messages.
    System,
    /// The messages at the start that are the system prompt.
    LeadingSystem,
    Conversation,
}

impl Part {
    /// Returns the list in which the body has them.
    pub(super) fn list(self) -> Level {
        match self {
            Self::Tools => Level::Tools,
            Self::System => Level::System,
            Self::LeadingSystem | Self::Conversation => Level::Messages,
        }
    }

    /// Returns the cache level to which they belong.
    pub(super) fn level(self) -> Level {
        match self {
            Self::Tools => Level::Tools,
            Self::System | Self::LeadingSystem => Level::System,
            Self::Conversation => Level::Messages,
        }
    }

    /// Returns the items. Deferred tools are not compared, wherever they are in the list.
    fn items(self, request: &Body) -> Vec<Numbered<'_>> {
        let items = request.section(self.list()).iter().enumerate();
        let leading = request.leading_system();
        let is_compared = |it: &Numbered<'_>| match self {
            Self::Tools => !it.1.item.is_deferred_tool(),
            Self::System => true,
            Self::LeadingSystem => it.0 < leading,
            Self::Conversation => it.0 >= leading,
        };
        items.filter(is_compared).collect()
    }

    /// Returns where items are missing behind these.
    fn end(self, request: &Body, items: &[Numbered<'_>]) -> usize {
        let next = request.section(self.list()).first();
        match (items.last(), next) {
            (Some((_, last)), _) => last.span().end,
            (None, Some(next)) if self == Self::LeadingSystem => next.start,
            (None, _) => list_end(request, self.list()),
        }
    }
}

impl Search<'_> {
    /// Compares items one by one.
    ///
    /// ```text
    /// items differ                   the first difference inside them
    /// a message is new or missing    this message, if its neighbour has another role
    /// the later request has fewer    the first item that is missing
    /// the later request has more     the first new item; none for messages
    /// the last message has more      none, since an entry can end within it
    /// ```
    pub(super) fn part(&self, part: Part) -> Option<Difference> {
        if part == Part::System
            && let Some(difference) = self.system_shape()
        {
            return Some(difference);
        }
        let (a, b) = (part.items(self.before), part.items(self.after));
        // The last messages may go on: the earlier request ends with them.
        let is_last = match part {
            Part::Tools | Part::System => false,
            Part::LeadingSystem => self.before.conversation().is_empty(),
            Part::Conversation => true,
        };
        let last = a.len().saturating_sub(1);
        for (index, ((_, one), (item, other))) in a.iter().zip(&b).enumerate() {
            let is_extended = is_last && index == last && begins_with(other, one);
            if is_extended || is_same(one, other) {
                continue;
            }
            if let Some(difference) = self.whole(part, &a[index..], &b[index..]) {
                return Some(difference);
            }
            let shape = match (part.list(), one.item.content_key) {
                (Level::Messages, Some(_)) => Shape::Message,
                _ => Shape::Block,
            };
            if let Some(found) = self.pair().compare(&one.span(), &other.span(), shape) {
                let path = format!("{}{}", self.after.item_path(part.list(), *item), found.path);
                return Some(self.difference(part, *item, path, found));
            }
        }
        match a.len().cmp(&b.len()) {
            Ordering::Equal => None,
            Ordering::Less if is_last => None,
            Ordering::Less => Some(self.added(part, b[a.len()], part.end(self.before, &a))),
            Ordering::Greater => Some(self.removed(part, a[b.len()], part.end(self.after, &b))),
        }
    }

    /// Finds a message that only one conversation has, when the messages in its place have other
    /// roles: no role was edited.
    fn whole(
        &self,
        part: Part,
        before: &[Numbered<'_>],
        after: &[Numbered<'_>],
    ) -> Option<Difference> {
        let (one, other) = (before.first()?, after.first()?);
        if part != Part::Conversation || one.1.item.role == other.1.item.role {
            return None;
        }
        let is_in = |it: &Numbered<'_>, rest: &[Numbered<'_>]| {
            rest.iter().any(|next| is_same(it.1, next.1))
        };
        if is_in(other, before) {
            Some(self.removed(part, *one, other.1.start))
        } else if is_in(one, after) {
            Some(self.added(part, *other, one.1.start))
        } else if before.len() == 1 && one.1.item.hash != other.1.item.hash {
            // The last message made room for an answer.
            Some(self.removed(part, *one, other.1.start))
        } else {
            None
        }
    }

    /// Describes an item that the earlier request lacks; `at` is where.
    fn added(&self, part: Part, (item, new): Numbered<'_>, at: usize) -> Difference {
        let found = Found::whole(Change::Added, (at..at, new.span()));
        let path = self.after.item_path(part.list(), item);
        self.difference(part, item, path, found)
    }

    /// Describes an item that the later request lacks; `at` is where.
    fn removed(&self, part: Part, (item, missing): Numbered<'_>, at: usize) -> Difference {
        let found = Found::whole(Change::Removed, (missing.span(), at..at));
        let path = self.before.item_path(part.list(), item);
        self.difference(part, item, path, found)
    }

    /// Compares deferred tools that a message in the earlier request names:
    /// their definitions are in the prompt.
    pub(super) fn loaded_tools(&self) -> Option<Difference> {
        let tools = self.before.section(Level::Tools).iter().enumerate();
        let mut deferred = tools.filter(|(_, it)| it.item.is_deferred_tool()).peekable();
        // Most requests have none, so there is no need to look at their
        // messages.
        deferred.peek()?;
        let messages = self.before.section(Level::Messages).iter();
        let blocks = messages.flat_map(|it| &it.item.blocks);
        let (mut named, mut shown) = (HashSet::<u64>::new(), HashSet::new());
        for block in blocks {
            shown.extend(block.functions.iter().map(|it| it.name));
            named.extend(block.names.iter().filter(|it| !shown.contains(it)));
        }
        let is_named = |it: &Placed| {
            let mut names = it.item.blocks.iter().flat_map(|it| &it.names);
            names.any(|it| named.contains(it))
        };
        let name = |it: &Placed| it.item.blocks.first().map(|it| it.names.clone());
        let after = self.after.section(Level::Tools);
        for (index, tool) in deferred.filter(|(_, it)| is_named(it)) {
            let mut others = after.iter().enumerate();
            let Some((item, other)) = others.find(|(_, it)| name(it) == name(tool)) else {
                let at = list_end(self.after, Level::Tools);
                return Some(self.removed(Part::Tools, (index, tool), at));
            };
            let compared = self.pair().compare(&tool.span(), &other.span(), Shape::Block);
            if let Some(found) = compared.filter(|_| !is_same(tool, other)) {
                let path = format!("{}{}", self.after.item_path(Level::Tools, item), found.path);
                return Some(self.difference(Part::Tools, item, path, found));
            }
        }
        None
    }

    /// Finds a new summary by the API: the model sees nothing of the conversation before it.
    pub(super) fn summary(&self) -> Option<Difference> {
        let [old, new] = [self.before, self.after].map(|it| summary(it.section(Level::Messages)));
        let (index, _, block) = new.filter(|it| old.is_none_or(|old| old.2.hash != it.2.hash))?;
        let at = list_end(self.before, Level::Messages);
        let placed = &self.after.section(Level::Messages)[index];
        let found = Found::whole(Change::Added, (at..at, placed.at(&block.span)));
        let path = self.after.block_path(Level::Messages, index, block).to_string();
        let mut difference = self.describe(path, &found, Cause::Compaction);
        difference.level = Some(Level::Messages);
        Some(difference)
    }

    /// Compares what the system prompt is: a string in one request and a list
    /// with other blocks in the other.
    fn system_shape(&self) -> Option<Difference> {
        let key = match self.after.wire() {
            Wire::Messages => "system",
            _ => return None,
        };
        let (a, b) = (self.before.get(key)?, self.after.get(key)?);
        let kinds = (
            json::kind(self.before.as_bytes(), a.start),
            json::kind(self.after.as_bytes(), b.start),
        );
        if kinds.0 == kinds.1 || self.is_same_system() {
            return None;
        }
        let mut found = self.pair().compare(&a, &b, Shape::Content)?;
        let path = format!("{key}{}", std::mem::take(&mut found.path));
        Some(self.difference(Part::System, 0, path, found))
    }

    /// Returns true if the system prompts have the same blocks: a string counts
    /// as a list with one text.
    fn is_same_system(&self) -> bool {
        let [a, b] = [self.before, self.after].map(|it| it.section(Level::System));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
    }
}

/// Returns where an empty list ends, or the body without a list.
fn list_end(request: &Body, level: Level) -> usize {
    let key = match (level, request.wire()) {
        (Level::Tools, _) => "tools",
        (Level::System, Wire::Responses) => "instructions",
        (Level::System, Wire::GenerateContent) => "systemInstruction",
        (Level::System, _) => "system",
        (Level::Messages, wire) => messages_key(wire),
    };
    let value = request.get(key);
    value.map_or(request.as_bytes().len(), |it| it.end) - 1
}
