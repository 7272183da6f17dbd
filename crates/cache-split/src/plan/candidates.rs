//! Places where a marker is useful.
//!
//! ```text
//! tools ─ system ───────── first message ──────── … ─ messages
//!       static end, prefix end   project, user end        anchor, last stable block
//! ```
//!
//! A candidate may carry the reason to reject it, so that an explanation can
//! name the place. Which of the others get a marker is decided in `plan`.

use aside_messages::Layer;
use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Ttl};

use super::checkpoints::{Lifetimes, Position};
use super::messages::{BlockView, MessageView, Messages};
use super::{Continuation, PlanInput, PlanOptions, Reason, RejectReason};
use crate::layout::{CacheScope, Layout};
use crate::split::SplitPart;

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The block to mark.
    pub(super) at: BlockRef,
    /// What the marker is for.
    pub(super) reason: Reason,
    /// The value for `cache_control`, with the lifetime.
    pub(super) control: CacheControl,
    /// The reason to reject it, if any.
    pub(super) why: Option<RejectReason>,
}

impl Candidate {
    pub(super) fn new(at: BlockRef, reason: Reason, control: CacheControl) -> Self {
        Self { at, reason, control, why: None }
    }
}

/// Returns the candidates in a request with known layers.
///
/// Layer ends come first, then the last tool, then the conversation's ends. The
/// classic layout has neither a last tool nor a project end.
pub(super) fn of_split(
    input: &PlanInput<'_>,
    messages: Messages<'_>,
    position: &Position<'_>,
    lifetimes: Lifetimes,
) -> Vec<Candidate> {
    let tools = input.tools.blocks().iter();
    let tools: Vec<bool> = tools.map(|it| it.is_markable).collect();
    let mut candidates = layer_ends(input, &tools, messages, lifetimes);
    if input.layout == Layout::Layered {
        candidates.extend(last_tool(&tools, position, &input.options, lifetimes));
    }
    candidates.extend(conversation_ends(messages, &input.options, position, lifetimes));
    candidates
}

/// Returns the last tool on a session's first request: if tools arrive later,
/// those before them stay cached.
pub(super) fn last_tool(
    tools: &[bool],
    position: &Position<'_>,
    options: &PlanOptions<'_>,
    lifetimes: Lifetimes,
) -> Option<Candidate> {
    let is_continued = options.continuation == Continuation::Expected;
    let control = CacheControl::lasting(lifetimes.prefix);
    let mut ends = tools_end(tools, Reason::LastTool, &control);
    ends.pop_if(|it| it.why.is_none() && position.is_first && is_continued)
}

/// Returns the ends of the layers that the split marks, and the project
/// layer's.
///
/// Without a system prompt, the tools' end takes the static end's place. If the
/// first message has a user block, the static end is given up, unless it has
/// global scope: the project end covers it.
fn layer_ends(
    input: &PlanInput<'_>,
    tools: &[bool],
    messages: Messages<'_>,
    lifetimes: Lifetimes,
) -> Vec<Candidate> {
    let prefix = CacheControl::lasting(lifetimes.prefix);
    let of_scope = |scope| match scope {
        CacheScope::Org => prefix.clone(),
        CacheScope::Global => prefix.clone().with_global_scope(),
    };
    let blocks = &input.split.blocks;
    let mut ends: Vec<_> = blocks
        .iter()
        .enumerate()
        .filter_map(|(index, block)| {
            let all = |is: fn(&SplitPart) -> bool| block.parts.iter().all(is);
            let reason = if all(|part| part.name == "identity") {
                Reason::Identity
            } else if all(|part| part.layer == Layer::Static) {
                Reason::StaticEnd
            } else {
                Reason::PrefixEnd
            };
            let control = of_scope(block.scope?);
            Some(Candidate::new(BlockRef::System(index), reason, control))
        })
        .collect();
    if blocks.is_empty() {
        ends.extend(tools_end(tools, Reason::StaticEnd, &prefix));
    }
    if input.layout == Layout::Layered {
        let last_block = blocks.len().checked_sub(1).map(BlockRef::System);
        let end = |at| Candidate::new(at, Reason::ProjectEnd, prefix.clone());
        // The shared layers' end is marked even in a one-shot request: other
        // sessions read it.
        let in_message = layer_end(messages, Layer::Project);
        ends.extend(in_message.or(last_block).map(end));
        if let Some(at) = layer_end(messages, Layer::User) {
            // The project end covers the static end within one organization.
            let is_moved =
                |it: &&mut Candidate| it.reason == Reason::StaticEnd && it.control == prefix;
            for end in ends.iter_mut().filter(is_moved) {
                end.why = Some(RejectReason::Moved);
            }
            ends.push(Candidate::new(at, Reason::UserEnd, prefix));
        }
        if input.options.continuation == Continuation::OneShot
            && let Some(at) = layer_end(messages, Layer::Session)
        {
            let control = CacheControl::lasting(lifetimes.conversation);
            ends.push(Candidate::new(at, Reason::SessionEnd, control));
        }
    }
    ends
}

/// Returns the last tool in the prefix, and rejects the deferred ones after it.
///
/// `tools` says of each whether it may have a marker.
pub(super) fn tools_end(tools: &[bool], reason: Reason, control: &CacheControl) -> Vec<Candidate> {
    let last = tools.iter().rposition(|is_markable| *is_markable);
    let candidate = |index| Candidate::new(BlockRef::Tool(index), reason, control.clone());
    let rejected = (last.map_or(0, |last| last + 1)..tools.len())
        .map(|index| Candidate { why: Some(RejectReason::Unmarkable), ..candidate(index) });
    rejected.chain(last.map(candidate)).collect()
}

/// Returns a layer's last block in the first message.
fn layer_end(messages: Messages<'_>, layer: Layer) -> Option<BlockRef> {
    let first = messages.first()?;
    let is_end = |block: BlockView| block.layer == layer && block.is_markable && !block.is_volatile;
    let block = first.blocks().rposition(is_end)?;
    Some(BlockRef::Message { message: 0, block })
}

/// Returns the messages' last stable block, and the anchor.
///
/// The last stable block is what the next request reads up to. The anchor is
/// the last block in the user message before it: a read may check only 20
/// blocks backwards, so after a long turn it would otherwise miss the last
/// request's entry. In a checkpoint its own marker takes the anchor's place,
/// and a turn's first request has one at the last checkpoint. In a one-shot
/// request all are rejected, since no request continues it.
pub(super) fn conversation_ends(
    messages: Messages<'_>,
    options: &PlanOptions<'_>,
    position: &Position<'_>,
    lifetimes: Lifetimes,
) -> Vec<Candidate> {
    let control = CacheControl::lasting(lifetimes.conversation);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut last = None;
    let mut has_later_user = false;
    for message in messages.reversed() {
        let is_user = message.is_user;
        // System messages after the last user message do not make it the
        // previous one.
        let is_previous = has_later_user;
        has_later_user |= is_user;
        let reason = match last {
            None => Reason::LastStable,
            Some(_) if is_user && is_previous => Reason::Anchor,
            Some(_) => continue,
        };
        let mut found = stable_end(&message, reason, &control);
        let end = found.pop_if(|candidate| candidate.why.is_none());
        candidates.extend(found);
        let Some(end) = end else { continue };
        let is_anchor = reason == Reason::Anchor;
        let end_is_previous = is_user && is_previous;
        last = last.or(Some(end.at));
        candidates.push(end);
        // A last stable block in the previous user message is the anchor, too.
        if is_anchor || end_is_previous {
            break;
        }
    }
    if lifetimes.is_checkpoint {
        candidates.retain(|it| it.reason != Reason::Anchor);
        candidates.extend(checkpoints(position));
    }
    if options.continuation == Continuation::OneShot {
        for candidate in &mut candidates {
            candidate.why = Some(RejectReason::OneShot);
        }
    }
    let automatic = options.automatic.is_some();
    for candidate in candidates.iter_mut().filter(|_| automatic) {
        if candidate.why.is_none() && Some(candidate.at) == messages.last_block() {
            candidate.why = Some(RejectReason::Automatic);
        }
    }
    candidates
}

/// Returns the one-hour markers: in a turn's first request at the last
/// checkpoint, and at the block after the previous request's end.
fn checkpoints(position: &Position<'_>) -> Vec<Candidate> {
    let candidate = |message: &MessageView<'_>, reason| {
        let mut stable = message.blocks().take_while(|it| !it.is_volatile);
        let index = stable.position(|block| block.is_markable)?;
        let control = CacheControl::lasting(Ttl::OneHour);
        Some(Candidate::new(message.block(index), reason, control))
    };
    let last = position.last_checkpoint.as_ref();
    let last = last.and_then(|it| candidate(it, Reason::LastCheckpoint));
    let new = position.checkpoint.as_ref();
    let new = new.and_then(|it| candidate(it, Reason::Checkpoint));
    last.into_iter().chain(new).collect()
}

/// Returns the last block in the message that can be marked and has no volatile
/// block before it. The blocks after it come first, as rejected candidates.
///
/// The rejected candidates come from the last block backwards.
fn stable_end(message: &MessageView<'_>, reason: Reason, control: &CacheControl) -> Vec<Candidate> {
    let volatile = message.blocks().position(|block| block.is_volatile);
    let mut candidates = Vec::new();
    for (index, block) in message.blocks().enumerate().rev() {
        let at = message.block(index);
        let why = if block.is_volatile {
            Some(RejectReason::Volatile)
        } else if volatile.is_some_and(|volatile| volatile < index) {
            Some(RejectReason::AfterVolatile)
        } else if !block.is_markable {
            Some(RejectReason::Unmarkable)
        } else {
            None
        };
        candidates.push(Candidate { why, ..Candidate::new(at, reason, control.clone()) });
        if why.is_none() {
            break;
        }
    }
    candidates
}
