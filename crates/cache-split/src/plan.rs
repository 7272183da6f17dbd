//! The breakpoint plan: where a request's cache markers go.

mod caller_markers;
mod candidates;
mod checkpoints;
mod error;
mod explain;
mod lifetimes;
mod messages;
mod reason;
mod shape;
mod whole_request;

use std::time::Duration;

use aside_messages::encode::{BlockRef, Encoded, Marker};
use aside_messages::lower::Lowered;
use aside_messages::wire::{CacheControl, Ttl};
use aside_models::ThinkingKept;
use serde::Serialize;

pub use checkpoints::LifetimeRule;
pub use error::{PlanError, PlanErrorKind};
pub use explain::{CoveredMarker, Explanation};
pub use reason::{Reason, RejectReason};
pub use shape::{MessageShape, Shape, ShapeMarker};
pub use whole_request::{plan_request, plan_shape};

use crate::decision::Caching;
use crate::layout::Layout;
use crate::scope::GLOBAL_SCOPE_BETA;
use crate::split::Split;
use crate::ttl::TtlPolicy;
use caller_markers::CallerMarkers;
use candidates::Candidate;
use checkpoints::{Lifetimes, Position};
use messages::Messages;

/// How many markers the API accepts in a request, counting the automatic one.
pub(crate) const MARKER_LIMIT: usize = 4;

/// What a plan depends on.
///
/// A new field is a breaking change; further options go to [`PlanOptions`].
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// The request's layout.
    pub layout: Layout,
    /// The split system prompt.
    pub split: &'a Split,
    /// The tools.
    pub tools: &'a Encoded,
    /// The messages.
    pub messages: &'a Lowered<'a>,
    /// Further options.
    pub options: PlanOptions<'a>,
}

/// How to plan.
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanOptions<'a> {
    /// How long cache entries live.
    pub ttl: TtlPolicy,
    /// The lifetime for layers that sessions share, under
    /// [`TtlPolicy::Checkpoints`].
    pub prefix: Ttl,
    /// True if the request does not continue the one before it: changed tools,
    /// another system prompt, a compaction.
    pub is_reset: bool,
    /// How long ago the previous request was sent, if known. A second turn's
    /// first request is a checkpoint only if the first turn's entries are
    /// still there: otherwise it would write them all for an hour.
    pub since_previous: Option<Duration>,
    /// Which thinking from earlier turns the model keeps in the prefix. If
    /// unset, [`plan_request`] knows it by the request's model, and other plans
    /// are for a model that keeps all.
    pub thinking: Option<ThinkingKept>,
    /// Whether to send markers.
    pub caching: Caching,
    /// Whether another request continues this one.
    pub continuation: Continuation,
    /// The request's own `cache_control`, by which the provider marks the last
    /// block that can have a marker.
    pub automatic: Option<&'a CacheControl>,
}

/// Whether another request continues this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Continuation {
    /// The next request continues this one.
    #[default]
    Expected,
    /// No request does, for example after a title or a summary. A marker on a
    /// message would write an entry that is never read.
    OneShot,
}

/// A request's cache markers, with reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BreakpointPlan {
    /// Markers in request order: at most four, counting your own and the
    /// automatic one.
    pub markers: Vec<PlannedMarker>,
    /// Places without a marker, with reasons.
    pub rejected: Vec<Rejected>,
    /// Whether to send the markers.
    pub caching: Caching,
    /// The rule that decided how long entries live.
    pub lifetime: LifetimeRule,
}

/// One marker in a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedMarker {
    /// The marker.
    pub marker: Marker,
    /// What it is for.
    pub reason: Reason,
}

/// A place that was considered but has no marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// The place.
    pub at: BlockRef,
    /// What a marker there would be for.
    pub reason: Reason,
    /// Why there is none.
    pub why: RejectReason,
}

/// Plans a request's markers. The work does not grow with the conversation: a
/// plan reads only the first messages, the last turn or two, and your own
/// markers.
///
/// Your own markers are kept and count towards the limit. Planned markers live
/// for one hour before one of yours that does, and for five minutes after one
/// of yours that does, because the API refuses any other order.
///
/// # Errors
/// Your own markers exceed the limit, or are in an order that the API refuses.
pub fn plan(input: PlanInput<'_>) -> Result<BreakpointPlan, PlanError> {
    let messages = Messages::Lowered(input.messages);
    let callers = CallerMarkers::of(input.tools, input.messages);
    let position = Position::new(messages, &input.options);
    let rule = position.rule(&input.options, &callers);
    let lifetimes = Lifetimes::of(rule, &input.options);
    let candidates = candidates::of_split(&input, messages, &position, lifetimes);
    choose(candidates, callers, input.options, rule)
}

fn choose(
    mut candidates: Vec<Candidate>,
    callers: CallerMarkers,
    options: PlanOptions<'_>,
    lifetime: LifetimeRule,
) -> Result<BreakpointPlan, PlanError> {
    let mut plan =
        BreakpointPlan { caching: options.caching, lifetime, ..BreakpointPlan::default() };
    if options.caching == Caching::Off {
        let reject = |(at, reason)| {
            plan.rejected.push(rejected(at, reason, RejectReason::CachingOff));
        };
        let candidates = candidates.iter().map(|it| (it.at, it.reason));
        callers.places().chain(candidates).for_each(reject);
        return Ok(plan);
    }
    callers.check(options.automatic)?;
    let budget = MARKER_LIMIT - callers.count(options.automatic);
    // The sort is stable, so candidates with one reason keep their order.
    candidates.sort_by_key(|candidate| candidate.reason);
    plan.rejected.clone_from(&callers.rejected);
    let mut planned: Vec<PlannedMarker> = Vec::new();
    for candidate in candidates {
        let here = |it: &&PlannedMarker| it.marker.at == candidate.at;
        let taken = planned
            .iter()
            .find(here)
            .map(|it| it.reason)
            .or(callers.holds(candidate.at).then_some(Reason::Caller));
        let why = candidate.why.or(taken.map(RejectReason::AlreadyMarked));
        let Candidate { at, reason, .. } = candidate;
        match why {
            Some(why) => plan.rejected.push(rejected(at, reason, why)),
            None => {
                let automatic = options.automatic;
                let control = lifetimes::fit(at, candidate.control, &callers.kept, automatic);
                let marker = Marker { at, control };
                planned.push(PlannedMarker { marker, reason });
            }
        }
    }
    while planned.len() > budget {
        let last = |it: &(usize, &PlannedMarker)| (it.1.reason.give_up_order(), it.0);
        let Some((index, _)) = planned.iter().enumerate().max_by_key(last) else {
            break;
        };
        let PlannedMarker { marker, reason } = planned.remove(index);
        let why = RejectReason::LimitReached;
        plan.rejected.push(rejected(marker.at, reason, why));
    }
    plan.markers.extend(callers.planned());
    plan.markers.extend(planned);
    plan.markers.sort_by_key(|marker| marker.marker.at);
    Ok(plan)
}

fn rejected(at: BlockRef, reason: Reason, why: RejectReason) -> Rejected {
    Rejected { at, reason, why }
}

impl BreakpointPlan {
    /// Returns the markers without reasons, for the encoder.
    #[must_use]
    pub fn markers(&self) -> Vec<Marker> {
        let markers = self.markers.iter();
        markers.map(|planned| planned.marker.clone()).collect()
    }

    /// Returns the beta that these markers need in the `anthropic-beta` header.
    #[must_use]
    pub fn beta(&self) -> Option<&'static str> {
        let is_global = |planned: &PlannedMarker| {
            matches!(planned.marker.control, CacheControl::Ephemeral { global: true, .. })
        };
        self.markers.iter().any(is_global).then_some(GLOBAL_SCOPE_BETA)
    }

    /// Returns the planned markers that had to give way because your own leave
    /// too few places.
    pub fn given_up(&self) -> impl Iterator<Item = &Rejected> {
        let has_callers = self.markers.iter().any(|it| it.reason == Reason::Caller);
        let is_given_up = move |it: &&Rejected| {
            let is_extra = matches!(it.reason, Reason::LastTool | Reason::SessionEnd);
            it.why == RejectReason::LimitReached && has_callers && !is_extra
        };
        self.rejected.iter().filter(is_given_up)
    }

    /// Returns those of your own markers that are not sent.
    pub fn dropped(&self) -> impl Iterator<Item = &Rejected> {
        let rejected = self.rejected.iter();
        rejected.filter(|rejected| rejected.reason == Reason::Caller)
    }
}
