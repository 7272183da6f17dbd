//! The rules from the table that the linter applies.

use aside_rules::{Rule, table};

/// The rules for [`Linter`](crate::Linter), by subject.
pub static LINT_RULES: [&Rule; 17] = [
    &table::NO_TAIL_MARKER,
    &table::MARKER_VOLATILE,
    &table::MARKER_LIMIT,
    &table::MARKER_TTL,
    &table::MARKER_PLACE,
    &table::LOOK_BACK_GAP,
    &table::MARKER_MINIMUM,
    &table::SHARED_AFTER_SESSION,
    &table::TOOLS_REORDERED,
    &table::PREFIX_CHANGED,
    &table::ONE_SHOT_WRITES_TAIL,
    &table::COLD_FAN_OUT,
    &table::HOUR_NEVER_READ,
    &table::EXPIRED_OFTEN,
    &table::THINKING_BOUND_PREFIX_CHANGED,
    &table::CACHEABLE_BUT_UNMARKED,
    &table::INSTRUCTIONS_UNCACHED,
];

/// The rules for requests that pay again for shared tokens, without a miss: no marker caches them,
/// or their entry has expired.
pub static PAID_AGAIN_RULES: [&Rule; 4] = [
    &table::CACHEABLE_BUT_UNMARKED,
    &table::NO_TAIL_MARKER,
    &table::MARKER_MINIMUM,
    &table::EXPIRED_OFTEN,
];

/// The rules of [`Spending`](crate::Spending).
pub static SPENDING_RULES: [&Rule; 3] =
    [&table::SINGLE_CALLS, &table::LONG_RESULTS, &table::UNUSED_TOOLS];

/// Finds a rule of [`LINT_RULES`] or [`SPENDING_RULES`] by its id, current or earlier.
///
/// ```
/// assert_eq!(aside_cache_model::lint_rule("ttl-order").map(|it| it.id), Some("marker-ttl"));
/// ```
#[must_use]
pub fn lint_rule(id: &str) -> Option<&'static Rule> {
    LINT_RULES.into_iter().chain(SPENDING_RULES).find(|rule| rule.is_named(id))
}
