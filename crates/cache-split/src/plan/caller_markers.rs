//! The caller's own markers.
//!
//! The API accepts at most four markers, counting the automatic one, and no
//! one-hour marker after a five-minute one. It would refuse a request that
//! breaks these rules, so planning one is an error.

use std::fmt;

use aside_messages::encode::{BlockRef, Encoded, EncodedBlock, Marker};
use aside_messages::lower::Lowered;
use aside_messages::wire::{CacheControl, Ttl};

use super::error::{PlanError, PlanErrorKind};
use super::lifetimes::Place;
use super::messages::{Messages, marked};
use super::{MARKER_LIMIT, PlannedMarker, Reason, RejectReason, Rejected};

/// Callers' markers are kept when the API accepts them, and count towards the
/// limit.
#[derive(Debug, Default)]
pub(super) struct CallerMarkers {
    /// Kept markers, in request order.
    pub(super) kept: Vec<(Place, CacheControl)>,
    /// Markers on blocks that cannot have one.
    pub(super) rejected: Vec<Rejected>,
    /// The request's last block, where the automatic marker is.
    last_block: Option<BlockRef>,
}

impl CallerMarkers {
    /// Collects markers from tools and messages.
    pub(super) fn of(tools: &Encoded, messages: &Lowered<'_>) -> Self {
        let mut callers = Self::empty(Messages::Lowered(messages).last_block());
        for (index, block) in tools.blocks().iter().enumerate() {
            if let Some(control) = block.marker.clone() {
                let at = BlockRef::Tool(index);
                callers.add(Place::on(at), control, rejection(block));
            }
        }
        for (Marker { at, control }, block) in marked(messages) {
            callers.add(Place::on(at), control, block.and_then(rejection));
        }
        callers
    }

    /// The request ends with this block.
    pub(super) fn empty(last_block: Option<BlockRef>) -> Self {
        Self { last_block, ..Self::default() }
    }

    /// Adds the next marker in request order; `why` is the reason to reject it,
    /// if any.
    pub(super) fn add(&mut self, place: Place, control: CacheControl, why: Option<RejectReason>) {
        match why {
            None => self.kept.push((place, control)),
            Some(why) => self.rejected.push(Rejected { at: place.at, reason: Reason::Caller, why }),
        }
    }

    /// Counts the automatic marker too.
    pub(super) fn count(&self, automatic: Option<&CacheControl>) -> usize {
        self.kept.len() + usize::from(automatic.is_some())
    }

    /// Returns markers on blocks. A marker inside a block is not part of a
    /// plan.
    pub(super) fn planned(&self) -> impl Iterator<Item = PlannedMarker> {
        let on_blocks = self.kept.iter().filter(|(place, _)| place.inner.is_none());
        on_blocks.map(|(place, control)| PlannedMarker {
            marker: Marker { at: place.at, control: control.clone() },
            reason: Reason::Caller,
        })
    }

    /// Returns true if the block, or its content, has a marker.
    pub(super) fn holds(&self, at: BlockRef) -> bool {
        self.kept.iter().any(|(place, _)| place.at == at)
    }

    /// Returns true if a marker before this block lives for five minutes.
    pub(super) fn has_short_before(&self, block: BlockRef) -> bool {
        let is_short = |(place, control): &(Place, CacheControl)| {
            place.at < block && control.ttl() == Some(Ttl::FiveMinutes)
        };
        self.kept.iter().any(is_short)
    }

    /// Returns every block that has a marker, itself or in its content.
    pub(super) fn places(&self) -> impl Iterator<Item = (BlockRef, Reason)> {
        let kept = self.kept.iter().map(|(place, _)| place.at);
        let rejected = self.rejected.iter().map(|rejected| rejected.at);
        kept.chain(rejected).map(|at| (at, Reason::Caller))
    }

    /// Checks the markers by the API's rules.
    ///
    /// # Errors
    ///
    /// There are more than four markers, a one-hour marker after a five-minute
    /// one, or two lifetimes on the last block.
    pub(super) fn check(&self, automatic: Option<&CacheControl>) -> Result<(), PlanError> {
        self.check_number(automatic)?;
        self.check_order(automatic)?;
        let last = self.last_block.map(Place::on);
        let on_last = self.kept.iter().find(|(place, _)| Some(*place) == last);
        match (on_last, automatic) {
            (Some((place, control)), Some(automatic)) if control.ttl() != automatic.ttl() => Err(
                PlanError::new(PlanErrorKind::Automatic, [place.to_string(), AUTOMATIC.to_owned()]),
            ),
            _ => Ok(()),
        }
    }

    /// Counts the automatic marker too. The error names all markers.
    fn check_number(&self, automatic: Option<&CacheControl>) -> Result<(), PlanError> {
        if self.count(automatic) <= MARKER_LIMIT {
            return Ok(());
        }
        Err(PlanError::new(PlanErrorKind::TooMany, self.all(automatic).map(|(place, _)| place)))
    }

    /// Compares markers in request order. One with an unknown lifetime is
    /// skipped.
    fn check_order(&self, automatic: Option<&CacheControl>) -> Result<(), PlanError> {
        let is = |ttl| move |control: &CacheControl| control.ttl() == Some(ttl);
        let mut all = self.all(automatic);
        let short = all.find(|(_, control)| is(Ttl::FiveMinutes)(control));
        let long = all.find(|(_, control)| is(Ttl::OneHour)(control));
        match (short, long) {
            (Some((short, _)), Some((long, _))) => {
                Err(PlanError::new(PlanErrorKind::Order, [short, long]))
            }
            _ => Ok(()),
        }
    }

    /// Returns each marker with its JSON path, the automatic one last.
    fn all<'a>(
        &'a self,
        automatic: Option<&'a CacheControl>,
    ) -> impl Iterator<Item = (String, &'a CacheControl)> {
        let kept = self.kept.iter().map(|(place, control)| (place.to_string(), control));
        kept.chain(automatic.map(|control| (AUTOMATIC.to_owned(), control)))
    }
}

/// The automatic marker's JSON path.
const AUTOMATIC: &str = "cache_control";

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inner {
            None => self.at.fmt(f),
            Some(inner) => write!(f, "{}.content[{inner}]", self.at),
        }
    }
}

/// Returns why the block cannot have a marker, if it cannot.
fn rejection(block: &EncodedBlock) -> Option<RejectReason> {
    if block.volatile {
        Some(RejectReason::Volatile)
    } else {
        (!block.is_markable).then_some(RejectReason::Unmarkable)
    }
}
