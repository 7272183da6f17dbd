//! What a request costs, and what is wrong with it.

use std::collections::BTreeMap;
use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Comparison, Cost, Timed, compare, lint};
use aside_inspect::{report, without_indices};
use aside_rules::Context;
use serde::Serialize;

use super::Lost;
use crate::check::Checked;
use crate::sourced::SourcedBody;

/// How long to wait between two requests: less than any cache entry lives.
const PAUSE_SECONDS: u64 = 20;

/// How large a request is and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RequestFigures {
    /// How many estimated tokens its input has.
    pub tokens: u64,
    /// What the first one costs, which finds nothing in the cache; `None` if the model's price is
    /// not known.
    pub first: Option<Cost>,
    /// What 1,000 more cost, which find in the cache what the first one wrote.
    pub thousand_more: Option<Cost>,
}

impl RequestFigures {
    /// `None` if the body is no request.
    pub(super) fn of_body(body: &SourcedBody) -> Option<Self> {
        let body = body.request()?;
        let mut cache = CacheModel::new(CacheRules::of_wire(body.wire()));
        let [first, again] = [0, PAUSE_SECONDS].map(|seconds| {
            let verdict = cache.send(&body, Duration::from_secs(seconds));
            report(&body, None, Some(&verdict)).root
        });
        let thousand = |it: Cost| Cost::from_nanodollars(it.nanodollars().saturating_mul(1_000));
        Some(Self {
            tokens: first.tokens(),
            first: first.cost,
            thousand_more: again.cost.map(thousand),
        })
    }
}

/// Compares a changed request with the one before; `None` if one of them is no
/// request.
pub(super) fn compared(before: Option<Body>, after: Option<Body>) -> Option<Comparison> {
    let (before, after) = before.zip(after)?;
    Some(compare(&before, &after, &CacheRules::of_wire(after.wire())))
}

impl Lost {
    /// Returns which cached tokens a changed request does not find, and what
    /// they cost; `None` if it finds all.
    pub(super) fn of(found: &Comparison) -> Option<Self> {
        let lost = Self { tokens: found.lost_tokens, cost: found.lost_cost };
        Some(lost).filter(|it| it.tokens > 0)
    }
}

/// Returns what `check`, `lint` and the session find in a scenario's requests, a sentence each.
///
/// The values are these sentences without lines and indices: what moved is the same finding.
pub(super) fn findings(checked: &Checked) -> BTreeMap<String, String> {
    let reported = checked.diagnostics.iter();
    let mut found: BTreeMap<String, String> =
        reported.map(|it| (it.to_string(), without_indices(&it.without_position()))).collect();
    let sentence = |it: String| {
        let unplaced = without_indices(&it);
        (it, unplaced)
    };
    let mut log = Vec::new();
    for (request, seconds) in checked.requests.iter().zip((0..).step_by(PAUSE_SECONDS as usize)) {
        let Some(body) = request.body.request() else {
            continue;
        };
        let checks = aside_rules::check(body.as_bytes(), body.wire(), &Context::default());
        found.extend(checks.findings.iter().map(|it| sentence(it.to_string())));
        log.push(Timed::new(body, Duration::from_secs(seconds)));
    }
    if let Some(first) = log.first() {
        let rules = CacheRules::of_wire(first.request.wire());
        let costs = lint(&log, &rules);
        found.extend(costs.iter().map(|it| sentence(format!("{}: {}", it.rule, it.fix))));
    }
    found
}
