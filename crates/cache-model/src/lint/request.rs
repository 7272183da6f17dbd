//! Markers that the API refuses: more than four, one on a block that takes none, a one-hour
//! one after a five-minute one. One request is at fault, whatever the cache
//! contains.

use aside_body::Body;
use aside_body::lifetime::CacheLifetime;

use aside_rules::{Rule, table};

use crate::chain::is_markable;

/// How many markers a request may have, counting the automatic one.
const MAX_MARKERS: usize = 4;

/// Returns one request's faults, with their paths.
///
/// Requests on other wires have none. One request can break a rule several
/// times.
pub(super) fn faults(request: &Body) -> Vec<(&'static Rule, String)> {
    if request.wire() != aside_models::Wire::Messages {
        return Vec::new();
    }
    let mut faults: Vec<(&'static Rule, String)> = Vec::new();
    let mut count = 0;
    let mut has_short = false;
    for (level, item, _, block) in request.blocks() {
        let own = block.mark.iter();
        let nested = block.nested.iter().filter_map(|it| it.mark.as_ref());
        for mark in nested.chain(own) {
            count += 1;
            let path = || request.block_path(level, item, block).to_string();
            if count == MAX_MARKERS + 1 {
                faults.push((&table::MARKER_LIMIT, path()));
            }
            if !is_markable(block) {
                faults.push((&table::MARKER_PLACE, path()));
            }
            match mark.lifetime {
                Some(CacheLifetime::OneHour) if has_short => {
                    faults.push((&table::MARKER_TTL, path()));
                }
                Some(CacheLifetime::FiveMinutes) => has_short = true,
                _ => {}
            }
        }
    }
    let automatic = request.automatic_marker();
    let is_last_marked = || request.blocks().last().is_some_and(|(.., it)| it.mark.is_some());
    if automatic == Some(CacheLifetime::OneHour) && has_short && !is_last_marked() {
        faults.push((&table::MARKER_TTL, "cache_control".to_owned()));
    }
    if automatic.is_some() && count == MAX_MARKERS {
        faults.push((&table::MARKER_LIMIT, "cache_control".to_owned()));
    }
    faults
}
