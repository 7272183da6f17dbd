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

impl Search<'_> {
    /// Compares one level item by item. Deferred tools are no part of it,
    /// wherever they are in the list.
    ///
    /// ```text
    /// items differ                   the first difference inside them
    /// the later request has fewer    the first item that is missing
    /// the later request has more     the first new item; none for messages
    /// the last message has more      none, since an entry can end within it
    /// ```
    pub(super) fn level(&self, level: Level) -> Option<Difference> {
        if level == Level::System
            && let Some(difference) = self.system_shape()
        {
            return Some(difference);
        }
        let (a, b) = (compared(self.before, level), compared(self.after, level));
        let last = a.len().saturating_sub(1);
        for (index, ((_, one), (item, other))) in a.iter().zip(&b).enumerate() {
            let is_extended = level == Level::Messages && index == last && begins_with(other, one);
            if is_extended || is_same(one, other) {
                continue;
            }
            let shape = match (level, one.item.content_key) {
                (Level::Messages, Some(_)) => Shape::Message,
                _ => Shape::Block,
            };
            if let Some(found) = self.pair().compare(&one.span(), &other.span(), shape) {
                let path = format!("{}{}", self.after.item_path(level, *item), found.path);
                return Some(self.difference(level, *item, path, found));
            }
        }
        match a.len().cmp(&b.len()) {
            Ordering::Equal => None,
            Ordering::Less if level == Level::Messages => None,
            Ordering::Less => {
                let (item, new) = b[a.len()];
                let at = end(self.before, level, &a);
                let found = Found::whole(Change::Added, (at..at, new.span()));
                let path = self.after.item_path(level, item);
                Some(self.difference(level, item, path, found))
            }
            Ordering::Greater => {
                let (item, missing) = a[b.len()];
                let at = end(self.after, level, &b);
                let found = Found::whole(Change::Removed, (missing.span(), at..at));
                let path = self.before.item_path(level, item);
                Some(self.difference(level, item, path, found))
            }
        }
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
        let named: HashSet<u64> = blocks.flat_map(|it| it.names.iter().copied()).collect();
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
                let found = Found::whole(Change::Removed, (tool.span(), at..at));
                let path = self.before.item_path(Level::Tools, index);
                return Some(self.difference(Level::Tools, index, path, found));
            };
            let compared = self.pair().compare(&tool.span(), &other.span(), Shape::Block);
            if let Some(found) = compared.filter(|_| !is_same(tool, other)) {
                let path = format!("{}{}", self.after.item_path(Level::Tools, item), found.path);
                return Some(self.difference(Level::Tools, item, path, found));
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
        Some(self.difference(Level::System, 0, path, found))
    }

    /// Returns true if the system prompts have the same blocks: a string counts
    /// as a list with one text.
    fn is_same_system(&self) -> bool {
        let [a, b] = [self.before, self.after].map(|it| it.section(Level::System));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
    }
}

fn compared(request: &Body, level: Level) -> Vec<Numbered<'_>> {
    let items = request.section(level).iter().enumerate();
    let is_compared = |it: &Numbered<'_>| level != Level::Tools || !it.1.item.is_deferred_tool();
    items.filter(is_compared).collect()
}

/// Returns where a list ends and an item is missing.
fn end(request: &Body, level: Level, items: &[Numbered<'_>]) -> usize {
    match items.last() {
        Some((_, last)) => last.span().end,
        None => list_end(request, level),
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
