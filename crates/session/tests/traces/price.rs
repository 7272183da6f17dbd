//! The cost of a log, and its lower bound.

use std::time::Duration;

use aside_cache_model::{Bound, CacheModel, CacheRules, RequestBytes, Timed, Usage};

/// A request of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Duration,
    pub(crate) session: String,
    pub(crate) body: Vec<u8>,
}

/// The cost of a trace, in tokens of plain input.
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

/// The models of the catalogue by their price of a read, as a share of the price
/// of plain input.
pub(crate) const MODELS: [(&str, f64); 3] = [
    ("claude-opus-5", 0.1),
    ("claude-opus-5-5", 0.05),
    ("claude-fable-5-1", 0.025),
];

/// Prices a trace under these rules. The requests of a trace are in the order of
/// their times.
pub(crate) fn price(trace: &[Sent], rules: &CacheRules, read: f64) -> Price {
    let mut model = CacheModel::new(rules.clone());
    let mut bound = Bound::new();
    let mut input = 0.0;
    let mut cost = 0.0;
    for sent in trace {
        let body = bytes::Bytes::from(sent.body.clone());
        let request = model.parse(body, Some(&sent.session)).unwrap();
        let mut entry = Timed::new(request, sent.at);
        entry.session = Some(sent.session.clone());
        let verdict = model.send_timed(&entry);
        cost += in_input_tokens(verdict.usage, read);
        bound.add(&model, &entry);
        input = plain_price(&entry.request);
    }
    Price {
        cost,
        bound: bound.cost().unwrap().dollars() / input,
    }
}

fn in_input_tokens(usage: Usage, read: f64) -> f64 {
    let of = |tokens: u64, factor: f64| tokens as f64 * factor;
    of(usage.read, read)
        + of(usage.write_5m, 1.25)
        + of(usage.write_1h, 2.0)
        + of(usage.uncached, 1.0)
}

/// The price of a token of plain input, in dollars.
fn plain_price(request: &RequestBytes) -> f64 {
    let facts = aside_models::find(request.model().unwrap()).facts;
    f64::from(facts.price(1).unwrap().input.mills()) / 1e9
}
