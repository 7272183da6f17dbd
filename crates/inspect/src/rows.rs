//! Requests from logs as rows: usage, cost, and each cache miss with its cause and cost, with or
//! without bodies.
//!
//! ```text
//! Exchange ─ RequestReader ─> LoggedRequest ─ RowBuilder ─> Row ─ Sums ─> totals
//! ```
//!
//! A request's lost money and the rest add up to its cost, so the causes in a report and the rest
//! add up to the bill.

mod cause;
mod log_page;
mod request;
mod row;
mod sums;
mod thread;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use aside_cache_model::{
    CacheModel, CacheRules, CostFinding, Linter, PAID_AGAIN_RULES, Spending, Usage,
};
use aside_models::find;
use aside_request_logs::Exchange;

pub use cause::{RowCause, SessionCause, miss_cause};
pub use log_page::{MAX_CHART_ROWS, log_page};
pub use request::LogItem;
pub use request::{LogNotes, LoggedRequest, RequestOptions, RequestReader, Unbodied, rules_for};
pub use row::Row;
pub use sums::{GroupBy, Sums, Totals};

use thread::Threads;

/// Turns logs into rows, one request after the other.
///
/// ```
/// use aside_inspect::request_logs::read;
/// use aside_inspect::rows::{RowBuilder, RequestOptions, RequestReader};
///
/// let log = br#"{"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:00:00Z","message":{"id":"1","model":"claude-haiku-4-5","usage":{"input_tokens":3,"cache_creation_input_tokens":9000,"output_tokens":1}}}
/// {"type":"assistant","sessionId":"s","timestamp":"2026-11-22T00:09:00Z","message":{"id":"2","model":"claude-haiku-4-5","usage":{"input_tokens":3,"cache_creation_input_tokens":9500,"output_tokens":1}}}"#;
/// let mut reader = RequestReader::new(RequestOptions::default());
/// let mut builder = RowBuilder::default();
/// let mut causes = Vec::new();
/// for exchange in read(&log[..], None) {
///     if let Some(item) = reader.read(exchange?)? {
///         let row = builder.row(item).expect("no repeated response");
///         causes.push((row.cause.map(|it| it.name), row.lost_tokens));
///     }
/// }
/// assert_eq!(causes, [(Some("cold start".into()), 0), (Some("expired".into()), 9000)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct RowBuilder {
    caches: Caches,
    threads: Threads,
    spending: Spending,
    linters: HashMap<&'static str, Linter>,
    /// Hashes of the responses that were read, and their times, because a session that is resumed or
    /// forked repeats those before it: 24 bytes a request.
    seen: HashMap<u64, Duration>,
}

/// The providers' caches in a log, one for each preset of rules: requests under different rules
/// cannot share an entry.
#[derive(Debug, Default)]
pub struct Caches(HashMap<&'static str, CacheModel>);

impl Caches {
    /// Returns the cache for a preset, which is empty at the first call. The first rules with a
    /// name are kept.
    pub fn get(&mut self, rules: &CacheRules) -> &mut CacheModel {
        let new = || CacheModel::new(rules.clone());
        self.0.entry(rules.name).or_insert_with(new)
    }
}

impl RowBuilder {
    /// Returns a request's row; `None` for a session's response that an earlier log already has.
    pub fn row(&mut self, item: LogItem) -> Option<Row> {
        match item {
            LogItem::Request(logged) => Some(self.with_body(*logged)),
            LogItem::Unbodied(entry) => self.without_body(entry),
            LogItem::Failed(exchange) => self.failed(exchange),
        }
    }

    /// Returns what the requests with bodies paid without a miss, the most expensive first: for
    /// missing markers, expired entries, single calls, long results and unused tools.
    #[must_use]
    pub fn spending(self) -> Vec<CostFinding> {
        let found = self.linters.into_values().flat_map(Linter::finish);
        let is_again = |it: &CostFinding| PAID_AGAIN_RULES.iter().any(|rule| rule.id == it.rule);
        let mut all: Vec<_> = found.filter(is_again).chain(self.spending.finish()).collect();
        all.sort_by_key(CostFinding::by_cost);
        all
    }

    fn with_body(&mut self, logged: LoggedRequest) -> Row {
        let cache = self.caches.get(&logged.rules);
        let verdict = cache.replay(&logged.timed);
        self.spending.add(cache, &logged.timed, &verdict);
        let linters = self.linters.entry(logged.rules.name);
        let linter = linters.or_insert_with(Linter::without_misses);
        linter.add(cache, &logged.timed, &verdict);
        let model = logged.timed.billed_model();
        let mut row = Row::new(&logged.exchange, logged.timed.at, Some(model));
        let recorded = logged.exchange.usage;
        match recorded {
            Some(usage) => row.bill_recorded(usage, logged.exchange.is_write_missing),
            None => row.bill(verdict.usage),
        }
        row.is_predicted = recorded.is_none();
        match verdict.miss {
            Some(miss) => {
                row.cause = Some(RowCause::from_miss(&miss));
                row.lost_tokens = miss.lost_tokens;
                // Not more than the bill: a prediction may exceed what was recorded.
                row.lost_cost = miss.lost_cost.zip(row.cost).map(|(a, b)| a.min(b));
                row.difference = miss.difference.filter(|_| logged.is_exact);
            }
            None if verdict.parent.is_none() && row.usage.read == 0 => {
                row.cause = Some(SessionCause::ColdStart.into());
            }
            None => {}
        }
        row
    }

    fn without_body(&mut self, entry: Unbodied) -> Option<Row> {
        let exchange = &entry.exchange;
        let original = self.original(exchange, entry.at);
        // Copies are the history of their own session. Codex gives them the time of the fork.
        let copied_at = original.filter(|_| exchange.forked_from.is_some());
        let miss = self.threads.explain(exchange, copied_at.unwrap_or(entry.at));
        if original.is_some() {
            return None;
        }
        let usage = exchange.usage.unwrap_or_default();
        let mut row = Row::new(exchange, entry.at, exchange.model.as_deref());
        row.bill_recorded(usage, exchange.is_write_missing);
        if let Some(miss) = miss {
            row.lost_tokens = miss.tokens;
            let facts = find(exchange.model.as_deref().unwrap_or_default()).facts;
            let without = read_instead(usage, miss.tokens).cost(facts);
            let costs = row.cost.zip(without);
            row.lost_cost = costs.map(|(cost, without)| cost.saturating_sub(without));
            row.cause = Some(miss.cause.into());
        }
        Some(row)
    }

    fn failed(&mut self, exchange: Exchange) -> Option<Row> {
        let at = exchange.at.unwrap_or_default();
        let is_repeated =
            exchange.request.as_bytes().is_none() && self.original(&exchange, at).is_some();
        (!is_repeated).then(|| Row::new(&exchange, at, exchange.model.as_deref()))
    }

    /// Returns when the response was received that this one repeats; `None` if it is new.
    fn original(&mut self, exchange: &Exchange, at: Duration) -> Option<Duration> {
        let (agent, id) = (exchange.agent?, exchange.id.as_ref()?);
        // Some providers begin their ids again in each session.
        let name = exchange.request_id.as_ref().ok_or(exchange.at);
        // A copy may be made before the response has ended. An id from the API needs no figures.
        let is_named = exchange.request_id.as_ref().is_some_and(|it| it != id);
        let input = exchange.usage.filter(|_| !is_named).map(|it| it.input());
        let mut hasher = DefaultHasher::new();
        (agent, id, name, &exchange.model, input).hash(&mut hasher);
        match self.seen.entry(hasher.finish()) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => {
                new.insert(at);
                None
            }
        }
    }
}

/// Returns what the same request's usage would be if it had read some tokens that it wrote or sent,
/// in prefix order: one-hour entries come first.
fn read_instead(mut usage: Usage, tokens: u64) -> Usage {
    let mut rest = tokens;
    let parts =
        [&mut usage.write_1h, &mut usage.write_5m, &mut usage.write_other, &mut usage.uncached];
    for part in parts {
        let moved = rest.min(*part);
        *part -= moved;
        rest -= moved;
    }
    usage.write_12h = usage.write_12h.min(usage.write_other);
    usage.read = usage.read.saturating_add(tokens - rest);
    usage
}
