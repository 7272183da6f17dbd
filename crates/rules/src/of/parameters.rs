//! Request parameters.

use crate::rule::Rule;
use crate::table::{SAMPLING, SAMPLING_RANGE};

/// The documented minimum for `budget_tokens`.
const MIN_BUDGET_TOKENS: i64 = 1_024;

/// The sampling parameters.
pub const SAMPLING_KEYS: [&str; 3] = ["temperature", "top_p", "top_k"];

/// The lowest `top_p` that generations 4.5 and 4.6 take while they think
/// (observed).
pub const MIN_TOP_P_WITH_THINKING: f64 = 0.95;

/// Returns the rule that this value breaks: `sampling-range`, or else `sampling`, which only some
/// API versions have.
#[must_use]
pub fn sampling(key: &str, number: f64) -> &'static Rule {
    if key != "top_k" && !(0.0..=1.0).contains(&number) {
        return &SAMPLING_RANGE;
    }
    &SAMPLING
}

/// Returns what is wrong with a thinking budget that is too low, in tokens (rule
/// `thinking-budget`).
#[must_use]
pub fn low_budget(budget: i64) -> Option<String> {
    (budget < MIN_BUDGET_TOKENS).then(|| budget.to_string())
}

/// Returns what is wrong with a thinking budget that is not below `max_tokens`. The rule is
/// `thinking-budget`, or `interleaved-budget` in a request with tools, where a turn's thinking may
/// span several responses.
#[must_use]
pub fn over_budget(budget: i64, max_tokens: Option<i64>) -> Option<String> {
    let max_tokens = max_tokens.filter(|it| budget >= *it && *it > 0)?;
    Some(format!("{budget}, and max_tokens is {max_tokens}"))
}
