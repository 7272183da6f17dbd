//! Where a log wastes its cache, and what this costs.
//!
//! The rules use the model's verdicts and later requests: whether a write was
//! worth its price is known only when a later request has read it or not. So
//! most findings are complete when the log ends.

mod request;
mod rule;
mod sessions;
mod starts;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use aside_rules::{Rule, table};
use serde::Serialize;

use crate::cache_rules::{CacheRules, Mechanism};
use crate::chain::chain;
use crate::difference::{Cause, without_own_keys};
use crate::model::{CacheModel, Trace};
use crate::parameters::CacheOptions;
use crate::thinking::thinking_lost;
use crate::timed::Timed;
use crate::usage::Cost;
use crate::verdict::{MissDetail, MissReason, Verdict};
use aside_body::body::{BlockKind, Body, Role};
use aside_body::lifetime::CacheLifetime;
use aside_body::path::Level;

pub use rule::{LINT_RULES, PAID_AGAIN_RULES, SPENDING_RULES, lint_rule};

use sessions::Starts;

/// Something wasteful, in one request or in several.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CostFinding {
    /// The rule's id, one of [`LINT_RULES`].
    pub rule: &'static str,
    /// Why the prefix changed; each cause is a finding of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How many requests have this.
    pub requests: usize,
    /// The number of the first of them in the log, from 1.
    pub first: usize,
    /// Where it is in the first of them.
    pub path: Option<String>,
    /// How many input tokens were billed at a higher price because of this.
    pub lost_tokens: u64,
    /// The additional cost; `None` if a price is unknown.
    pub lost_cost: Option<Cost>,
    /// How to fix it.
    pub fix: &'static str,
}

impl CostFinding {
    /// Returns the key that sorts findings, the most expensive first.
    #[must_use]
    pub fn by_cost(&self) -> impl Ord + use<> {
        Reverse((self.lost_cost, self.lost_tokens))
    }

    /// Removes all text from the bodies: the keys that are a user's or a tool's own.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        if let Some(path) = &mut self.path {
            path.truncate(without_own_keys(path).len());
        }
        self
    }
}

/// A rule's id, and the cause of the misses that break it.
type Key = (&'static str, Option<Cause>);

/// Looks for waste, request by request.
#[derive(Clone, Debug, Default)]
pub struct Linter {
    /// The findings so far.
    found: BTreeMap<Key, CostFinding>,
    /// The requests in each of them.
    counted: HashSet<(Key, usize)>,
    /// Conversations with one request: until when a next one can read what they wrote, and the
    /// tokens of it after the system prompt.
    single: HashMap<usize, (Duration, u64, Option<Cost>)>,
    /// When the latest request was sent.
    now: Duration,
    /// One-hour entries.
    hours: HashMap<u64, Hour>,
    /// Recent requests' last marker and body.
    recent: BTreeMap<usize, Recent>,
    /// Recent conversations' first requests.
    starts: Starts,
    /// How many misses were by expiry, which only counts from the second on.
    expired: usize,
    /// True if misses are counted elsewhere.
    is_without_misses: bool,
}

/// A one-hour entry that no late read has justified yet.
#[derive(Clone, Debug)]
struct Hour {
    /// The request that wrote it.
    index: usize,
    /// How many tokens it wrote.
    tokens: u64,
    /// What this cost beyond five minutes.
    extra: Option<Cost>,
    /// When it was last used.
    used: Duration,
    is_read: bool,
    /// True if it was read after a pause of five minutes or more.
    is_needed: bool,
}

/// A conversation's newest request.
#[derive(Clone, Debug)]
struct Recent {
    /// Its last marker's path.
    last_marker: Option<String>,
    /// Its body, to compare with the next request.
    request: Body,
    /// True if its last write was for one hour.
    has_hour: bool,
}

/// How many misses by expiry it takes to report them.
const OFTEN: usize = 2;

/// How many recent requests to keep for comparison. A request that continues an
/// older one is not checked for a moved marker or lost thinking.
const RECENT: usize = 64;

impl Linter {
    /// Starts without findings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts without findings, for what is paid without a miss only.
    #[must_use]
    pub fn without_misses() -> Self {
        Self { is_without_misses: true, ..Self::default() }
    }

    /// Adds a request with its verdict, after you sent it to the model.
    ///
    /// `model` must be the one that you sent this request to, directly before:
    /// the linter reads its positions. Add requests in time order.
    pub fn add(&mut self, model: &CacheModel, entry: &Timed, verdict: &Verdict) {
        let Some(trace) = model.trace() else {
            return;
        };
        let index = trace.index;
        self.now = trace.at;
        for (rule, path) in request::faults(&entry.request) {
            self.report(rule, index, Some(path), 0, Some(Cost::ZERO));
        }
        self.markers(model, entry, verdict);
        self.instructions(trace, entry, verdict);
        self.miss(trace, entry, verdict);
        self.conversations(trace, verdict);
        self.hours(trace, &entry.request, verdict);
        // A stored conversation goes on.
        if verdict.parent.is_none() && !entry.request.is_kept_by_provider() {
            self.start(trace, entry, verdict);
        }
        let last = verdict.markers.last().map(|it| it.path.to_string());
        let request = entry.request.clone();
        let last_write = trace.plan.above().next_back();
        let has_hour = last_write.is_some_and(|it| it.1 == CacheLifetime::OneHour);
        self.recent.insert(index, Recent { last_marker: last, request, has_hour });
        // The log has requests to other providers, too, so indexes tell no distance.
        if self.recent.len() > RECENT {
            self.recent.pop_first();
        }
        if let Some(parent) = verdict.parent {
            self.recent.remove(&parent.index);
        }
    }

    /// Returns the findings, most expensive first.
    ///
    /// Writes that were never read are decided here, so a linter that is finished early reports more
    /// of them. An entry that nothing has read counts once it has expired.
    #[must_use]
    pub fn finish(mut self) -> Vec<CostFinding> {
        let now = self.now;
        let hour = CacheLifetime::OneHour.duration();
        for entry in std::mem::take(&mut self.hours).into_values() {
            // What nothing has read yet may still be read late.
            if entry.is_read || now.saturating_sub(entry.used) >= hour {
                self.settle(&entry);
            }
        }
        let mut single: Vec<_> = std::mem::take(&mut self.single).into_iter().collect();
        single.sort_by_key(|it| it.0);
        for (index, (_, tokens, cost)) in single.into_iter().filter(|it| it.1.0 <= now) {
            self.report(&table::ONE_SHOT_WRITES_TAIL, index, None, tokens, cost);
        }
        if self.expired < OFTEN {
            self.found.remove(&(table::EXPIRED_OFTEN.id, None));
        }
        let mut all: Vec<CostFinding> = self.found.into_values().collect();
        all.sort_by_key(CostFinding::by_cost);
        all
    }

    /// Adds tokens and cost to the rule's finding.
    ///
    /// The request with the smallest index comes first in a finding, and gives
    /// the path.
    fn report(
        &mut self,
        rule: &'static Rule,
        index: usize,
        path: Option<String>,
        tokens: u64,
        cost: Option<Cost>,
    ) {
        self.report_cause(rule, None, index, path, tokens, cost);
    }

    /// Does the same as [`Linter::report`] for a miss whose cause is known: its
    /// fix is more certain than the rule's.
    fn report_cause(
        &mut self,
        rule: &'static Rule,
        cause: Option<Cause>,
        index: usize,
        path: Option<String>,
        tokens: u64,
        cost: Option<Cost>,
    ) {
        let number = index + 1;
        let key = (rule.id, cause);
        let finding = self.found.entry(key).or_insert(CostFinding {
            rule: rule.id,
            cause,
            requests: 0,
            first: number,
            path: None,
            lost_tokens: 0,
            lost_cost: Some(Cost::ZERO),
            fix: cause.and_then(Cause::fix).or(rule.fix).unwrap_or_default(),
        });
        if finding.requests == 0 || number < finding.first {
            finding.first = number;
            finding.path = path;
        }
        finding.requests += usize::from(self.counted.insert((key, index)));
        finding.lost_tokens = finding.lost_tokens.saturating_add(tokens);
        finding.lost_cost = finding.lost_cost.zip(cost).map(|(a, b)| a + b);
    }

    /// Reports a request whose shared prefix could be cached but is not: it has
    /// no marker, marks less than the minimum, or has none in the messages.
    /// OpenAI sets a breakpoint itself, unless the request turns this off.
    fn markers(&mut self, model: &CacheModel, entry: &Timed, verdict: &Verdict) {
        let (Some(trace), Some(parent)) = (model.trace(), verdict.parent) else {
            return;
        };
        let Some(parent) = self.recent.get(&parent.index) else {
            return;
        };
        match trace.plan.mechanism {
            Mechanism::Markers => {}
            Mechanism::Breakpoints if CacheOptions::from_request(&entry.request).is_explicit => {}
            Mechanism::Breakpoints | Mechanism::Implicit { .. } => return,
        }
        let last = trace.chain.positions.iter().rfind(|it| it.mark.is_some());
        // A log format that drops markers still has the usage.
        let is_dropped = last.is_none() && entry.usage.is_some_and(|it| it.cached() > 0);
        let rule: &'static Rule = match last {
            _ if is_dropped => return,
            None => &table::CACHEABLE_BUT_UNMARKED,
            Some(last) if trace.up_to(last) < trace.plan.minimum => &table::MARKER_MINIMUM,
            Some(last) if last.level < Level::Messages => &table::NO_TAIL_MARKER,
            Some(_) => return,
        };
        let workspace = entry.workspace.as_deref();
        let before = chain(&parent.request, model.rules(), workspace);
        let pairs = trace.chain.positions.iter().zip(&before.positions);
        let shared = pairs.take_while(|(a, b)| a.hash == b.hash).last();
        let shared = shared.map_or(0, |(it, _)| trace.up_to(it));
        let marked = last.map(|it| trace.up_to(it)).filter(|it| *it >= trace.plan.minimum);
        let tokens = shared.saturating_sub(marked.unwrap_or(0));
        if tokens >= trace.plan.minimum {
            let path = last.map(|it| it.path(&entry.request).to_string());
            let cost = saved(trace, tokens);
            self.report(rule, trace.index, path, tokens, cost);
        }
    }

    /// Reports instructions that the last request had too, when the model
    /// caches none.
    fn instructions(&mut self, trace: &Trace, entry: &Timed, verdict: &Verdict) {
        if trace.facts.turn_scoped_instructions != Some(true) {
            return;
        }
        let parent = verdict.parent.and_then(|it| self.recent.get(&it.index));
        let listed = trace.chain.positions.last().map_or(0, |it| trace.up_to(it));
        let tokens = trace.tokens.all().saturating_sub(listed);
        let system = entry.request.head()[1];
        let is_same = parent.is_some_and(|it| it.request.head()[1] == system);
        if is_same && tokens > 0 {
            let (path, cost) = ("instructions".to_owned(), saved(trace, tokens));
            self.report(&table::INSTRUCTIONS_UNCACHED, trace.index, Some(path), tokens, cost);
        }
    }

    /// Reports the rule that a miss breaks. An expired entry counts only if
    /// this happens often; a miss without a marker is reported elsewhere.
    fn miss(&mut self, trace: &Trace, entry: &Timed, verdict: &Verdict) {
        let index = trace.index;
        let parent = verdict.parent.and_then(|it| self.recent.get(&it.index)).cloned();
        if let Some(before) = &parent
            && let Some(lost) = thinking_lost(&before.request, &entry.request)
        {
            let rule = &table::THINKING_BOUND_PREFIX_CHANGED;
            self.report(rule, index, Some(lost.first), 0, Some(Cost::ZERO));
        }
        let Some(miss) = verdict.miss.as_ref().filter(|_| !self.is_without_misses) else {
            return;
        };
        let (tokens, cost) = (miss.lost_tokens, miss.lost_cost);
        let path = miss.difference.as_ref().map(|it| it.path.clone());
        let cause = miss.cause();
        let marked = parent.and_then(|it| it.last_marker);
        let is_marked = match (&path, &marked) {
            (Some(path), Some(marked)) => path.starts_with(marked.as_str()),
            _ => false,
        };
        let rule: &'static Rule = match (&miss.detail, miss.reason) {
            (Some(MissDetail::OutsideLookBack { .. }), _) => &table::LOOK_BACK_GAP,
            (Some(MissDetail::NotYetReadable), _) => &table::COLD_FAN_OUT,
            (Some(MissDetail::Expired { .. } | MissDetail::LifetimeUnknown { .. }), _) => {
                self.expired += 1;
                &table::EXPIRED_OFTEN
            }
            (Some(MissDetail::NoMarker | MissDetail::Unexplained), _) => return,
            (_, MissReason::PreviousMessageNotFound) if cause != Some(Cause::OtherWorkspace) => {
                return;
            }
            _ if cause == Some(Cause::ToolOrder) => &table::TOOLS_REORDERED,
            _ if is_marked => &table::MARKER_VOLATILE,
            _ => &table::PREFIX_CHANGED,
        };
        self.report_cause(rule, cause, index, path, tokens, cost);
    }

    /// Collects conversations with one request that wrote some of their
    /// messages. A request that continues one removes it.
    fn conversations(&mut self, trace: &Trace, verdict: &Verdict) {
        if let Some(parent) = verdict.parent {
            self.single.remove(&parent.index);
            return;
        }
        let positions = &trace.chain.positions;
        // Elsewhere the provider sets a breakpoint of its own.
        let is_marked = trace.plan.mechanism == Mechanism::Markers;
        let is_tail = |it: &(usize, _)| is_marked && positions[it.0].level == Level::Messages;
        let Some((last, lifetime)) = trace.plan.above().next_back().filter(is_tail) else {
            return;
        };
        let context = positions.iter().rfind(|it| it.level < Level::Messages);
        let context = context.map_or(0, |it| trace.up_to(it));
        let read = trace.plan.hit.map_or(0, |it| trace.up_to(&positions[it]));
        let tokens = trace.up_to(&positions[last]).saturating_sub(context.max(read));
        let prices = trace.prices();
        let cost = prices.map(|it| it.write(lifetime, tokens).saturating_sub(it.plain(tokens)));
        self.single.insert(trace.index, (trace.at + lifetime.duration(), tokens, cost));
    }

    /// Finds one-hour entries that were never read after five minutes.
    fn hours(&mut self, trace: &Trace, request: &Body, verdict: &Verdict) {
        let five = CacheLifetime::FiveMinutes.duration();
        let hour = CacheLifetime::OneHour.duration();
        let read = match (trace.plan.hit, self.hours.is_empty()) {
            (Some(hit), false) => &trace.chain.positions[..=hit],
            _ => &[],
        };
        // To read a prefix is to read all shorter ones, too.
        for position in read {
            if let Some(entry) = self.hours.get_mut(&position.hash) {
                entry.is_needed |= trace.at.saturating_sub(entry.used) >= five;
                entry.used = trace.at;
                entry.is_read = true;
            }
        }
        let over = |it: &Hour| trace.at.saturating_sub(it.used) >= hour;
        let old: Vec<u64> = self.hours.iter().filter(|it| over(it.1)).map(|it| *it.0).collect();
        for hash in old {
            if let Some(entry) = self.hours.remove(&hash) {
                self.settle(&entry);
            }
        }
        let is_checkpoint = self.is_checkpoint(request, verdict);
        let prices = trace.prices();
        let mut from = trace.plan.hit.map_or(0, |it| trace.up_to(&trace.chain.positions[it]));
        for (index, lifetime) in trace.plan.above() {
            let position = &trace.chain.positions[index];
            let end = trace.up_to(position);
            let tokens = end.saturating_sub(from);
            from = from.max(end);
            let is_hour = lifetime == CacheLifetime::OneHour
                && trace.plan.mechanism.bills_writes()
                && tokens > 0;
            if !is_hour || is_checkpoint {
                continue;
            }
            let extra = prices.map(|it| {
                let five = it.write(CacheLifetime::FiveMinutes, tokens);
                it.write(CacheLifetime::OneHour, tokens).saturating_sub(five)
            });
            self.hours.insert(
                position.hash,
                Hour {
                    index: trace.index,
                    tokens,
                    extra,
                    used: trace.at,
                    is_read: false,
                    is_needed: false,
                },
            );
        }
    }

    /// Returns true if an hour for the conversation insures against a pause,
    /// which costs little and need not be read: after five-minute requests, or
    /// at the start of a user turn, from the third request on.
    fn is_checkpoint(&self, request: &Body, verdict: &Verdict) -> bool {
        let parent = verdict.parent.and_then(|it| self.recent.get(&it.index));
        let Some(parent) = parent else {
            return false;
        };
        let messages = request.section(Level::Messages);
        let answers = messages.iter().filter(|it| it.item.role == Role::Assistant);
        let is_turn = messages.last().is_some_and(|it| {
            let mut blocks = it.item.blocks.iter();
            it.item.role == Role::User && blocks.any(|it| it.kind == BlockKind::Text)
        });
        !parent.has_hour || (is_turn && answers.count() >= 2)
    }

    /// Reports a one-hour entry if five minutes would have been enough.
    fn settle(&mut self, hour: &Hour) {
        if !hour.is_needed {
            let rule = &table::HOUR_NEVER_READ;
            self.report(rule, hour.index, None, hour.tokens, hour.extra);
        }
    }
}

/// Returns what plain tokens cost beyond cache reads.
///
/// `None` if a price is unknown.
fn saved(trace: &Trace, tokens: u64) -> Option<Cost> {
    let prices = trace.prices()?;
    Some(prices.plain(tokens).saturating_sub(prices.read(tokens)))
}

/// Finds waste in a log, most expensive first. Use [`Linter`] to do the same in
/// parts.
///
/// ```
/// use std::time::Duration;
/// use aside_cache_model::{Body, CacheRules, Timed, lint};
///
/// let text = "word ".repeat(4_000);
/// let body = |more: &str| format!(
///     r#"{{"model":"claude-opus-5-5","system":"{text}","messages":[{{"role":"user","content":"Hi"}}{more}]}}"#
/// );
/// let more = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
/// let log = [
///     Timed::new(Body::parse(body("").as_bytes())?, Duration::ZERO),
///     Timed::new(Body::parse(body(more).as_bytes())?, Duration::from_secs(60)),
/// ];
/// let findings = lint(&log, &CacheRules::anthropic());
/// assert!(findings.iter().any(|it| it.rule == "cacheable-but-unmarked"));
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[must_use]
pub fn lint(log: &[Timed], rules: &CacheRules) -> Vec<CostFinding> {
    let mut model = CacheModel::new(rules.clone());
    let mut linter = Linter::new();
    for entry in log {
        let verdict = model.replay(entry);
        linter.add(&model, entry, &verdict);
    }
    linter.finish()
}
