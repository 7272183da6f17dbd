//! The log summary, for `aside cache explain`.
//!
//! `Sums` adds up requests as they are read, and `Sums::finish` turns them into
//! a `Summary`. `--json` serializes it under the key `summary`; text output
//! prints it as lines:
//!
//! ```text
//! 8 requests
//! predicted: 59.7 % of the input read; 12,136 read, 8,178 written, 0 plain; $0.043
//! the least possible: $0.040; this is 1.07 times as much
//! lost by date or clock: $0.021 in 2 requests, 4,331 tokens
//! ```
//!
//! Costs are printed only when every model's price is known.

use std::collections::BTreeMap;

use aside_cache_model::{Bound, Cost, Sensitivity, SensitivityRun, Usage, Verdict};
use aside_inspect::rows::{LogNotes, LoggedRequest, miss_cause};
use aside_inspect::{money, prices_of, thousands};
use aside_models::Date;
use serde::Serialize;

use super::figures;
use crate::count::count;

/// How far a predicted read may be from the recorded read and still agree, as a
/// fraction of it: tokens are estimates until the provider has counted them.
const TOLERANCE: f64 = 0.1;

/// Up to this many tokens always count as agreement, whatever the fraction.
const TOLERATED: u64 = 256;

/// The summary, as `--json` prints it. Keys are added, never changed.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// How many requests were answered, including entries with usage only.
    pub(super) requests: usize,
    /// Requests that failed. Those whose responses had begun are in the other
    /// figures, too.
    pub(super) failed: usize,
    /// Those that the provider refused.
    #[serde(skip)]
    left_out: usize,
    /// Log entries that could not be read.
    pub(super) faults: usize,
    /// What the model predicts.
    pub(super) predicted: Figures,
    /// What the provider billed; absent when the log has no usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded: Option<Recorded>,
    /// The lowest cost that any marker placement can reach.
    ///
    /// `null` when a price is unknown, or when no request has a body.
    pub(super) bound: Option<Cost>,
    /// The day of the oldest price used here.
    pub(super) prices_as_of: Option<Date>,
    /// The cost divided by `bound`, rounded to three digits; 1 is the best possible. The cost is
    /// the recorded one of each request with a recorded usage, and else the predicted one.
    pub(super) cost_over_bound: Option<f64>,
    /// Money lost by cause, in descending order.
    pub(super) causes: Vec<Loss>,
    /// How many requests lose thinking from the request that they continue.
    pub(super) thinking_lost: usize,
    /// Figures that depend on an assumption; absent without `--sensitivity`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sensitivity: Vec<Sensitivity>,
    /// Sentences on what to assume when the log does not say.
    pub(super) notes: Vec<String>,
}

/// Totals from one source, the model or the provider.
#[derive(Debug, Default, Serialize)]
pub(super) struct Figures {
    /// All requests' input, by price class.
    pub(super) usage: Usage,
    /// How much input was read from the cache, from 0 to 1, rounded to three
    /// digits.
    pub(super) hit_rate: f64,
    /// What it cost; `None` when a model's price is unknown.
    pub(super) cost: Option<Cost>,
}

/// What the provider billed, and how well the model agrees.
#[derive(Debug, Serialize)]
pub(super) struct Recorded {
    /// The totals. Their keys are in the same object.
    #[serde(flatten)]
    pub(super) figures: Figures,
    /// How many requests have recorded usage.
    pub(super) requests: usize,
    /// Plain tokens that may be cache writes, which cost more: the log does not say.
    pub(super) unknown_write: u64,
    /// How many complete requests agree with their recorded read, from 0 to 1;
    /// `null` when there are none.
    pub(super) agreement: Option<f64>,
    /// The first request, from 1, whose reads do not agree: the model is wrong
    /// about it, or a provider rule is unknown.
    pub(super) first_disagreement: Option<usize>,
}

/// What all misses with one cause cost.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Loss {
    /// The cause's name, such as `date or clock`, `expired` or
    /// `parameter thinking`.
    pub(super) cause: String,
    pub(super) requests: usize,
    /// Tokens that were in the cache, but were not read.
    pub(super) lost_tokens: u64,
    /// What they cost on top of cache reads; `None` when a price is unknown.
    pub(super) lost_cost: Option<Cost>,
}

/// The sums of a log. The maps have a preset's name as their key, since different providers share
/// no cache entries.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// The lowest possible cost, for the last summary line.
    pub(super) bounds: BTreeMap<&'static str, Bound>,
    sensitivity: BTreeMap<&'static str, SensitivityRun>,
    pub(super) requests: usize,
    usage: Usage,
    cost: Option<Cost>,
    /// What the requests with a body cost, by their recorded usage where it is known.
    paid: Cost,
    /// True once a log does not say how much of a request was written.
    is_paid_unknown: bool,
    prices_as_of: Option<Date>,
    /// True once a model's price is unknown: this leaves out all costs.
    is_unpriced: bool,
    recorded: Usage,
    recorded_cost: Cost,
    recorded_requests: usize,
    /// Recorded tokens that may be cache writes.
    unknown_write: u64,
    compared: usize,
    agreeing: usize,
    first_disagreement: Option<usize>,
    causes: BTreeMap<String, Loss>,
    pub(super) thinking_lost: usize,
}

impl Sums {
    /// Adds a request with its prediction.
    ///
    /// A miss also counts as a loss for its cause. `paid` is what the input cost, by its recorded
    /// usage if there is one.
    pub(super) fn add(&mut self, verdict: &Verdict, paid: Option<Cost>) {
        self.requests += 1;
        self.is_paid_unknown |= paid.is_none();
        self.paid += paid.unwrap_or_default();
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

    /// Adds the usage billed for a request, at `model` prices. Of its tokens, `unknown_write` may be
    /// cache writes.
    pub(super) fn add_recorded(&mut self, recorded: Usage, model: &str, unknown_write: u64) {
        self.recorded += recorded;
        self.unknown_write += unknown_write;
        self.recorded_requests += 1;
        let facts = aside_models::find(model).facts;
        self.prices_as_of = Date::earlier(self.prices_as_of, facts.prices_as_of);
        match recorded.cost(facts) {
            Some(cost) => self.recorded_cost += cost,
            None => self.is_unpriced = true,
        }
    }

    /// Compares a request's predicted usage to the recorded usage.
    pub(super) fn compare(&mut self, number: usize, predicted: Usage, recorded: Usage) {
        self.compared += 1;
        if agrees(predicted, recorded) {
            self.agreeing += 1;
        } else {
            self.first_disagreement.get_or_insert(number);
        }
    }

    /// Repeats a request with every choice.
    pub(super) fn add_sensitivity(&mut self, logged: &LoggedRequest, verdict: &Verdict) {
        let run = self.sensitivity.entry(logged.rules.name);
        run.or_insert_with(|| SensitivityRun::new(&logged.rules)).add(&logged.timed, verdict);
    }

    /// Returns the summary for all requests.
    ///
    /// The sum of the presets' lower bounds is compared to the cost. Causes are sorted by
    /// lost money, then by lost tokens.
    pub(super) fn finish(self, notes: &LogNotes) -> Summary {
        let has_bodies = self.usage.input() > 0;
        let cost = self.cost.filter(|_| !self.is_unpriced);
        let paid = cost.filter(|_| !self.is_paid_unknown).map(|_| self.paid);
        let bound = figures::bound(self.bounds.values().map(Bound::cost)).filter(|_| has_bodies);
        let mut causes: Vec<Loss> = self.causes.into_values().collect();
        causes.sort_by_key(|it| std::cmp::Reverse((it.lost_cost, it.lost_tokens)));
        let recorded = (self.recorded_requests > 0).then(|| Recorded {
            figures: Figures::new(
                self.recorded,
                Some(self.recorded_cost).filter(|_| !self.is_unpriced),
            ),
            requests: self.recorded_requests,
            unknown_write: self.unknown_write,
            agreement: (self.compared > 0)
                .then(|| figures::thousandths(self.agreeing as f64 / self.compared as f64)),
            first_disagreement: self.first_disagreement,
        });
        Summary {
            requests: self.requests,
            failed: notes.failed + notes.broken,
            left_out: notes.failed,
            faults: notes.faults,
            predicted: Figures::new(self.usage, cost),
            recorded,
            bound,
            prices_as_of: self.prices_as_of,
            cost_over_bound: figures::over_bound(paid, bound).map(figures::thousandths),
            causes,
            thinking_lost: self.thinking_lost,
            sensitivity: self.sensitivity.into_values().flat_map(SensitivityRun::finish).collect(),
            notes: note_lines(notes),
        }
    }
}

impl Figures {
    fn new(usage: Usage, cost: Option<Cost>) -> Self {
        Self { usage, hit_rate: figures::hit_rate(usage), cost }
    }

    /// Returns a line's end: what was read, and what it cost.
    fn line(&self, prices_as_of: Option<Date>) -> String {
        format!(
            "{} of the input read; {} read, {} written, {} plain; {}{}",
            percent(self.hit_rate),
            thousands(self.usage.read),
            thousands(self.usage.written()),
            thousands(self.usage.uncached),
            money(self.cost),
            prices_of(prices_as_of.filter(|_| self.cost.is_some()))
        )
    }
}

fn percent(rate: f64) -> String {
    format!("{:.1} %", rate * 100.0)
}

/// Returns true when the predicted read agrees with the recorded one: both are
/// zero, or both are not and are within tolerance. A hit never agrees with a
/// miss, however short the prefix.
pub(super) fn agrees(predicted: Usage, recorded: Usage) -> bool {
    let difference = predicted.read.abs_diff(recorded.read);
    let tolerated = (recorded.read as f64 * TOLERANCE) as u64;
    difference <= tolerated.max(TOLERATED) && (predicted.read == 0) == (recorded.read == 0)
}

/// Returns one sentence per assumption; an exact log with times and bodies
/// needs none.
fn note_lines(notes: &LogNotes) -> Vec<String> {
    let mut lines = Vec::new();
    if notes.broken > 0 {
        let broken = count(notes.broken as u64, "request", "requests");
        lines.push(format!("{broken} failed after the response had begun: billed like the others"));
    }
    lines.extend(notes.assumed());
    if notes.counts > 0 {
        let counts = count(notes.counts as u64, "token count", "token counts");
        lines.push(format!("left out: {counts}, which leave nothing in a cache"));
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
        let kept = count(notes.kept as u64, "request begins", "requests begin");
        lines.push(format!(
            "{kept} with what the provider keeps and the log lacks: predicted without it, and not compared"
        ));
    }
    if notes.converse > 0 {
        let converse = count(notes.converse as u64, "request is", "requests are");
        lines.push(format!(
            "{converse} in the form of Bedrock's Converse, whose cache points are not read: only the recorded usage counts"
        ));
    }
    lines
}

impl Summary {
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let failed = match self.left_out {
            0 => String::new(),
            failed => format!(" ({failed} failed and left out)"),
        };
        let requests = count(self.requests as u64, "request", "requests");
        lines.push(format!("{requests}{failed}"));
        if self.predicted.usage.input() > 0 {
            lines.push(format!("predicted: {}", self.predicted.line(self.prices_as_of)));
        }
        if let Some(it) = &self.recorded {
            lines.push(format!("recorded:  {}", it.figures.line(self.prices_as_of)));
            if it.requests < self.requests {
                let requests = count(self.requests as u64, "request", "requests");
                lines.push(format!("only {} of {requests} have a recorded usage", it.requests));
            }
            if it.unknown_write > 0 {
                let tokens = thousands(it.unknown_write);
                lines.push(format!(
                    "{tokens} tokens may be cache writes, which cost more: not in the log"
                ));
            }
            if let Some(agreement) = it.agreement {
                let first = it.first_disagreement.map_or(String::new(), |it| {
                    format!("; look at request {it}: the prediction is wrong there, or a rule is not known")
                });
                lines.push(format!("agreement: {} of the reads{first}", percent(agreement)));
            }
        }
        if let (Some(bound), Some(over)) = (self.bound, self.cost_over_bound) {
            let paid = if self.recorded.is_some() { "the log costs" } else { "predicted is" };
            lines.push(format!("the least possible cost: {bound}; {paid} {over:.2} times that"));
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
