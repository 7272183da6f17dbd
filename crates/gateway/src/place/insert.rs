//! A plan's markers in a request's bytes: which to insert, and whether the agent's own are as good.

use std::borrow::Cow;

use aside_cache_split::{BreakpointPlan, Continuation, PlanOptions, Reason, TtlPolicy, plan_shape};
use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Ttl};

use super::scan::{Block, MarkerSpan, Scan};
use super::tail::Tail;
use super::{Known, PlaceError, PlaceErrorKind, error};

/// How many markers a request may have, counting the automatic one.
pub(super) const MAX_MARKERS: usize = 4;

pub(super) struct Insertion {
    /// The block; `None` for the request itself.
    pub(super) at: Option<BlockRef>,
    /// Where the block, or the request itself, ends.
    pub(super) end: usize,
    pub(super) control: CacheControl,
    /// If there are too many, markers with the highest rank give way.
    rank: u8,
}

/// Plans the markers for a body.
pub(super) fn insertions(
    sent: &Scan,
    model: Option<&str>,
    known: &Known,
) -> Result<Vec<Insertion>, PlaceError> {
    let is_single_call = known.lesson.is_single_call && !sent.has_marked_messages();
    let options = PlanOptions {
        ttl: lifetimes(sent, known),
        prefix: if sent.marker_count() == 0 {
            known.lesson.prefix
        } else {
            // As those of the agent.
            Ttl::OneHour
        },
        since_previous: known.lesson.since_previous,
        continuation: if is_single_call { Continuation::OneShot } else { Continuation::Expected },
        ..PlanOptions::default()
    };
    let plan = planned(sent, model, known, options)?;
    let mut insertions = Vec::new();
    for planned in &plan.markers {
        if planned.reason != Reason::Caller
            && let Some(end) = sent.target_end(planned.marker.at)
        {
            insertions.push(Insertion {
                at: Some(planned.marker.at),
                end,
                control: planned.marker.control.clone(),
                rank: match planned.reason {
                    Reason::Anchor | Reason::LastCheckpoint => 1,
                    Reason::LastStable => 2,
                    Reason::Checkpoint => 3,
                    Reason::LastTool => 5,
                    _ => 4,
                },
            });
        }
    }
    insertions.extend(shared_end(sent, known, &insertions, options.ttl));
    let tail = Tail::choose(sent, &plan);
    if let Some(tail) = tail.filter(|_| !is_single_call && known.volatile_from.is_none()) {
        insertions.push(Insertion {
            at: tail.at,
            end: tail.at.and_then(|at| sent.end_of(at)).unwrap_or(sent.end),
            control: CacheControl::lasting(options.ttl.conversation()),
            rank: if tail.is_needed { 0 } else { 3 },
        });
    }
    if !known.lesson.is_steady {
        for insertion in &mut insertions {
            sent.limit(insertion, known.lesson.prefix);
        }
    }
    insertions.sort_by_key(|it| it.rank);
    let kept = sent.kept().flat_map(|(_, block)| block.markers());
    insertions.truncate(MAX_MARKERS.saturating_sub(kept.count()));
    Ok(insertions)
}

/// Plans a request without the markers that are replaced.
fn planned(
    sent: &Scan,
    model: Option<&str>,
    known: &Known,
    options: PlanOptions<'_>,
) -> Result<BreakpointPlan, PlaceError> {
    let mut shape = sent.shape(model);
    if let Some(BlockRef::Message { message, block }) = known.volatile_from {
        shape.messages.truncate(message + 1);
        if block == 0 {
            shape.messages.pop();
        } else if let Some(last) = shape.messages.last_mut() {
            *last = Cow::Owned(last.truncated(block));
        }
    }
    let plan = plan_shape(&shape, options);
    plan.map_err(|it| error(PlaceErrorKind::Refused, it))
}

/// Returns the marker at the end of what other sessions have, too. It lives as long as the planned
/// marker after it, which fits those that the agent keeps.
fn shared_end(
    sent: &Scan,
    known: &Known,
    planned: &[Insertion],
    ttl: TtlPolicy,
) -> Option<Insertion> {
    // Without other sessions, the first message's last block is taken for the task.
    let guessed =
        sent.before_task().filter(|_| known.shared.is_empty() && !known.lesson.is_single_call);
    let ends = known.shared_ends().chain(&guessed);
    let (at, end) = { ends }.find_map(|at| Some((*at, sent.target_end(*at)?)))?;
    if planned.iter().any(|it| it.at == Some(at)) {
        return None;
    }
    let after = planned.iter().filter(|it| it.at > Some(at));
    let after = after.min_by_key(|it| it.at);
    let own = || CacheControl::lasting(ttl.conversation());
    Some(Insertion {
        at: Some(at),
        end,
        control: after.map_or_else(own, |it| it.control.clone()),
        rank: 3,
    })
}

/// Returns the lifetimes that the agent chose, as far as its requests need them.
///
/// ```text
/// 1h on a message or on the request      everything for 1 hour; checkpoints if it seldom pauses
/// 1h on tools or system only             shared layers for 1 hour, the conversation for 5 minutes
/// none, and the agent has paused         checkpoints
/// none, and sessions 5 to 60 min apart   shared layers for 1 hour, the conversation for 5 minutes
/// else                                   everything for 5 minutes
/// ```
pub(super) fn lifetimes(sent: &Scan, known: &Known) -> TtlPolicy {
    if sent.message_markers().any(|it| it.ttl == Ttl::OneHour) {
        if known.lesson.is_steady {
            return TtlPolicy::Checkpoints;
        }
        return TtlPolicy::Long;
    }
    let is_unmarked = sent.marker_count() == 0;
    if is_unmarked && known.lesson.has_paused {
        return TtlPolicy::Checkpoints;
    }
    let prefix = sent.tools.iter().chain(&sent.system);
    let mut prefix = prefix.flat_map(|it| &it.item.blocks);
    if is_unmarked && known.lesson.prefix == Ttl::OneHour || prefix.any(is_long) {
        TtlPolicy::LongPrefix
    } else {
        TtlPolicy::Short
    }
}

fn is_long(block: &Block) -> bool {
    block.markers().any(|marker| marker.ttl == Ttl::OneHour)
}

impl Scan {
    /// Iterates over the markers on messages, then the automatic one.
    fn message_markers(&self) -> impl Iterator<Item = &MarkerSpan> {
        let blocks = self.messages.iter().flat_map(|it| &it.item.blocks);
        blocks.flat_map(Block::markers).chain(self.automatic())
    }

    /// Keeps a block for an hour only up to the agent's last marker that does, or what its sessions
    /// are known to read later: an hour costs more than plain input until two requests have read
    /// it.
    fn limit(&self, insertion: &mut Insertion, prefix: Ttl) {
        let is_shared = matches!(insertion.at, Some(BlockRef::Tool(_) | BlockRef::System(_)));
        if self.marker_count() == 0 || is_shared && prefix == Ttl::OneHour {
            return;
        }
        let kept = self.places().filter(|(_, block)| is_long(block));
        let kept = kept.map(|it| it.0).last();
        let is_kept = insertion.at.is_some() && insertion.at <= kept;
        if !is_kept && self.automatic().is_none_or(|it| it.ttl != Ttl::OneHour) {
            insertion.control = CacheControl::lasting(Ttl::FiveMinutes);
        }
    }

    /// Returns true if markers on messages have both lifetimes: the agent decides by the block, and
    /// one lifetime for all would cost more.
    pub(super) fn mixes_lifetimes(&self) -> bool {
        let mut lifetimes = self.message_markers().map(|it| it.ttl);
        let first = lifetimes.next();
        lifetimes.any(|it| Some(it) != first)
    }

    /// Returns true if a message or the request itself has a marker.
    fn has_marked_messages(&self) -> bool {
        self.message_markers().next().is_some()
    }

    /// Returns true if the agent's markers are as good as planned ones: each planned one is there
    /// with the same lifetime, and none is after the last of them.
    pub(super) fn has_markers_of(&self, planned: &[Insertion]) -> bool {
        let has = |it: &Insertion| {
            let own = match it.at {
                Some(at) => self.block(at).and_then(|block| block.markers().next()),
                None => self.automatic(),
            };
            own.is_some_and(|own| it.control == CacheControl::lasting(own.ttl))
        };
        let last = planned.iter().filter_map(|it| it.at).max();
        let messages = self.places().filter(|(at, _)| matches!(at, BlockRef::Message { .. }));
        let mut late = messages.filter(|(at, _)| Some(*at) > last);
        let is_automatic = planned.iter().any(|it| it.at.is_none());
        planned.iter().all(has)
            && (self.automatic().is_none() || is_automatic)
            && !late.any(|(_, block)| block.markers().next().is_some())
    }

    /// Returns the first message's last block but one, if the model has not answered.
    fn before_task(&self) -> Option<BlockRef> {
        let (first, rest) = self.messages.split_first()?;
        let block = first.item.blocks.len().checked_sub(2)?;
        let at = BlockRef::Message { message: 0, block };
        rest.iter().all(|it| it.item.is_system).then_some(at)
    }

    /// Returns where the block to mark ends; `None` if the block cannot have a marker, or has kept
    /// its own.
    fn target_end(&self, at: BlockRef) -> Option<usize> {
        let block = self.block(at)?;
        let is_free = !self.keeps(at) || block.markers().next().is_none();
        self.end_of(at).filter(|_| block.takes_marker && is_free)
    }
}
