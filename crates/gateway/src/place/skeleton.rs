//! A request without the texts that no plan looks at.
//!
//! A session's next request repeats all messages but the last ones. Those that were read before and
//! have no marker are emptied, so placing markers costs as much as what is new:
//!
//! ```text
//! the request    {"messages":[{…"content":[a]},{…"content":[b]},…,{…"content":[y]},{…"content":[z]}]}
//! its skeleton   {"messages":[{…"content":[a]},{…"content":[]},…,{…"content":[y]},{…"content":[z]}]}
//! ```
//!
//! Edits of the skeleton are then moved to the request.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use aside_body::Body;
use aside_body::body::Placed;
use aside_body::path::Level;
use aside_messages::encode::BlockRef;
use bytes::Bytes;

use super::edit::Edits;
use super::insert::MAX_PLANNED;
use super::scan::Scan;
use super::{Known, key_count};

pub(super) struct Skeleton<'b> {
    pub(super) body: &'b Bytes,
    /// What it lacks of the body.
    pub(super) cuts: Edits<'b>,
    pub(super) text: Cow<'b, [u8]>,
}

/// A request that was read, for the next one of its session.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) body: Body,
    /// For each message, true if it is well-formed and has no marker.
    plain: Vec<bool>,
}

impl<'b> Skeleton<'b> {
    /// Leaves nothing out.
    pub(super) fn whole(body: &'b Bytes) -> Self {
        Self {
            body,
            cuts: Edits::new(body),
            text: Cow::Borrowed(body),
        }
    }

    /// Leaves out what a plan without checkpoints does not need.
    pub(super) fn new(
        body: &'b Bytes,
        read: &Body,
        earlier: Option<&Earlier>,
        known: &Known,
    ) -> Self {
        let mut skeleton = Self::whole(body);
        let messages = read.section(Level::Messages);
        let lasting = messages.iter().enumerate().rev();
        let mut lasting = lasting.filter(|(_, it)| !it.item.is_turn_scoped);
        let last = lasting.nth(MAX_PLANNED - 1).map_or(0, |it| it.0);
        for (index, message) in messages.iter().enumerate().take(last).skip(1) {
            let mut shared = known.shared_ends();
            let is_shared = shared
                .any(|at| matches!(at, BlockRef::Message { message, .. } if *message == index));
            let is_plain = earlier.is_some_and(|it| it.is_plain(index, message));
            if is_plain
                && !is_shared
                && let Some(range) = content(body, message)
            {
                skeleton.cuts.remove(range);
            }
        }
        if skeleton.cuts.len() > 0 {
            skeleton.text = Cow::Owned(skeleton.cuts.apply());
        }
        skeleton
    }
}

/// Returns the inside of a message's content; `None` if that is no list and no string.
fn content(body: &[u8], message: &Placed) -> Option<Range<usize>> {
    let blocks = &message.item.blocks;
    let (first, last) = (blocks.first()?, blocks.last()?);
    let (start, end) = (message.at(&first.span).start, message.at(&last.span).end);
    if message.item.content_key != Some("content") {
        return None;
    }
    match first.index {
        Some(_) => Some(start..end),
        None => (body[start] == b'"').then_some(start + 1..end - 1),
    }
}

impl Earlier {
    /// Notes a request whose skeleton was scanned.
    pub(super) fn new(body: Body, scan: Option<&Scan>, earlier: Option<&Self>) -> Self {
        let messages = body.section(Level::Messages);
        let scanned = scan.map_or(&[][..], |it| &it.messages);
        let plain = messages.iter().zip(scanned).enumerate();
        let plain = plain.map(|(index, (message, scanned))| {
            let text = || std::str::from_utf8(&body.as_bytes()[message.span()]);
            earlier.is_some_and(|it| it.is_plain(index, message))
                || scanned.has_no_marker() && text().is_ok_and(|it| key_count(it) == 0)
        });
        let plain = plain.collect();
        Self { body, plain }
    }

    /// Returns true if it has more than half of the messages of another one.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|it| it.body.section(Level::Messages));
        let pairs = own.iter().zip(others);
        let same = pairs.filter(|(own, other)| Arc::ptr_eq(&own.item, &other.item));
        same.count() * 2 > others.len()
    }

    /// Returns true if this request has the same message, and that is plain.
    fn is_plain(&self, index: usize, message: &Placed) -> bool {
        let own = self.body.section(Level::Messages).get(index);
        own.is_some_and(|own| Arc::ptr_eq(&own.item, &message.item))
            && self.plain.get(index) == Some(&true)
    }
}
