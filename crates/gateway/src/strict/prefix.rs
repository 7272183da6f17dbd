//! The prefix that a thinking block is bound to.
//!
//! Each entry is a digest over the one before it, so that two prefixes of any
//! length need one comparison. Thinking blocks are in no prefix: the API allows
//! removing them. String content has the digest of a list with one text block,
//! because clients change one into the other in mid-session.
//!
//! ```text
//! messages[0] = sum of nothing
//! messages[n] = sum of messages[n - 1], the envelope of message n - 1, its blocks
//! prefix      = sum of head, messages[m]
//! ```
//!
//! A deferred tool's definition belongs to the blocks that refer to it, so a
//! tool that no earlier block refers to can be added anywhere among the tools.

use std::collections::HashMap;

use aside_json::Value;

use super::body::{RequestBody, content_blocks, is_kept, is_thinking, text_of, tool_references};
use super::digest::{Digest, Sum, of_block, of_envelope, of_kept};
use super::seal::CompactionSeal;

/// Digests of a request's prefixes.
#[derive(Debug)]
pub(crate) struct Prefix {
    /// The tools that are not deferred, and the system prompt.
    pub(crate) head: Digest,
    /// Entry n: the first n messages, without thinking.
    pub(crate) messages: Vec<Digest>,
    /// How many messages come before the response. If a request ends with a
    /// paused response, its own response continues that message.
    answered: usize,
    /// Every part in order, to find the first difference between two requests.
    pub(crate) parts: Vec<Part>,
}

/// A part of a request that a prefix contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where the part is in its request.
    place: Place,
    /// A digest of the part alone.
    digest: Digest,
}

/// Where a part is, as indices, in request order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Tool(usize),
    System(usize),
    /// A message, or one of its blocks.
    Message(usize, Option<usize>),
}

impl Prefix {
    /// Digests a request. A compaction block at its start replaces the messages
    /// that it summarizes.
    pub(crate) fn of(body: &RequestBody<'_>, compaction: Option<&CompactionSeal>) -> Self {
        let mut parts = Vec::new();
        let mut head = Sum::new("head");
        let mut deferred = HashMap::new();
        for (index, &tool) in body.tools.iter().enumerate() {
            let digest = of_block(tool);
            if tool.get("defer_loading").is_some_and(Value::is_true) {
                deferred.insert(text_of(tool, "name"), digest);
                continue;
            }
            head = head.with(&digest);
            parts.push(Part { place: Place::Tool(index), digest });
        }
        for (index, &block) in body.system.iter().enumerate() {
            let digest = of_block(block);
            head = head.with(&digest);
            parts.push(Part { place: Place::System(index), digest });
        }
        let head = head.end();
        let mut messages = vec![Sum::new("messages").end()];
        for (index, &message) in body.messages.iter().enumerate() {
            let digest = of_envelope(message);
            parts.push(Part { place: Place::Message(index, None), digest });
            let mut sum = Sum::new("message").with(&messages[index]).with(&digest);
            for (block, it) in content_blocks(message).into_iter().enumerate() {
                if is_thinking(it) {
                    continue;
                }
                let digest = of_block(it);
                let names = tool_references(it);
                let digest = names
                    .iter()
                    .filter_map(|name| deferred.get(name))
                    .fold(digest, |digest, definition| {
                        Sum::new("reference").with(&digest).with(definition).end()
                    });
                sum = sum.with(&digest);
                parts.push(Part { place: Place::Message(index, Some(block)), digest });
            }
            let whole = sum.end();
            messages.push(match compaction.filter(|_| index == 0) {
                Some(seal) if seal.head == head => seal.messages,
                Some(_) | None => whole,
            });
        }
        let last = body.messages.last();
        let continued = usize::from(last.is_some_and(|it| text_of(*it, "role") == "assistant"));
        Self { head, answered: body.messages.len() - continued, messages, parts }
    }

    /// Digests everything before a message. `None` if there are fewer messages.
    pub(crate) fn before(&self, message: usize) -> Option<Digest> {
        let sum = Sum::new("prefix").with(&self.head).with(self.messages.get(message)?);
        Some(sum.end())
    }

    /// Digests everything before the response.
    pub(crate) fn whole(&self) -> Digest {
        let whole = self.before(self.answered);
        whole.unwrap_or_default()
    }

    /// Digests all messages.
    pub(crate) fn all_messages(&self) -> Digest {
        self.messages[self.messages.len() - 1]
    }

    /// Returns the API's path to the first part that differs from an earlier
    /// request's.
    ///
    /// If one request continues the other, this is the first part that only one
    /// of them has; a part that was removed has its former path. `None` if all
    /// parts are equal.
    pub(crate) fn first_difference(&self, earlier: &[Part]) -> Option<String> {
        let pairs = self.parts.iter().zip(earlier);
        let differs = pairs.enumerate().find(|(_, (now, then))| !now.is_same(then));
        let index = differs.map_or(self.parts.len().min(earlier.len()), |(index, _)| index);
        // A part that was removed or added comes before the part that the other
        // request has there.
        let parts = [self.parts.get(index), earlier.get(index)];
        let places = parts.into_iter().flatten().map(|it| it.place);
        Some(match places.min()? {
            Place::Tool(index) => format!("tools.{index}"),
            Place::System(index) => format!("system.{index}"),
            Place::Message(index, None) => format!("messages.{index}"),
            Place::Message(index, Some(block)) => format!("messages.{index}.content.{block}"),
        })
    }
}

/// The blocks of an assistant message that a client sends back besides the thinking, as far as it
/// was read.
#[derive(Clone, Debug)]
pub(crate) struct OtherBlocks {
    pub(crate) count: u8,
    sum: Sum,
}

impl OtherBlocks {
    /// Begins a message.
    pub(crate) fn new() -> Self {
        Self { count: 0, sum: Sum::new("others") }
    }

    /// Begins with the message that the response to this request continues.
    pub(crate) fn of_continued(body: &RequestBody<'_>) -> Self {
        let last = body.messages.last().filter(|it| text_of(**it, "role") == "assistant");
        let mut others = Self::new();
        for block in last.into_iter().flat_map(|it| content_blocks(*it)) {
            others.push(block);
        }
        others
    }

    /// Adds a block, unless it is thinking or blank text.
    pub(crate) fn push(&mut self, block: Value<'_>) {
        if is_kept(block) {
            self.count = self.count.saturating_add(1);
            self.sum = self.sum.clone().with(&of_kept(block));
        }
    }

    pub(crate) fn digest(&self) -> Digest {
        self.sum.clone().end()
    }
}

impl Part {
    /// Returns true if the contents are equal. A deferred tool moves the tools
    /// after it, and changes none of them.
    fn is_same(&self, other: &Self) -> bool {
        let is_tool = |part: &Self| matches!(part.place, Place::Tool(_));
        let is_place = self.place == other.place || (is_tool(self) && is_tool(other));
        is_place && self.digest == other.digest
    }
}
