//! Where a marker would be of use.

use aside_messages::Layer;
use aside_messages::encode::{BlockRef, Encoded, EncodedBlock};
use aside_messages::wire::CacheControl;

use super::seen::{Messages, Seen};
use super::{PlanInput, PlanOptions, Reason, Sequel, Why};
use crate::layout::{CacheScope, Layout};
use crate::split::SplitPart;

/// A place for a marker, and what speaks against it.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) at: BlockRef,
    pub(super) reason: Reason,
    pub(super) control: CacheControl,
    pub(super) why: Option<Why>,
}

impl Candidate {
    pub(super) fn new(at: BlockRef, reason: Reason, control: CacheControl) -> Self {
        Self {
            at,
            reason,
            control,
            why: None,
        }
    }
}

/// Those of a request whose layers are known.
pub(super) fn of_split(input: &PlanInput<'_>, messages: Messages<'_>) -> Vec<Candidate> {
    let mut candidates = layer_ends(input, messages);
    candidates.extend(conversation_ends(messages, &input.options));
    candidates
}

/// The ends of the layers that the split marks, and of the project layer.
fn layer_ends(input: &PlanInput<'_>, messages: Messages<'_>) -> Vec<Candidate> {
    let prefix = CacheControl::lasting(input.options.ttl.prefix());
    let of_scope = |scope| match scope {
        CacheScope::Org => prefix.clone(),
        CacheScope::Global => prefix.clone().with_global_scope(),
    };
    let blocks = &input.split.blocks;
    let ends = blocks.iter().enumerate().filter_map(|(index, block)| {
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
    });
    let mut ends: Vec<_> = ends.collect();
    if blocks.is_empty() {
        ends.extend(tools_end(input.tools, Reason::StaticEnd, &prefix));
    }
    if input.layout == Layout::Layered {
        let last_block = blocks.len().checked_sub(1).map(BlockRef::System);
        let end = |at| Candidate::new(at, Reason::ProjectEnd, prefix.clone());
        let in_message = project_end(messages).map(end);
        // A request that nobody continues marks no message.
        let is_final = input.options.sequel == Sequel::OneShot;
        if in_message.is_none() || is_final {
            ends.extend(last_block.map(end));
        }
        ends.extend(in_message.map(|end| Candidate {
            why: is_final.then_some(Why::OneShot),
            ..end
        }));
    }
    ends
}

/// The last tool that is in the prefix, and those behind it that are not.
pub(super) fn tools_end(tools: &Encoded, reason: Reason, control: &CacheControl) -> Vec<Candidate> {
    let blocks = tools.blocks();
    let last = blocks.iter().rposition(|block| block.is_markable);
    let candidate = |index| Candidate::new(BlockRef::Tool(index), reason, control.clone());
    let passed = (last.map_or(0, |last| last + 1)..blocks.len()).map(|index| Candidate {
        why: Some(Why::Unmarkable),
        ..candidate(index)
    });
    passed.chain(last.map(candidate)).collect()
}

/// The instruction files, in the first message.
fn project_end(messages: Messages<'_>) -> Option<BlockRef> {
    let first = messages.first()?;
    let is_end = |block: &EncodedBlock| {
        block.layer == Layer::Project && block.is_markable && !block.volatile
    };
    let block = first.blocks.iter().rposition(is_end)?;
    Some(BlockRef::Message { message: 0, block })
}

/// The last stable block of the messages, and the anchor.
pub(super) fn conversation_ends(
    messages: Messages<'_>,
    options: &PlanOptions<'_>,
) -> Vec<Candidate> {
    let control = CacheControl::lasting(options.ttl.conversation());
    let mut candidates = Vec::new();
    let mut last = None;
    for message in messages.reversed() {
        let is_users = message.is_users;
        let is_previous = message.index + 1 < messages.len();
        let reason = match last {
            None => Reason::LastStable,
            Some(_) if is_users && is_previous => Reason::Anchor,
            Some(_) => continue,
        };
        let mut found = stable_end(&message, reason, &control);
        let end = found.pop_if(|candidate| candidate.why.is_none());
        candidates.extend(found);
        let Some(end) = end else { continue };
        let is_anchor = reason == Reason::Anchor;
        let end_is_previous = is_users && is_previous;
        last = last.or(Some(end.at));
        candidates.push(end);
        // A last stable block in the previous user message is its own anchor.
        if is_anchor || end_is_previous {
            break;
        }
    }
    if options.sequel == Sequel::OneShot {
        for candidate in &mut candidates {
            candidate.why = Some(Why::OneShot);
        }
    }
    let automatic = options.automatic.is_some();
    for candidate in candidates.iter_mut().filter(|_| automatic) {
        if candidate.why.is_none() && Some(candidate.at) == messages.last_block() {
            candidate.why = Some(Why::Automatic);
        }
    }
    candidates
}

/// The last block of the message that may be marked and has nothing volatile
/// before it; before it in the list, those that were passed over.
fn stable_end(message: &Seen<'_>, reason: Reason, control: &CacheControl) -> Vec<Candidate> {
    let blocks = message.blocks;
    let volatile = blocks.iter().position(|block| block.volatile);
    let mut candidates = Vec::new();
    for (index, block) in blocks.iter().enumerate().rev() {
        let at = message.block(index);
        let why = if block.volatile {
            Some(Why::Volatile)
        } else if volatile.is_some_and(|volatile| volatile < index) {
            Some(Why::BehindVolatile)
        } else if !block.is_markable {
            Some(Why::Unmarkable)
        } else {
            None
        };
        candidates.push(Candidate {
            why,
            ..Candidate::new(at, reason, control.clone())
        });
        if why.is_none() {
            break;
        }
    }
    candidates
}
