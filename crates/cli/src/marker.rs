//! A planned cache marker, as `aside render --json` and
//! `aside cache plan --json` print it.

use aside_cache_split::BreakpointPlan;
use aside_messages::wire::CacheControl;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Marker {
    /// Which block to mark, such as `system[0]` or `messages[6].content[0]`.
    path: String,
    /// The key's value; without `ttl`, the entry lives for five minutes.
    cache_control: CacheControl,
    /// Why the marker is there, as a short phrase; `set by the caller` when the
    /// body already had it.
    reason: String,
}

/// Returns a plan's markers, in request order.
pub(crate) fn of_plan(plan: &BreakpointPlan) -> Vec<Marker> {
    let markers = plan.markers.iter().map(|it| Marker {
        path: it.marker.at.to_string(),
        cache_control: it.marker.control.clone(),
        reason: it.reason.to_string(),
    });
    markers.collect()
}
