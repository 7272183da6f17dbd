//! Where the markers of a request go, and why.

mod callers;
mod candidates;
mod error;
mod explain;
mod order;
mod reason;
mod seen;
mod whole;

use aside_messages::encode::{BlockRef, Encoded, Marker};
use aside_messages::lower::Lowered;
use aside_messages::wire::CacheControl;

pub use error::{PlanError, PlanErrorKind};
pub use explain::{Covered, Explanation};
pub use reason::{Reason, Why};
pub use whole::plan_request;

use crate::decision::Caching;
use crate::layout::Layout;
use crate::scope::GLOBAL_SCOPE_BETA;
use crate::split::Split;
use crate::ttl::TtlPolicy;
use callers::Callers;
use candidates::Candidate;
use seen::Messages;

/// The API takes so many markers in a request, the automatic one included.
pub const MARKER_LIMIT: usize = 4;

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
    /// What else counts.
    pub options: PlanOptions<'a>,
}

/// What counts for a plan beside the blocks of the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanOptions<'a> {
    /// How long entries live.
    pub ttl: TtlPolicy,
    /// Whether there are markers at all.
    pub caching: Caching,
    /// Whether anybody will read what is written at the end.
    pub sequel: Sequel,
    /// The `cache_control` of the request itself: the provider marks the last
    /// block it can.
    pub automatic: Option<&'a CacheControl>,
}

/// Whether another request continues this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sequel {
    /// The next one does.
    #[default]
    Expected,
    /// None does, as with a title or a summary: markers on the messages would
    /// write what nobody reads.
    OneShot,
}

/// Where the cache markers of a request go, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakpointPlan {
    /// In the order of the request; at most four, with those of the caller and
    /// the automatic one.
    pub markers: Vec<PlannedMarker>,
    /// What could have been marked and is not.
    pub rejected: Vec<Rejected>,
    /// Whether there are markers at all.
    pub caching: Caching,
}

/// One marker of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedMarker {
    /// The marker.
    pub marker: Marker,
    /// What it is for.
    pub reason: Reason,
}

/// A place that was considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The place.
    pub at: BlockRef,
    /// What a marker would have been for there.
    pub reason: Reason,
    /// Why there is none.
    pub why: Why,
}

/// Decides where the markers go. The work does not depend on the length of the
/// conversation: only its first message, its end and the caller's markers are
/// looked at.
///
/// Markers of the caller's are kept and count. Those before a caller's marker
/// of an hour last an hour too, those behind one of five minutes five: anything
/// else the API refuses, and what stands before a marker is written with it.
///
/// # Errors
/// Where the caller's own markers are more than the API takes, or in an order
/// that it refuses.
pub fn plan(input: PlanInput<'_>) -> Result<BreakpointPlan, PlanError> {
    let messages = Messages::Lowered(input.messages);
    let callers = Callers::of(input.tools, input.messages);
    let candidates = candidates::of_split(&input, messages);
    settle(candidates, callers, input.options)
}

/// Chooses among the candidates.
fn settle(
    mut candidates: Vec<Candidate>,
    callers: Callers,
    options: PlanOptions<'_>,
) -> Result<BreakpointPlan, PlanError> {
    let mut plan = BreakpointPlan {
        caching: options.caching,
        ..BreakpointPlan::default()
    };
    if options.caching == Caching::Off {
        let reject = |(at, reason)| plan.rejected.push(rejected(at, reason, Why::Off));
        let own = candidates.iter().map(|it| (it.at, it.reason));
        callers.places().chain(own).for_each(reject);
        return Ok(plan);
    }
    callers.check(options.automatic)?;
    let budget = MARKER_LIMIT - callers.count(options.automatic);
    // A stable sort: what was found first among equals comes first.
    candidates.sort_by_key(|candidate| candidate.reason);
    let mut own = 0;
    plan.rejected.clone_from(&callers.rejected);
    plan.markers.extend(callers.planned());
    for candidate in candidates {
        let here = |it: &&PlannedMarker| it.marker.at == candidate.at;
        let taken = plan.markers.iter().find(here).map(|it| it.reason);
        let taken = taken.or(callers.holds(candidate.at).then_some(Reason::Caller));
        let why = match (candidate.why, taken) {
            (Some(why), _) => Some(why),
            (None, Some(reason)) => Some(Why::Taken(reason)),
            (None, None) if own == budget => Some(Why::NoneLeft),
            (None, None) => None,
        };
        let Candidate { at, reason, .. } = candidate;
        match why {
            Some(why) => plan.rejected.push(rejected(at, reason, why)),
            None => {
                own += 1;
                let automatic = options.automatic;
                let control = order::fit(at, candidate.control, &callers.kept, automatic);
                let marker = Marker { at, control };
                plan.markers.push(PlannedMarker { marker, reason });
            }
        }
    }
    plan.markers.sort_by_key(|marker| marker.marker.at);
    Ok(plan)
}

fn rejected(at: BlockRef, reason: Reason, why: Why) -> Rejected {
    Rejected { at, reason, why }
}

impl BreakpointPlan {
    /// The markers alone, for the encoder.
    #[must_use]
    pub fn markers(&self) -> Vec<Marker> {
        let markers = self.markers.iter();
        markers.map(|planned| planned.marker.clone()).collect()
    }

    /// The beta that the markers need, for the header `anthropic-beta`.
    #[must_use]
    pub fn beta(&self) -> Option<&'static str> {
        let is_global = |planned: &PlannedMarker| {
            matches!(
                planned.marker.control,
                CacheControl::Ephemeral { global: true, .. }
            )
        };
        self.markers
            .iter()
            .any(is_global)
            .then_some(GLOBAL_SCOPE_BETA)
    }

    /// The markers of the caller's that are not sent.
    pub fn dropped(&self) -> impl Iterator<Item = &Rejected> {
        let rejected = self.rejected.iter();
        rejected.filter(|rejected| rejected.reason == Reason::Caller)
    }
}
