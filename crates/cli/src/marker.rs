//! A cache marker of a plan, as `aside render --json` and `aside cache plan --json`
//! print it.

use aside_cache_split::BreakpointPlan;
use aside_messages::wire::CacheControl;
use serde::Serialize;

/// One marker of a body.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Marker {
    /// The marked block, such as `system[0]` or `messages[6].content[0]`.
    path: String,
    /// The value of the key; without `ttl`, the entry lives for five minutes.
    cache_control: CacheControl,
    /// Why the marker is there, as a short phrase; `set by the caller` for one that the
    /// body had.
    reason: String,
}

/// Returns the markers of a plan, in the order of the request.
pub(crate) fn of_plan(plan: &BreakpointPlan) -> Vec<Marker> {
    let markers = plan.markers.iter().map(|it| Marker {
        path: it.marker.at.to_string(),
        cache_control: it.marker.control.clone(),
        reason: it.reason.to_string(),
    });
    markers.collect()
}
