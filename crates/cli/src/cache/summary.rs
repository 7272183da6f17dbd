//! The summary of a whole log, for `aside cache explain`.
//!
//! `Sums` adds up the requests as they are read; `Sums::finish` makes a `Summary` of it,
//! which is serialized under the key `summary` with `--json`, and printed as lines
//! otherwise:
//!
//! ```text
//! 8 requests
//! predicted: 59.7 % of the input read; 12,136 read, 8,178 written, 0 plain; $0.043
//! the least possible: $0.040; this is 1.07 times as much
//! lost by date or clock: $0.021 in 2 requests, 4,331 tokens
//! ```
//!
//! A cost is printed only if the prices of all models are known.

use std::collections::BTreeMap;

use aside_cache_model::{Bound, Cost, Sensitivity, Usage, Verdict};
use aside_inspect::rows::{LogNotes, miss_cause};
use aside_inspect::{money, prices_of, thousands};
use aside_models::Date;
use serde::Serialize;

use super::figures;
use crate::count::count;

/// The share of the recorded read by which a predicted read may differ and still agrees
/// with it: tokens are estimated until the provider has counted them.
const TOLERANCE: f64 = 0.1;

/// A difference up to this many tokens is agreement, whatever its share is.
const TOLERATED: u64 = 256;

/// The summary, in the form of `--json`. Keys are added, never changed.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// The number of requests that did not fail, with entries that have usage only.
    pub(super) requests: usize,
    /// Requests that the provider refused; they are in no other figure.
    pub(super) failed: usize,
    /// Entries of the log that could not be read.
    pub(super) faults: usize,
    /// The totals of the model.
    pub(super) predicted: Figures,
    /// The totals of the provider; absent if the log has no usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded: Option<Recorded>,
    /// The lower bound of the cost over all placements of markers.
    ///
    /// `null` if a price is not known, or if no request has a body.
    pub(super) bound: Option<Cost>,
    /// The oldest day whose prices these are.
    pub(super) prices_as_of: Option<Date>,
    /// The predicted cost divided by `bound`, rounded to three digits; 1 is the best
    /// possible.
    pub(super) cost_over_bound: Option<f64>,
    /// The lost money by cause, in descending order.
    pub(super) causes: Vec<Loss>,
    /// The number of requests that lose thinking of the request that they continue.
    pub(super) thinking_lost: usize,
    /// The figures that depend on an assumption; absent without `--sensitivity`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sensitivity: Vec<Sensitivity>,
    /// Sentences about what was assumed because the log does not have it.
    pub(super) notes: Vec<String>,
}

/// The totals of one source, the model or the provider.
#[derive(Debug, Default, Serialize)]
pub(super) struct Figures {
    /// The input of all requests, by price class.
    pub(super) usage: Usage,
    /// The share of the input that was read from the cache, from 0 to 1, rounded to three
    /// digits.
    pub(super) hit_rate: f64,
    /// Its cost; `None` if the price of a model is not known.
    pub(super) cost: Option<Cost>,
}

/// The totals that the provider billed, and their agreement with the model.
#[derive(Debug, Serialize)]
pub(super) struct Recorded {
    /// The totals, whose keys are in the same object.
    #[serde(flatten)]
    pub(super) figures: Figures,
    /// The number of requests with recorded usage.
    pub(super) requests: usize,
    /// The share of the requests with a whole body whose predicted read agrees with the
    /// recorded one, from 0 to 1; 0 if there are none.
    pub(super) agreement: f64,
    /// The number of the first request whose reads do not agree, from 1: the model is
    /// wrong about it, or a rule of the provider is not known.
    pub(super) first_disagreement: Option<usize>,
}

/// The cost of all misses of one cause.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Loss {
    /// The name of the cause, such as `date or clock`, `expired` or `parameter thinking`.
    pub(super) cause: String,
    /// The number of misses.
    pub(super) requests: usize,
    /// The tokens that were in the cache, and were not read.
    pub(super) lost_tokens: u64,
    /// Their additional cost compared with cache reads; `None` if a price is not known.
    pub(super) lost_cost: Option<Cost>,
}

/// The totals of the requests that were read so far.
#[derive(Debug, Default)]
pub(super) struct Sums {
    requests: usize,
    usage: Usage,
    cost: Option<Cost>,
    prices_as_of: Option<Date>,
    /// True once the price of a model was not known: all costs are omitted then.
    is_unpriced: bool,
    recorded: Usage,
    recorded_cost: Cost,
    /// The number of requests with recorded usage.
    recorded_requests: usize,
    /// The number of those that were also compared with a prediction.
    compared: usize,
    /// How many of these agree with the prediction.
    agreeing: usize,
    first_disagreement: Option<usize>,
    /// The misses by the name of their cause.
    causes: BTreeMap<String, Loss>,
    thinking_lost: usize,
}

impl Sums {
    /// Adds a request with its prediction.
    ///
    /// A miss is added to the losses of its cause.
    pub(super) fn add(&mut self, verdict: &Verdict) {
        self.requests += 1;
        self.usage += verdict.usage;
        self.prices_as_of = Date::earlier(self.prices_as_of, verdict.prices_as_of);
        match verdict.cost {
            Some(cost) => *self.cost.get_or_insert_default() += cost,
            None => self.is_unpriced = true,
        }
        if let Some(miss) = &verdict.miss {
            self.add_loss(miss_cause(miss), miss.lost_tokens, miss.lost_cost);
        }
    }

    /// Adds a miss to the losses of its cause.
    pub(super) fn add_loss(&mut self, cause: String, tokens: u64, cost: Option<Cost>) {
        let loss = self.causes.entry(cause.clone()).or_insert(Loss {
            cause,
            requests: 0,
            lost_tokens: 0,
            lost_cost: Some(Cost::ZERO),
        });
        loss.requests += 1;
        loss.lost_tokens = loss.lost_tokens.saturating_add(tokens);
        loss.lost_cost = loss.lost_cost.zip(cost).map(|(a, b)| a + b);
    }

    /// Adds the usage that the provider billed for a request, which `model` prices.
    pub(super) fn add_recorded(&mut self, recorded: Usage, model: &str) {
        self.recorded += recorded;
        self.recorded_requests += 1;
        let facts = aside_models::find(model).facts;
        self.prices_as_of = Date::earlier(self.prices_as_of, facts.prices_as_of);
        match recorded.cost(facts) {
            Some(cost) => self.recorded_cost += cost,
            None => self.is_unpriced = true,
        }
    }

    /// Compares the predicted usage of a request with the recorded one.
    pub(super) fn compare(&mut self, number: usize, predicted: Usage, recorded: Usage) {
        self.compared += 1;
        match agrees(predicted, recorded) {
            true => self.agreeing += 1,
            false => {
                self.first_disagreement.get_or_insert(number);
            }
        }
    }

    /// Counts a request without a body, which has no prediction.
    pub(super) fn add_unbodied(&mut self) {
        self.requests += 1;
    }

    /// Counts a request that loses thinking.
    pub(super) fn add_thinking_lost(&mut self) {
        self.thinking_lost += 1;
    }

    /// Returns the summary of all requests.
    ///
    /// `bounds` has the lower bound of each preset of rules; their sum is compared with
    /// the predicted cost. Causes are sorted by lost money, then by lost tokens.
    pub(super) fn finish(
        self,
        bounds: &[&Bound],
        sensitivity: Vec<Sensitivity>,
        notes: &LogNotes,
    ) -> Summary {
        let has_bodies = self.usage.input() > 0;
        let cost = self.cost.filter(|_| !self.is_unpriced);
        let bound = figures::bound(bounds.iter().map(|it| it.cost())).filter(|_| has_bodies);
        let mut causes: Vec<Loss> = self.causes.into_values().collect();
        causes.sort_by_key(|it| std::cmp::Reverse((it.lost_cost, it.lost_tokens)));
        let recorded = (self.recorded_requests > 0).then(|| Recorded {
            figures: Figures {
                hit_rate: figures::hit_rate(self.recorded),
                usage: self.recorded,
                cost: Some(self.recorded_cost).filter(|_| !self.is_unpriced),
            },
            requests: self.recorded_requests,
            agreement: match self.compared {
                0 => 0.0,
                compared => figures::thousandths(self.agreeing as f64 / compared as f64),
            },
            first_disagreement: self.first_disagreement,
        });
        Summary {
            requests: self.requests,
            failed: notes.failed,
            faults: notes.faults,
            predicted: Figures {
                hit_rate: figures::hit_rate(self.usage),
                usage: self.usage,
                cost,
            },
            recorded,
            bound,
            prices_as_of: self.prices_as_of,
            cost_over_bound: figures::over_bound(cost, bound).map(figures::thousandths),
            causes,
            thinking_lost: self.thinking_lost,
            sensitivity,
            notes: note_lines(notes),
        }
    }
}

/// Returns true if the predicted read agrees with the recorded one: both are zero, or
/// both are not and differ by at most the tolerance. A hit instead of a miss never
/// agrees, however short the prefix.
pub(super) fn agrees(predicted: Usage, recorded: Usage) -> bool {
    let difference = predicted.read.abs_diff(recorded.read);
    let tolerated = (recorded.read as f64 * TOLERANCE) as u64;
    difference <= tolerated.max(TOLERATED) && (predicted.read == 0) == (recorded.read == 0)
}

/// Returns one sentence for each assumption; an exact log with times and bodies has none.
fn note_lines(notes: &LogNotes) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(every) = notes.assumed_times {
        let seconds = every.as_secs_f64();
        lines.push(format!(
            "the log has no times: {seconds} s between requests are assumed"
        ));
    }
    if notes.counts > 0 {
        let counts = count(notes.counts as u64, "token count", "token counts");
        lines.push(format!(
            "left out: {counts}, which leave nothing in a cache"
        ));
    }
    if notes.reserialized > 0 {
        lines.push(
            "bodies were serialized again by the log: positions are those of the values".to_owned(),
        );
    }
    if notes.sections > 0 {
        lines.push(
            "the log has parts of requests only: verdicts are about whole sections".to_owned(),
        );
    }
    if notes.kept > 0 {
        let kept = count(notes.kept as u64, "request continues", "requests continue");
        lines.push(format!(
            "{kept} a conversation that the provider keeps and the log lacks: predicted without it, and not compared"
        ));
    }
    lines
}

impl Summary {
    /// Returns the lines of the summary.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let usage = |it: &Usage| {
            format!(
                "{} read, {} written, {} plain",
                thousands(it.read),
                thousands(it.written()),
                thousands(it.uncached)
            )
        };
        let percent = |rate: f64| format!("{:.1} %", rate * 100.0);
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(" ({failed} failed and left out)"),
        };
        let requests = count(self.requests as u64, "request", "requests");
        lines.push(format!("{requests}{failed}"));
        if self.predicted.usage.input() > 0 {
            let it = &self.predicted;
            lines.push(format!(
                "predicted: {} of the input read; {}; {}",
                percent(it.hit_rate),
                usage(&it.usage),
                money(it.cost) + &prices_of(self.prices_as_of.filter(|_| it.cost.is_some()))
            ));
        }
        if let Some(it) = &self.recorded {
            let figures = &it.figures;
            lines.push(format!(
                "recorded:  {} of the input read; {}; {}",
                percent(figures.hit_rate),
                usage(&figures.usage),
                money(figures.cost)
                    + &prices_of(self.prices_as_of.filter(|_| figures.cost.is_some()))
            ));
            if self.predicted.usage.input() > 0 {
                let first = it.first_disagreement.map_or(String::new(), |it| {
                    format!(
                        "; look at request {it}: the prediction is wrong there, or a rule is not known"
                    )
                });
                lines.push(format!("agreement: {}{first}", percent(it.agreement)));
            }
        }
        if let (Some(bound), Some(over)) = (self.bound, self.cost_over_bound) {
            lines.push(format!(
                "the least possible cost: {bound}; predicted is {over:.2} times that"
            ));
        }
        for it in &self.causes {
            lines.push(format!(
                "lost to {}: {} in {}, {} tokens",
                it.cause,
                money(it.lost_cost),
                count(it.requests as u64, "request", "requests"),
                thousands(it.lost_tokens)
            ));
        }
        if self.thinking_lost > 0 {
            let requests = count(self.thinking_lost as u64, "request", "requests");
            lines.push(format!("thinking is lost in {requests}"));
        }
        for it in &self.sensitivity {
            lines.push(format!(
                "depends on {}: {}, {} instead",
                it.choice.as_str(),
                count(it.requests as u64, "request", "requests"),
                money(it.cost)
            ));
        }
        lines.extend(self.notes.iter().map(|it| format!("note: {it}")));
        lines
    }
}
