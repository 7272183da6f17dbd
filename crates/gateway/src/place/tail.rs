//! The marker at a request's end, if the plan cannot set it.
//!
//! A plan marks blocks, and no system message. String content has no block, so
//! the request's automatic marker takes its place. An agent's system message
//! stays in the conversation, unless it is turn-scoped, so it ends the next
//! request's prefix like any other message.
//!
//! ```text
//! … user "text"                         automatic marker
//! … user [text], system "text"          automatic marker
//! … user [text], system [text]          marker on the system message
//! … user [text], system scoped          marker on the user message, by the plan
//! ```

use aside_cache_split::{BreakpointPlan, Reason};
use aside_messages::encode::BlockRef;

use super::scan::{Block, Scan};

/// A marker at a request's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// A block in a system message, or `None` for the request itself, whose marker the API moves
    /// to its last block.
    pub(crate) at: Option<BlockRef>,
    /// True if nothing else marks the end: the agent had a marker there, or the
    /// plan wants one on a string.
    pub(crate) is_needed: bool,
}

impl Tail {
    /// Chooses the marker. `sent` is the request with the agent's markers.
    pub(crate) fn choose(sent: &Scan, plan: &BreakpointPlan) -> Option<Self> {
        let (index, message) =
            sent.messages.iter().map(|it| &*it.item).enumerate().rfind(|(_, it)| !it.is_scoped)?;
        if message.is_system {
            let block = message.blocks.iter().rposition(|it| it.takes_marker);
            let at = match block {
                Some(block) => Some(BlockRef::Message { message: index, block }),
                None if message.is_text => None,
                None => return None,
            };
            let mut own = message.blocks.iter().flat_map(Block::markers);
            return Some(Self {
                at,
                is_needed: own.next().is_some() || sent.automatic().is_some(),
            });
        }
        let is_end = |at| matches!(at, BlockRef::Message { message, .. } if message == index);
        let mut planned = plan.markers.iter();
        let is_planned = planned.any(|it| it.reason == Reason::LastStable && is_end(it.marker.at));
        (message.is_text && is_planned).then_some(Self { at: None, is_needed: true })
    }
}
