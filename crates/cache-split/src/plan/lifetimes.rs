//! Lifetimes in the order that the API requires.

use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Ttl};

/// The place of a marker: the block, and the index inside it for a marker on its
/// content. Markers on the content come before that of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The block.
    pub(super) at: BlockRef,
    /// The index of a block in its content, for a marker inside a tool result.
    pub(super) inner: Option<usize>,
}

impl Place {
    /// Creates the place of a marker on the block itself.
    pub(super) fn on(at: BlockRef) -> Self {
        Self { at, inner: None }
    }

    /// Returns the key by which places are in the order of the request.
    fn order(self) -> (BlockRef, usize) {
        (self.at, self.inner.unwrap_or(usize::MAX))
    }
}

/// Adapts the lifetime of a planned marker at `at` to the caller's markers: one
/// hour before a marker of one hour, since the whole prefix is written for an
/// hour in any case, and five minutes after one of five minutes.
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
        place.order() > position && lifetime(control) == Some(Ttl::OneHour)
    };
    let short = |(place, control): &(Place, CacheControl)| {
        place.order() < position && lifetime(control) == Some(Ttl::FiveMinutes)
    };
    if automatic.and_then(lifetime) == Some(Ttl::OneHour) || callers.iter().any(long) {
        with_lifetime(control, Ttl::OneHour)
    } else if callers.iter().any(short) {
        with_lifetime(control, Ttl::FiveMinutes)
    } else {
        control
    }
}

/// Returns the marker with another lifetime. A marker of an unknown form keeps
/// its own.
fn with_lifetime(control: CacheControl, ttl: Ttl) -> CacheControl {
    match control {
        CacheControl::Ephemeral { global: true, .. } => {
            CacheControl::lasting(ttl).with_global_scope()
        }
        CacheControl::Ephemeral { .. } => CacheControl::lasting(ttl),
        other @ CacheControl::Other(_) => other,
    }
}

/// Returns the lifetime of the entry that a marker writes; `None` if it is
/// unknown.
pub(super) fn lifetime(control: &CacheControl) -> Option<Ttl> {
    match control {
        CacheControl::Ephemeral { ttl, .. } => Some(ttl.unwrap_or(Ttl::FiveMinutes)),
        CacheControl::Other(_) => None,
    }
}
