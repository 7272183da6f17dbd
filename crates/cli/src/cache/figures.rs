//! Figures that several `aside cache` commands print.

use aside_cache_model::{Cost, Usage, Verdict};
use aside_inspect::rows::LoggedRequest;

/// Returns how much input was read from the cache, from 0 to 1 with three
/// digits; 0 when there is no input.
pub(super) fn hit_rate(usage: Usage) -> f64 {
    match usage.input() {
        0 => 0.0,
        input => thousandths(usage.read as f64 / input as f64),
    }
}

/// Returns what a request's input cost: by its recorded usage, or as predicted. `None` when the
/// price is unknown, or if the log does not say how much was written.
pub(super) fn paid(logged: &LoggedRequest, verdict: &Verdict) -> Option<Cost> {
    let Some(usage) = logged.recorded() else {
        return verdict.cost;
    };
    usage
        .cost(aside_models::find(logged.timed.billed_model()).facts)
        .filter(|_| logged.unknown_write() == 0)
}

/// Rounds to three decimal places.
pub(super) fn thousandths(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

/// Adds up the lower bounds for all presets; `None` when a model's price is
/// unknown.
pub(super) fn bound(bounds: impl Iterator<Item = Option<Cost>>) -> Option<Cost> {
    let bounds: Option<Vec<Cost>> = bounds.collect();
    bounds.map(|it| it.into_iter().sum())
}

/// Divides a cost by its lower bound; `None` when either is unknown or the
/// bound is 0.
pub(super) fn over_bound(cost: Option<Cost>, bound: Option<Cost>) -> Option<f64> {
    let (cost, bound) = cost.zip(bound).filter(|it| it.1 > Cost::ZERO)?;
    Some(cost.nanodollars() as f64 / bound.nanodollars() as f64)
}
