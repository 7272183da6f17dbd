use aside_messages::Layer;
use aside_messages::encode::{BlockRef, Encoded, EncodedBlock, Marker};
use aside_messages::lower::Lowered;
use aside_messages::wire::{CacheControl, Request, Role};

use crate::layout::{CacheScope, Layout};
use crate::split::Split;
use crate::ttl::TtlPolicy;

/// The API takes four markers in a request.
const BUDGET: usize = 4;

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// The layout of the request.
    pub layout: Layout,
    /// The system prompt, as it was cut.
    pub split: &'a Split,
    /// The tools.
    pub tools: &'a Encoded,
    /// The messages.
    pub messages: &'a Lowered<'a>,
    /// How long entries live.
    pub ttl: TtlPolicy,
}

/// Where the cache markers of a request go, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakpointPlan {
    /// In the order of the request; at most four, with those of the caller.
    pub markers: Vec<PlannedMarker>,
}

/// One marker of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedMarker {
    /// The marker.
    pub marker: Marker,
    /// What it is for.
    pub reason: Reason,
}

/// What a marker is for, in order of worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The end of what every session of a product shares.
    StaticEnd,
    /// The end of what every session of a project shares.
    ProjectEnd,
    /// The last block that will be there again in the next request.
    LastStable,
    /// The end of the previous user message, which is in the cache already: it
    /// finds the prefix where one look back from the end is too short.
    Anchor,
    /// The identity prefix of the classic layout.
    Identity,
    /// The caller put it there.
    Caller,
}

/// Decides where the markers go. The work does not depend on the length of the
/// conversation: only its first message and its end are looked at.
#[must_use]
pub fn plan(input: PlanInput<'_>) -> BreakpointPlan {
    let mut candidates = layer_ends(&input);
    candidates.extend(conversation_ends(&input));
    candidates.sort_by_key(|candidate| candidate.reason);

    let mut markers = callers(&input);
    for candidate in candidates {
        let is_new = markers
            .iter()
            .all(|marker| marker.marker.at != candidate.marker.at);
        if is_new && markers.len() < BUDGET {
            markers.push(candidate);
        }
    }
    markers.sort_by_key(|marker| marker.marker.at);
    BreakpointPlan { markers }
}

impl BreakpointPlan {
    /// The markers alone, for the encoder.
    #[must_use]
    pub fn markers(&self) -> Vec<Marker> {
        self.markers
            .iter()
            .map(|planned| planned.marker.clone())
            .collect()
    }

    /// Sets the markers in a typed request.
    pub fn apply(&self, request: &mut Request) {
        for PlannedMarker {
            marker: Marker { at, control },
            ..
        } in &self.markers
        {
            let block = match *at {
                BlockRef::Tool(index) => {
                    if let Some(tool) = request.tools.get_mut(index) {
                        tool.cache_control = Some(control.clone());
                    }
                    None
                }
                BlockRef::System(index) => request.system.get_mut(index),
                BlockRef::Message { message, block } => request
                    .messages
                    .get_mut(message)
                    .and_then(|message| message.content.get_mut(block)),
            };
            if let Some(block) = block {
                block.mark(control.clone());
            }
        }
    }
}

/// What the caller marked, which is kept.
fn callers(input: &PlanInput<'_>) -> Vec<PlannedMarker> {
    let tools = input.tools.blocks().iter().enumerate();
    let tools = tools.filter_map(|(index, tool)| {
        let control = tool.marker.clone()?;
        let at = BlockRef::Tool(index);
        Some(Marker { at, control })
    });
    let markers = tools.chain(input.messages.caller_markers());
    let planned = markers.map(|marker| PlannedMarker {
        marker,
        reason: Reason::Caller,
    });
    planned.collect()
}

/// The ends of the layers that the split marks, and of the project layer.
fn layer_ends(input: &PlanInput<'_>) -> Vec<PlannedMarker> {
    let prefix = CacheControl::lasting(input.ttl.prefix());
    let mark = |at, scope, reason| {
        let control = match scope {
            CacheScope::Org => prefix.clone(),
            CacheScope::Global => prefix.clone().with_global_scope(),
        };
        PlannedMarker {
            marker: Marker { at, control },
            reason,
        }
    };
    let blocks = &input.split.blocks;
    let mut ends: Vec<_> = blocks
        .iter()
        .enumerate()
        .filter_map(|(index, block)| {
            let is_identity = block.parts.iter().all(|part| part.name == "identity");
            let reason = if is_identity {
                Reason::Identity
            } else {
                Reason::StaticEnd
            };
            Some(mark(BlockRef::System(index), block.scope?, reason))
        })
        .collect();
    if blocks.is_empty() {
        let tool = input
            .tools
            .blocks()
            .iter()
            .rposition(|block| block.is_markable);
        ends.extend(
            tool.map(|tool| mark(BlockRef::Tool(tool), CacheScope::Org, Reason::StaticEnd)),
        );
    }
    if input.layout == Layout::Layered {
        let at = project_end(input.messages).or(blocks.len().checked_sub(1).map(BlockRef::System));
        ends.extend(at.map(|at| mark(at, CacheScope::Org, Reason::ProjectEnd)));
    }
    ends
}

/// The instruction files, in the first message.
fn project_end(messages: &Lowered<'_>) -> Option<BlockRef> {
    let first = messages.messages().next()?;
    let is_end = |block: &EncodedBlock| block.layer == Layer::Project && may_mark(block);
    let block = first.blocks().iter().rposition(is_end)?;
    Some(BlockRef::Message { message: 0, block })
}

fn conversation_ends(input: &PlanInput<'_>) -> Vec<PlannedMarker> {
    let control = CacheControl::lasting(input.ttl.conversation());
    let mark = |at, reason| PlannedMarker {
        marker: Marker {
            at,
            control: control.clone(),
        },
        reason,
    };
    let last = stable_ends(input.messages, |_| true).next();
    let is_users = |message: &Encoded| message.role() == Some(&Role::User);
    // The last message is a user's: what it is before is the previous turn.
    let mut users = stable_ends(input.messages, is_users);
    let before = input.messages.len() - 1;
    let anchor = users.find(|at| message_of(*at) < before && Some(*at) != last);
    let last = last.map(|at| mark(at, Reason::LastStable));
    last.into_iter()
        .chain(anchor.map(|at| mark(at, Reason::Anchor)))
        .collect()
}

fn message_of(at: BlockRef) -> usize {
    match at {
        BlockRef::Message { message, .. } => message,
        BlockRef::Tool(_) | BlockRef::System(_) => 0,
    }
}

/// From the end: the last block of each message that a marker may stand on and
/// nothing volatile stands before.
fn stable_ends<'a>(
    messages: &'a Lowered<'a>,
    wanted: impl Fn(&Encoded) -> bool + 'a,
) -> impl Iterator<Item = BlockRef> + 'a {
    let last = messages.len() - 1;
    let numbered = messages.messages().rev().enumerate();
    numbered
        .filter(move |(_, message)| wanted(message))
        .filter_map(move |(back, message)| {
            let blocks = message.blocks();
            let stable = blocks
                .iter()
                .position(|block| block.volatile)
                .unwrap_or(blocks.len());
            let block = blocks[..stable].iter().rposition(may_mark)?;
            Some(BlockRef::Message {
                message: last - back,
                block,
            })
        })
}

fn may_mark(block: &EncodedBlock) -> bool {
    block.is_markable && block.marker.is_none() && !block.volatile
}
