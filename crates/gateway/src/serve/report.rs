//! A server's report, which `GET /report` returns and `aside serve --junit`
//! converts.

use aside_cache_model::Miss;
use aside_models::{Cost, Date, ModelFacts, Usage, find};
use serde::Serialize;

use crate::redact;
use crate::strict::ApiError;

/// How many refusals and misses to list; others are only counted.
const MAX_LISTED: usize = 1_000;

/// What happened on a server.
///
/// Assert on this in a test after the agent has run:
/// [`is_clean`](Self::is_clean) is true if no request was refused and the cache
/// was never missed.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct ServerReport {
    /// How many requests there were, with failures on demand.
    pub requests: u64,
    /// How many responses there were.
    pub answered: u64,
    /// How many requests were refused.
    pub refused: u64,
    /// How many requests failed on demand.
    pub failed_on_demand: u64,
    /// How many thinking blocks were dropped.
    pub thinking_dropped: u64,
    /// How many requests read less from the cache than the request before them
    /// had left.
    pub missed: u64,
    /// The refusals.
    pub refusals: Vec<Refusal>,
    /// The requests that missed the cache.
    pub misses: Vec<MissLine>,
    /// The paths that are no API's, each with its method: `POST /v1/mesages`.
    pub not_found: Vec<String>,
    /// The tokens and what they cost.
    pub totals: Totals,
}

/// A cache miss.
#[derive(Clone, Debug, Serialize)]
pub struct MissLine {
    /// The request's number, from 1.
    pub request: u64,
    /// The reason, the first byte that differs and its cause.
    pub miss: Miss,
}

/// A refused request.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The request's number, from 1.
    pub request: u64,
    /// The path, as in `/v1/messages`.
    pub path: String,
    /// The HTTP status.
    pub status: u16,
    /// The error type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub message: String,
}

/// Tokens and what they cost.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// Input read from the cache.
    pub cache_read_input_tokens: u64,
    /// Input written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input that was neither.
    pub input_tokens: u64,
    /// Output.
    pub output_tokens: u64,
    /// US dollars, by the catalogue's prices.
    pub cost: f64,
    /// Requests without a price, whose cost is not in the sum.
    pub unpriced: u64,
    /// The oldest day that these prices are from.
    pub prices_as_of: Option<Date>,
}

impl ServerReport {
    /// Returns true if every request was accepted, and none missed the cache. If none arrived, it
    /// is false when the client asked for other paths only.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let is_reached = self.requests > 0 || self.not_found.is_empty();
        self.refused == 0 && self.missed == 0 && is_reached
    }

    /// Adds a path that is no API's. Agents also ask for paths of their vendor's product, so this is
    /// no refusal.
    pub(crate) fn add_not_found(&mut self, asked: String) {
        if self.not_found.len() < MAX_LISTED && !self.not_found.contains(&asked) {
            self.not_found.push(asked);
        }
    }

    /// Counts a response, with the number of thinking blocks that were dropped.
    pub(crate) fn answer(
        &mut self,
        model: &str,
        samplings: &[Usage],
        dropped: usize,
        miss: Option<Miss>,
    ) {
        self.answered += 1;
        self.thinking_dropped += dropped as u64;
        self.totals.add(find(model).facts, samplings);
        if let Some(mut miss) = miss {
            self.missed += 1;
            if self.misses.len() < MAX_LISTED {
                redact::miss(&mut miss);
                self.misses.push(MissLine { request: self.requests, miss });
            }
        }
    }

    /// Adds a refusal. `message` is its text without secrets.
    pub(crate) fn refuse(&mut self, path: &str, error: &ApiError, message: String) {
        self.refused += 1;
        if self.refusals.len() < MAX_LISTED {
            self.refusals.push(Refusal {
                request: self.requests,
                path: redact::path(path),
                status: error.status(),
                kind: error.kind().to_owned(),
                message,
            });
        }
    }
}

impl Totals {
    /// Returns the cost with the prices' day, such as `$0.0042 (prices of
    /// 2026-11-21)`.
    #[must_use]
    pub fn price(&self) -> String {
        let mut notes = Vec::new();
        if self.unpriced > 0 {
            notes.push(format!("{} without a price", self.unpriced));
        }
        notes.extend(self.prices_as_of.map(|day| format!("prices of {day}")));
        let notes =
            if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        format!("${:.4}{notes}", self.cost)
    }

    /// Adds a request's samplings.
    pub(crate) fn add(&mut self, facts: &ModelFacts, samplings: &[Usage]) {
        let sum: Usage = samplings.iter().copied().sum();
        for (total, tokens) in [
            (&mut self.cache_read_input_tokens, sum.read),
            (&mut self.cache_creation_input_tokens, sum.written()),
            (&mut self.input_tokens, sum.uncached),
            (&mut self.output_tokens, sum.output),
        ] {
            *total = total.saturating_add(tokens);
        }
        match cost(facts, samplings) {
            Some(cost) => self.cost += cost.dollars(),
            None => self.unpriced += 1,
        }
        self.prices_as_of = Date::earlier(self.prices_as_of, facts.prices_as_of);
    }
}

/// Returns what a request costs; `None` if the catalogue has no price.
pub(crate) fn cost(facts: &ModelFacts, samplings: &[Usage]) -> Option<Cost> {
    samplings.iter().map(|usage| usage.cost(facts)).sum()
}

impl std::fmt::Display for MissLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "request {}: {}", self.request, MissText(&self.miss))
    }
}

/// A miss in one line.
pub(crate) struct MissText<'a>(pub(crate) &'a Miss);

impl std::fmt::Display for MissText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let miss = self.0;
        write!(f, "miss {}", miss.reason.as_str())?;
        match (&miss.difference, &miss.detail) {
            (Some(difference), _) => {
                let (path, at) = (&difference.path, difference.value_offset);
                write!(f, " at {path}, byte {at} ({})", difference.cause)?;
            }
            (None, Some(detail)) => write!(f, " ({detail})")?,
            (None, None) => {}
        }
        write!(f, ", {} tokens lost", miss.lost_tokens)?;
        match &miss.unreached {
            Some(unreached) => write!(f, "; {unreached}"),
            None => Ok(()),
        }
    }
}
