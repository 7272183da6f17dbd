//! What a log costs, and the least that it could.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use aside_cache_model::{
    Body, Bound, CacheModel, CacheRules, Choice, CostFinding, Linter, Timed, Usage,
};
use aside_cache_split::TtlPolicy;

use crate::traces::trace::{Trace, play};

/// A request in a trace.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Duration,
    pub(crate) session: String,
    pub(crate) body: bytes::Bytes,
}

/// What a trace costs, in plain input tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Price {
    pub(crate) cost: f64,
    pub(crate) bound: f64,
}

impl Price {
    /// Returns the cost as a multiple of the bound.
    pub(crate) fn ratio(self) -> f64 {
        self.cost / self.bound
    }
}

/// What a read costs, as a share of the plain input price, with a model in the
/// catalogue that has this price.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadPrice {
    pub(crate) share: f64,
    pub(crate) model: &'static str,
}

/// All prices of a read.
pub(crate) const READ_PRICES: [ReadPrice; 3] = [
    ReadPrice { share: 0.1, model: "claude-opus-5" },
    ReadPrice { share: 0.05, model: "claude-opus-5-5" },
    ReadPrice { share: 0.025, model: "claude-fable-5-1" },
];

/// The model for the traces. Their bytes do not depend on what a read costs.
pub(crate) const MODEL: &str = READ_PRICES[0].model;

/// Prices a trace with documented rules, for `ttl` or the default policy.
pub(crate) fn price(trace: Trace, ttl: Option<TtlPolicy>, read: ReadPrice) -> Price {
    price_with(trace, ttl, read, &CacheRules::anthropic())
}

/// Prices the default policy with one undocumented rule reversed.
pub(crate) fn price_flipped(trace: Trace, ttl: Option<TtlPolicy>, choice: Choice) -> Price {
    let rules = CacheRules::anthropic().flipped(choice);
    price_with(trace, ttl, READ_PRICES[0], &rules)
}

fn price_with(trace: Trace, ttl: Option<TtlPolicy>, read: ReadPrice, rules: &CacheRules) -> Price {
    price_of(&parsed(trace, ttl, read.model), read, rules)
}

/// Prices requests that were parsed for the model in `read`.
pub(crate) fn price_of(entries: &[Timed], read: ReadPrice, rules: &CacheRules) -> Price {
    let mut model = CacheModel::new(rules.clone());
    let mut bound = Bound::new();
    let mut input = 0.0;
    let mut cost = 0.0;
    for entry in entries {
        let verdict = model.send_timed(entry);
        cost += in_input_tokens(verdict.usage, read.share);
        bound.add(&model, entry);
        input = plain_price(&entry.request);
    }
    Price { cost, bound: bound.cost().unwrap().dollars() / input }
}

/// Returns the finding on one-hour entries that were never needed.
pub(crate) fn wasted_hours(trace: Trace) -> Option<CostFinding> {
    let mut model = CacheModel::new(CacheRules::anthropic());
    let mut linter = Linter::new();
    for entry in parsed(trace, None, MODEL).iter() {
        let verdict = model.send_timed(entry);
        linter.add(&model, entry, &verdict);
    }
    let mut findings = linter.finish().into_iter();
    findings.find(|it| it.rule == "hour-never-read")
}

/// A trace's policy; `None` is the default policy.
type Key = (Trace, Option<TtlPolicy>);

/// Values that are made once in the process.
type Once<K, V> = LazyLock<Mutex<HashMap<K, Arc<Vec<V>>>>>;

fn once<K: Eq + Hash, V>(made: &Once<K, V>, key: K, make: impl FnOnce() -> Vec<V>) -> Arc<Vec<V>> {
    if let Some(known) = made.lock().unwrap().get(&key) {
        return known.clone();
    }
    let new = Arc::new(make());
    made.lock().unwrap().insert(key, new.clone());
    new
}

fn played(trace: Trace, ttl: Option<TtlPolicy>) -> Arc<Vec<Sent>> {
    static PLAYED: Once<Key, Sent> = LazyLock::new(Mutex::default);
    once(&PLAYED, (trace, ttl), || play(trace, ttl))
}

/// Returns a trace's requests, as they would be for another model.
fn parsed(trace: Trace, ttl: Option<TtlPolicy>, model: &'static str) -> Arc<Vec<Timed>> {
    static PARSED: Once<(Key, &str), Timed> = LazyLock::new(Mutex::default);
    once(&PARSED, ((trace, ttl), model), || parse(&played(trace, ttl), model))
}

/// Parses requests, as they would be for another model.
pub(crate) fn parse(all: &[Sent], model: &str) -> Vec<Timed> {
    let mut latest: HashMap<String, Body> = HashMap::new();
    let mut timed = Vec::new();
    for sent in all {
        let body = with_model(&sent.body, model);
        let before = latest.get(&sent.session);
        let request = Body::parse_after(body, before).unwrap();
        latest.insert(sent.session.clone(), request.clone());
        let mut entry = Timed::new(request, sent.at);
        entry.session = Some(sent.session.clone());
        timed.push(entry);
    }
    timed
}

/// Replaces a body's model.
fn with_model(body: &bytes::Bytes, model: &str) -> bytes::Bytes {
    if model == MODEL {
        return body.clone();
    }
    let text = std::str::from_utf8(body).unwrap();
    let (before, after) = [MODEL, model].map(|it| format!(r#""model":"{it}""#)).into();
    text.replacen(&before, &after, 1).into_bytes().into()
}

fn in_input_tokens(usage: Usage, read: f64) -> f64 {
    let of = |tokens: u64, factor: f64| tokens as f64 * factor;
    of(usage.read, read)
        + of(usage.write_5m, 1.25)
        + of(usage.write_1h, 2.0)
        + of(usage.uncached, 1.0)
}

/// What a plain input token costs, in dollars.
fn plain_price(request: &Body) -> f64 {
    let facts = aside_models::find(request.model().unwrap()).facts;
    facts.price(1).unwrap().input.dollars() / 1e6
}
