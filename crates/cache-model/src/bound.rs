//! The least that a log could cost, wherever its markers were.

use std::collections::HashMap;
use std::time::Duration;

use crate::cache_rules::{CacheRules, Concurrency, Mechanism};
use crate::entries::Entry;
use crate::miss::tolerated;
use crate::model::{CacheModel, Trace};
use crate::timed::Timed;
use crate::usage::{Cost, Prices};
use aside_body::lifetime::CacheLifetime;

/// Adds up the least that a log could cost, request by request.
///
/// Each distinct prefix is priced by itself, over all requests that begin with
/// it. At each one the prefix is read if an entry is alive, and otherwise
/// billed plainly or written for five minutes or an hour, whichever is cheapest
/// given the later requests. Marker limit, look-back, lifetime order and, for
/// prefixes, the minimum length are ignored, so no placement of markers costs
/// less. A whole request below the minimum is billed plainly. If the log has
/// the usage, tokens are counted as the provider did, and what was read although no request in the
/// log can have written it counts as cached before the log began.
///
/// Requests closer to each other than the latency do not share an entry. A
/// prefix that is read stays alive for an hour if the request continues after
/// it, since a later marker may keep it: for requests that share its next block,
/// too. For others it lives as long as it was written for.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    prefixes: HashMap<u64, Vec<State>>,
    /// The settled cost, in billionths of a dollar.
    settled: Cost,
    is_unpriced: bool,
    next_sweep: Duration,
}

/// One way to have handled a prefix until now.
#[derive(Clone, Copy, Debug)]
struct State {
    cost: Cost,
    /// The entry of this prefix.
    own: Option<Entry>,
    /// The same, or an entry of a longer prefix.
    kept: Option<Entry>,
}

/// The hash of a prefix that a log leaves out.
const UNSEEN: u64 = 0;

/// How often to remove prefixes that can no longer be read.
const SWEEP: Duration = Duration::from_secs(600);

impl Bound {
    /// Starts without requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the request last sent to the model.
    pub fn add(&mut self, model: &CacheModel, entry: &Timed) {
        let Some(trace) = model.trace() else {
            return;
        };
        // No placement changes how many tokens the provider counted.
        let tokens = trace.tokens.counted(entry.usage.map(|it| it.input()));
        let Some(prices) = Prices::of(trace.billed, trace.is_fast, tokens.all()) else {
            self.is_unpriced = true;
            return;
        };
        self.sweep(trace.at);
        let is_cached = entry.usage.is_some_and(|it| it.cached() > 0);
        if tokens.all() < trace.plan.minimum && !is_cached {
            self.settled += prices.plain(tokens.all());
            return;
        }
        let latency = match model.rules().concurrency {
            Concurrency::OnResponse => entry.latency.unwrap_or(model.rules().latency),
            Concurrency::AtOnce => Duration::ZERO,
        };
        let writes = options(trace);
        let free_entries = model.rules().writes_below_hit;
        let mut before = 0;
        let mut next = Vec::with_capacity(8);
        let positions = &trace.chain.positions;
        let unseen = trace.chain.unseen;
        let end = |position: usize| {
            let last = position.checked_sub(1).map(|last| &positions[last]);
            last.map_or(0, |it| tokens.of_estimate(it.tokens))
        };
        let mut first_unread = trace.plan.next();
        let mut beginning = tokens.of_estimate(trace.plan.beginning);
        // What was cached before the log began.
        let recorded = entry.usage.map_or(0, |it| it.read);
        let predicted = end(first_unread) + beginning;
        let is_warm = recorded > predicted + tolerated(predicted) && unseen.tokens == 0;
        let warm = if is_warm { recorded } else { 0 };
        if is_warm {
            first_unread = positions.partition_point(|it| tokens.of_estimate(it.tokens) <= warm);
            beginning = warm - end(first_unread);
        }
        // Nobody can avoid to read the beginning of a block, or to pay for its rest.
        let begun = positions.get(first_unread).map(|it| it.hash);
        let beginning = begun.map_or(0, |_| beginning);
        self.settled += prices.read(beginning);
        // What the provider keeps is billed once, and at best read.
        let kept = if unseen.is_kept { tokens.of_estimate(unseen.tokens) } else { 0 };
        let readable = tokens.of_estimate(unseen.readable).min(kept);
        self.settled += prices.read(readable) + prices.plain(kept - readable);
        let after_kept = positions.get(unseen.before).map(|it| it.hash);
        let positions = positions.iter().map(|it| (it.hash, it.tokens));
        // No request pays twice for what the log leaves out if all requests have the same.
        let is_left_out = unseen.tokens > 0 && !unseen.is_kept;
        let left_out = is_left_out.then_some((UNSEEN, unseen.tokens));
        let mut prefixes = left_out.into_iter().chain(positions).peekable();
        while let Some((hash, estimate)) = prefixes.next() {
            let child = prefixes.peek();
            let is_shared = child.is_some_and(|it| self.prefixes.contains_key(&it.0));
            let up_to = tokens.of_estimate(estimate);
            let begun = if begun == Some(hash) { beginning } else { 0 };
            let read = begun + if after_kept == Some(hash) { kept } else { 0 };
            let occurrence = Occurrence {
                tokens: up_to.saturating_sub(before + read),
                at: trace.at,
                readable: trace.at + latency,
                goes_on: child.is_some() && trace.plan.mechanism == Mechanism::Markers,
                reads_kept: is_shared || free_entries,
                prices,
                writes,
            };
            before = before.max(up_to);
            let nothing = State { cost: Cost::ZERO, own: None, kept: None };
            let states = self.prefixes.entry(hash).or_insert_with(|| vec![nothing]);
            let is_readable = |it: &State| it.own.is_some_and(|it| it.is_readable(trace.at));
            if (1..=warm).contains(&up_to) && !states.iter().any(is_readable) {
                let longest = writes.last().map(|it| it.0);
                let entry = longest.map(|it| Entry::written(None, it, trace.at, trace.at));
                let cost = least(states);
                add(states, cost, entry, entry);
            }
            occurrence.next(states, &mut next);
            // In place and without room to grow: every prefix in the log has a
            // list.
            states.clear();
            states.reserve_exact(next.len());
            states.append(&mut next);
        }
        // Without a position after it, what is kept is in the rest.
        let kept = if after_kept.is_none() { kept } else { 0 };
        let rest = tokens.all().saturating_sub(before + kept);
        self.settled += prices.plain(rest);
    }

    /// Returns the sum; `None` if a model's price is unknown.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        let open = self.prefixes.values().map(|it| least(it));
        (!self.is_unpriced).then(|| open.sum::<Cost>() + self.settled)
    }

    /// Settles prefixes that can no longer be read.
    fn sweep(&mut self, at: Duration) {
        if at < self.next_sweep {
            return;
        }
        self.next_sweep = at + SWEEP;
        let settled = &mut self.settled;
        self.prefixes.retain(|_, states| {
            let is_live = |it: &State| it.kept.is_some_and(|it| it.is_live(at));
            let is_open = states.iter().any(is_live);
            if !is_open {
                *settled += least(states);
            }
            is_open
        });
    }
}

/// Returns the least that a log could cost; `None` if a model's price is
/// unknown. Use [`Bound`] to do the same bit by bit.
///
/// ```
/// use std::time::Duration;
/// use aside_cache_model::{CacheRules, Body, Timed, lower_bound};
///
/// let body = |turn: usize| {
///     let text = "word ".repeat(2_000);
///     let later = r#",{"role":"assistant","content":"Yes."},{"role":"user","content":"Go on."}"#;
///     format!(
///         r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"{text}"}}{}]}}"#,
///         later.repeat(turn)
///     )
/// };
/// let timed = |turn| {
///     let request = Body::parse(body(turn).as_bytes())?;
///     Ok::<_, aside_cache_model::ParseError>(Timed::new(request, Duration::from_secs(60 * turn as u64)))
/// };
/// let rules = CacheRules::anthropic();
/// let one = lower_bound(&[timed(0)?], &rules).expect("the price is known");
/// let two = lower_bound(&[timed(0)?, timed(1)?], &rules).expect("the price is known");
/// // The second request can read the prefix of the first one for a tenth.
/// assert!(two.dollars() < 1.5 * one.dollars());
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn lower_bound(log: &[Timed], rules: &CacheRules) -> Option<Cost> {
    let mut model = CacheModel::new(rules.clone());
    let mut bound = Bound::new();
    for entry in log {
        model.send_timed(entry);
        bound.add(&model, entry);
    }
    bound.cost()
}

fn least(states: &[State]) -> Cost {
    states.iter().map(|it| it.cost).min().unwrap_or_default()
}

/// Returns for which lifetimes a prefix can be written, and whether this is
/// billed as a write.
fn options(trace: &Trace) -> &'static [(CacheLifetime, bool)] {
    use CacheLifetime::{FiveMinutes, OneHour, ThirtyMinutes, TwelveHours, TwentyFourHours};
    match trace.plan.mechanism {
        Mechanism::Markers => &[(FiveMinutes, true), (OneHour, true)],
        Mechanism::Breakpoints => &[(ThirtyMinutes, true), (TwelveHours, true)],
        Mechanism::Implicit { lifetime: TwentyFourHours, .. } => &[(TwentyFourHours, false)],
        Mechanism::Implicit { .. } => &[(TwelveHours, false)],
    }
}

/// One request that has this prefix.
struct Occurrence {
    tokens: u64,
    at: Duration,
    readable: Duration,
    goes_on: bool,
    /// True if an earlier request has the next block too, so that the entry may
    /// be one of a longer prefix.
    reads_kept: bool,
    prices: Prices,
    writes: &'static [(CacheLifetime, bool)],
}

impl Occurrence {
    /// Writes the states after the request to an empty list.
    fn next(&self, states: &[State], next: &mut Vec<State>) {
        let live = |entry: Option<Entry>| entry.filter(|it| it.is_live(self.at));
        for state in states {
            let (own, kept) = (live(state.own), live(state.kept));
            let found = if self.reads_kept { kept } else { own };
            if found.is_some_and(|it| it.is_readable(self.at)) {
                let used = |entry: Entry| Entry { used: self.at, ..entry };
                let longer = |entry: Entry| Entry {
                    lifetime: entry.lifetime.max(CacheLifetime::OneHour),
                    ..entry
                };
                let kept = kept.map(used);
                let kept = if self.goes_on { kept.map(longer) } else { kept };
                let cost = state.cost + self.prices.read(self.tokens);
                add(next, cost, own.map(used), kept);
            }
            add(next, state.cost + self.prices.plain(self.tokens), own, kept);
            for &(lifetime, is_billed) in self.writes {
                let price = if is_billed {
                    self.prices.write(lifetime, self.tokens)
                } else {
                    self.prices.plain(self.tokens)
                };
                let written = |live| Some(Entry::written(live, lifetime, self.at, self.readable));
                add(next, state.cost + price, written(own), written(kept));
            }
        }
    }
}

/// Adds a state, unless another is as good and costs no more.
fn add(states: &mut Vec<State>, cost: Cost, own: Option<Entry>, kept: Option<Entry>) {
    let new = State { cost, own, kept };
    let end = |it: &Option<Entry>| it.map(|it| it.used + it.lifetime.duration());
    let is_as_good = |a: &Option<Entry>, b: &Option<Entry>| match (a, b) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(one), Some(other)) => {
            end(a) >= end(b) && one.lifetime >= other.lifetime && one.readable <= other.readable
        }
    };
    let is_better = |a: &State, b: &State| {
        a.cost <= b.cost && is_as_good(&a.own, &b.own) && is_as_good(&a.kept, &b.kept)
    };
    if states.iter().any(|it| is_better(it, &new)) {
        return;
    }
    states.retain(|it| !is_better(&new, it));
    states.push(new);
}
