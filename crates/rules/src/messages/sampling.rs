//! Sampling parameters: `temperature`, `top_p`, `top_k`.
//!
//! - `sampling-range`: `"temperature":1.5` (SDK types).
//! - `sampling`: any of the keys under version 2026-10-21 (SDK types).
//! - `sampling-model`: `"temperature":0.5` with Opus 4.7 and later models.
//!   Refusal: the parameter is deprecated for this model. Valid: 1, and for
//!   `top_p` from 0.99 (documented, AWS).
//! - `sampling-thinking`: `"temperature":0.5` with thinking on, with models in
//!   generations 4.5 and 4.6. Refusal: `temperature` may only be set to 1 when
//!   thinking is enabled or in adaptive mode (observed, September 2026). Valid:
//!   1, `top_p` from 0.95, no `top_k`.
//!
//! A null value is the same as an absent key.

use aside_models::{Sampling, ThinkingDefault};

use super::view::View;
use crate::checker::Checker;
use crate::of::parameters::{MIN_TOP_P_WITH_THINKING, SAMPLING_KEYS, sampling};
use crate::table::{SAMPLING_MODEL, SAMPLING_RANGE, SAMPLING_THINKING};

/// AWS's model cards accept this as some models' default.
const DEFAULT_TOP_P: f64 = 0.99;

/// Reports each parameter by itself. One that is out of range has no other
/// violation.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    for key in SAMPLING_KEYS {
        let Some(value) = view.root.given(key) else {
            continue;
        };
        let Some(number) = value.number() else {
            continue;
        };
        let rule = sampling(key, number);
        checker.add(rule, key, value.raw());
        if rule != &SAMPLING_RANGE {
            by_model(checker, view, key, number);
        }
    }
}

/// `number` is within the range for `key`. For `top_k` no value counts as the
/// default.
fn by_model(checker: &mut Checker, view: &View<'_>, key: &str, number: f64) {
    let Some(facts) = checker.facts else { return };
    let is_default = |min_top_p: f64| match key {
        "temperature" => (number - 1.0).abs() < f64::EPSILON,
        "top_p" => number >= min_top_p,
        _ => false,
    };
    match facts.sampling {
        Some(Sampling::Refused | Sampling::DefaultsOnly) if !is_default(DEFAULT_TOP_P) => {
            checker.add(&SAMPLING_MODEL, key, checker.on_model(&number.to_string()));
        }
        Some(Sampling::WithoutThinking)
            if thinks(checker, view) && !is_default(MIN_TOP_P_WITH_THINKING) =>
        {
            checker.add(&SAMPLING_THINKING, key, format!("{number}, with thinking on"));
        }
        _ => {}
    }
}

/// Without a `thinking` parameter, the model's default decides; a model that is
/// not in the catalogue counts as not thinking.
fn thinks(checker: &Checker, view: &View<'_>) -> bool {
    match &*view.thinking() {
        "enabled" | "adaptive" => true,
        "" => {
            let thinking = checker.facts.and_then(|facts| facts.thinking);
            thinking.is_some_and(|it| it.default != ThinkingDefault::Off)
        }
        _ => false,
    }
}
