//! Putting lifetimes in the order that the API requires.

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Ttl};

/// Where a marker is: the block, and the index inside it for a marker on its
/// content. Markers on content come before the block's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: BlockRef,
    /// The block's index in the content, for a marker inside a tool result.
    pub(super) inner: Option<usize>,
}

impl Place {
    pub(super) fn on(at: BlockRef) -> Self {
        Self { at, inner: None }
    }

    /// Sorts places into request order.
    fn order(self) -> (BlockRef, usize) {
        (self.at, self.inner.unwrap_or(usize::MAX))
    }
}

/// Fits a planned marker's lifetime at `at` to the caller's markers: one hour
/// before a one-hour marker, since the whole prefix is written for an hour
/// anyway, and five minutes after a five-minute one.
///
/// The caller's markers are in order, so both rules never apply at once.
pub(super) fn fit(
    at: BlockRef,
    control: CacheControl,
    callers: &[(Place, CacheControl)],
    automatic: Option<&CacheControl>,
) -> CacheControl {
    let position = Place::on(at).order();
    let long = |(place, control): &(Place, CacheControl)| {
        place.order() > position && control.ttl() == Some(Ttl::OneHour)
    };
    let short = |(place, control): &(Place, CacheControl)| {
        place.order() < position && control.ttl() == Some(Ttl::FiveMinutes)
    };
    if automatic.and_then(CacheControl::ttl) == Some(Ttl::OneHour) || callers.iter().any(long) {
        with_lifetime(control, Ttl::OneHour)
    } else if callers.iter().any(short) {
        with_lifetime(control, Ttl::FiveMinutes)
    } else {
        control
    }
}

/// A marker in an unknown form keeps its lifetime.
fn with_lifetime(control: CacheControl, ttl: Ttl) -> CacheControl {
    match control {
        CacheControl::Ephemeral { global: true, .. } => {
            CacheControl::lasting(ttl).with_global_scope()
        }
        CacheControl::Ephemeral { .. } => CacheControl::lasting(ttl),
        other @ CacheControl::Other(_) => other,
    }
}
