//! Lifetimes in an order that the API takes.

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Ttl};

/// Where a marker stands: the block, and for one inside it, the index there.
/// What is inside comes before the block's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: BlockRef,
    pub(super) inner: Option<usize>,
}

impl Place {
    /// On the block itself.
    pub(super) fn on(at: BlockRef) -> Self {
        Self { at, inner: None }
    }

    fn order(self) -> (BlockRef, usize) {
        (self.at, self.inner.unwrap_or(usize::MAX))
    }
}

/// The control for a marker of ours on `at`: with the lifetime that the markers
/// of the caller leave it. An hour before one of an hour, since all that stands
/// before it is written for an hour anyway; five minutes behind one of five.
///
/// The caller's own are in order, so no place is under both rules.
pub(super) fn fit(
    at: BlockRef,
    control: CacheControl,
    callers: &[(Place, CacheControl)],
    automatic: Option<&CacheControl>,
) -> CacheControl {
    let own = Place::on(at).order();
    let long = |(place, control): &(Place, CacheControl)| {
        place.order() > own && lifetime(control) == Some(Ttl::OneHour)
    };
    let short = |(place, control): &(Place, CacheControl)| {
        place.order() < own && lifetime(control) == Some(Ttl::FiveMinutes)
    };
    if automatic.and_then(lifetime) == Some(Ttl::OneHour) || callers.iter().any(long) {
        with_lifetime(control, Ttl::OneHour)
    } else if callers.iter().any(short) {
        with_lifetime(control, Ttl::FiveMinutes)
    } else {
        control
    }
}

fn with_lifetime(control: CacheControl, ttl: Ttl) -> CacheControl {
    match control {
        CacheControl::Ephemeral { global: true, .. } => {
            CacheControl::lasting(ttl).with_global_scope()
        }
        CacheControl::Ephemeral { .. } => CacheControl::lasting(ttl),
        other @ CacheControl::Other(_) => other,
    }
}

/// How long an entry lives that this marker writes; `None` where that is not
/// known.
pub(super) fn lifetime(control: &CacheControl) -> Option<Ttl> {
    match control {
        CacheControl::Ephemeral { ttl, .. } => Some(ttl.unwrap_or(Ttl::FiveMinutes)),
        CacheControl::Other(_) => None,
    }
}
