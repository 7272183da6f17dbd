//! Figures that several commands of `aside cache` print.

use aside_cache_model::{Cost, Usage};

/// Returns the share of the input that was read, with three digits; 0 if there
/// is no input.
pub(super) fn hit_rate(usage: Usage) -> f64 {
    match usage.input() {
        0 => 0.0,
        input => thousandths(usage.read as f64 / input as f64),
    }
}

/// Rounds to three digits after the point.
pub(super) fn thousandths(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

/// Returns the sum of the lower bounds of all presets of rules; `None` if the
/// price of a model is not known.
pub(super) fn bound(bounds: impl Iterator<Item = Option<Cost>>) -> Option<Cost> {
    let bounds: Option<Vec<Cost>> = bounds.collect();
    bounds.map(|it| it.into_iter().sum())
}

/// Returns a cost as a multiple of its lower bound; `None` if one is not known
/// or the bound is 0.
pub(super) fn over_bound(cost: Option<Cost>, bound: Option<Cost>) -> Option<f64> {
    let (cost, bound) = cost.zip(bound).filter(|it| it.1 > Cost::ZERO)?;
    Some(cost.nanodollars() as f64 / bound.nanodollars() as f64)
}
