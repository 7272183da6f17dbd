//! A model of a cache: what it contains, and what requests hit.
//!
//! A request is handled in four steps: compute its positions, plan which
//! markers read and write, look up entries, bill tokens. The entries it wrote
//! and the request itself are kept for the next one.

mod beginning;
mod plan;
mod recorded;

use std::collections::HashMap;
use std::time::Duration;

use aside_models::ModelFacts;
use bytes::Bytes;

use crate::cache_rules::{CacheRules, Concurrency, Mechanism};
use crate::chain::{Chain, Position, chain_of};
use crate::entries::Entries;
use crate::miss::{Loss, explain, explain_fan_out};
use crate::parent::{Found, Left, ParentRule, Threads};
use crate::timed::Timed;
use crate::tokens::{Tokens, scaled};
use crate::usage::Prices;
use crate::verdict::{Effect, Hit, MarkerVerdict, Verdict};
use aside_body::body::{Body, ParseError};
use aside_body::hash;
use aside_body::lifetime::CacheLifetime;

pub(crate) use plan::Plan;

/// How many of the newest breakpoints OpenAI looks at.
const BREAKPOINT_READS: usize = 80;

/// A provider's cache. Send requests to it in time order.
///
/// The work for a request grows with its new part only. Entries are dropped
/// when they expire, and conversations when many newer ones have come.
#[derive(Clone, Debug)]
pub struct CacheModel {
    rules: CacheRules,
    entries: Entries,
    threads: Threads,
    now: Duration,
    /// The tokens of requests with a recorded usage, by model.
    seen: HashMap<String, Seen>,
    /// The tokens of reasoning in responses, by the hash of its id.
    reasoning: HashMap<u64, u64>,
    last: Option<Sent>,
    trace: Option<Trace>,
    /// True once a recorded usage shows that the provider caches.
    is_caching: bool,
}

/// The input of requests, as the provider counted it and as it was estimated.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    counted: u64,
    estimated: u64,
}

/// The latest request's positions, with their results.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) chain: Chain,
    pub(crate) plan: Plan,
    pub(crate) facts: &'static ModelFacts,
    /// The model at whose prices it is billed.
    pub(crate) billed: &'static ModelFacts,
    pub(crate) is_fast: bool,
    /// The request's tokens, counted by the provider where it did.
    pub(crate) tokens: Tokens,
    pub(crate) at: Duration,
    /// The request's index in the log.
    pub(crate) index: usize,
    /// The body of the request that it continues.
    continued: Option<Body>,
}

impl Trace {
    /// Returns the tokens of a part of the request as the verdict counts them, given their estimate.
    pub(crate) fn counted(&self, estimate: u64) -> u64 {
        self.tokens.of_estimate(estimate)
    }

    /// Returns the tokens up to a position, as the verdict counts them.
    pub(crate) fn up_to(&self, position: &Position) -> u64 {
        self.counted(position.tokens)
    }

    /// Returns the request's prices.
    pub(crate) fn prices(&self) -> Option<Prices> {
        Prices::of(self.billed, self.is_fast, self.tokens.all())
    }
}

/// What is needed about the latest request to learn from its usage.
#[derive(Clone, Debug)]
struct Sent {
    model: String,
    mechanism: Mechanism,
    estimated: u64,
    /// True if the estimate lacks items that the body only names.
    has_references: bool,
    read: Option<u64>,
    /// The last one-hour marker, and the last of all.
    hour: Option<u64>,
    end: Option<u64>,
}

impl CacheModel {
    /// Creates an empty cache.
    #[must_use]
    pub fn new(rules: CacheRules) -> Self {
        Self {
            rules,
            entries: Entries::default(),
            threads: Threads::default(),
            now: Duration::ZERO,
            seen: HashMap::new(),
            reasoning: HashMap::new(),
            last: None,
            trace: None,
            is_caching: false,
        }
    }

    /// Empties the cache, but keeps the token counts that it has learned.
    #[must_use]
    pub fn cleared(&self) -> Self {
        let (seen, reasoning) = (self.seen.clone(), self.reasoning.clone());
        Self { seen, reasoning, ..Self::new(self.rules.clone()) }
    }

    /// Returns the positions of the request sent last.
    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> &CacheRules {
        &self.rules
    }

    /// Reads a body, reusing what it shares with the session's latest request.
    ///
    /// # Errors
    /// The same as for [`Body::parse`].
    pub fn parse(&self, bytes: Bytes, session: Option<&str>) -> Result<Body, ParseError> {
        let likely = self.threads.likely(&bytes, session);
        Body::parse_after(bytes, likely)
    }

    /// Sends a request at a time, which counts from any fixed moment.
    ///
    /// ```
    /// use std::time::Duration;
    /// use aside_cache_model::{CacheModel, CacheRules, Body};
    ///
    /// let text = "word ".repeat(2_000);
    /// let body = format!(
    ///     r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":[
    ///     {{"type":"text","text":"{text}","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
    /// );
    /// let request = Body::parse(body.as_bytes())?;
    /// let mut cache = CacheModel::new(CacheRules::anthropic());
    /// let first = cache.send(&request, Duration::ZERO);
    /// let second = cache.send(&request, Duration::from_secs(60));
    /// assert_eq!(second.usage.read, first.usage.write_5m);
    /// let late = cache.send(&request, Duration::from_secs(600));
    /// assert_eq!(late.usage.read, 0);
    /// # Ok::<(), aside_cache_model::ParseError>(())
    /// ```
    pub fn send(&mut self, request: &Body, at: Duration) -> Verdict {
        self.send_timed(&Timed::new(request.clone(), at))
    }

    /// Returns the body that the latest request continues, as far as it is still known.
    #[must_use]
    pub fn continued(&self) -> Option<&Body> {
        self.trace.as_ref()?.continued.as_ref()
    }

    /// Sends a request with everything that a log says about it except its
    /// usage, for which see [`CacheModel::replay`].
    pub fn send_timed(&mut self, entry: &Timed) -> Verdict {
        self.send_counted(entry, None)
    }

    /// Sends a request of which the number of input tokens may be known.
    fn send_counted(&mut self, entry: &Timed, input: Option<u64>) -> Verdict {
        // Time is monotonic: an entry out of order gets the preceding one's
        // time.
        self.now = self.now.max(entry.at);
        let at = self.now;
        self.entries.sweep(at);
        let request = &entry.request;
        let facts = self.rules.facts(request);
        let billed = self.rules.facts_of(entry.billed_model());
        let found = self.threads.find(entry);
        let mut chain = chain_of(entry, &self.reasoning, &self.rules);
        let partial = entry.usage.filter(|_| entry.is_partial).map(|it| it.input());
        if let Some(input) = partial {
            chain.add_unseen(input, request, found.as_ref().and_then(|it| self.left(it, request)));
        }
        let mut plan = self.plan(request, &chain, facts);
        let hit = self.hit(&chain, &plan);
        plan.hit = hit;
        plan.beginning = self.beginning(request, &chain, &plan, found.as_ref());
        let tokens = Tokens::of(&self.entries, &chain, hit, self.scale(request));
        let tokens = tokens.counted(input.or(partial));
        let mut usage = plan.bill(&tokens, &chain);
        usage.is_fast = request.is_fast() && facts.may_run_fast();
        let cost = usage.cost(billed);
        let markers = Self::effects(&chain, &plan, request);
        let read =
            hit.map(|index| Hit { path: chain.positions[index].path(request), tokens: usage.read });
        let loss = Loss {
            entry,
            chain: &chain,
            plan: &plan,
            entries: &self.entries,
            usage,
            tokens: &tokens,
            prices: Prices::of(billed, usage.is_fast, usage.input()),
            rules: &self.rules,
            at,
        };
        let miss = found.as_ref().and_then(|found| explain(&loss, found));
        let miss = miss.or_else(|| explain_fan_out(&loss));
        self.write(entry, &chain, &plan);
        let end = plan.writes.last().map(|it| it.0).max(hit);
        let end_path = end.map(|index| chain.positions[index].path(request));
        let left = end.map(|index| Left {
            hash: chain.positions[index].hash,
            tokens: chain.positions[index].tokens,
            at,
        });
        let hour = plan.writes.iter().rfind(|it| it.1 == CacheLifetime::OneHour);
        self.last = Some(Sent {
            model: request.model().unwrap_or_default().to_owned(),
            mechanism: plan.mechanism,
            estimated: chain.tokens,
            has_references: chain.has_references,
            read: hit.map(|it| chain.positions[it].hash),
            hour: hour.map(|it| chain.positions[it.0].hash),
            end: left.map(|it| it.hash),
        });
        let reasoning = entry.answer.iter().flat_map(|it| &it.reasoning);
        let reasoning = reasoning.map(|(id, tokens)| (hash::of_bytes(id.as_bytes()), *tokens));
        self.reasoning.extend(reasoning);
        let parent = found.as_ref().map(|it| it.parent);
        let index = self.threads.add(entry, found.as_ref(), left);
        self.trace = Some(Trace {
            plan,
            facts,
            billed,
            is_fast: usage.is_fast,
            tokens,
            at,
            index,
            chain,
            continued: found.and_then(|it| it.request),
        });
        Verdict {
            hit: read,
            end: end_path,
            usage,
            cost,
            prices_as_of: billed.prices_as_of,
            markers,
            miss,
            parent,
        }
    }

    /// Returns how many tokens the provider counts per estimated token.
    fn scale(&self, request: &Body) -> f64 {
        let model = request.model().unwrap_or_default();
        let seen = self.seen.get(model).filter(|it| it.estimated > 0);
        seen.map_or(1.0, |it| it.counted as f64 / it.estimated as f64)
    }

    /// Returns how many tokens a request that is continued by its id left in the cache, and if they
    /// can be read.
    fn left(&self, found: &Found, request: &Body) -> Option<(u64, bool)> {
        let left = found.left.filter(|_| found.parent.rule == ParentRule::PreviousId)?;
        let entry = self.entries.get(left.hash)?;
        let is_readable = entry.is_readable(self.now) && found.head == request.head();
        Some((entry.counted.unwrap_or(left.tokens), is_readable))
    }

    /// Chooses the positions to read and to write.
    fn plan(&self, request: &Body, chain: &Chain, facts: &ModelFacts) -> Plan {
        let marked = chain.positions.iter().enumerate();
        let markers: Vec<(usize, CacheLifetime)> =
            marked.filter_map(|(index, it)| Some((index, it.mark?))).collect();
        let mechanism = self.rules.mechanism_of(request);
        let mut plan = Plan {
            mechanism,
            writes: Vec::new(),
            reads: Vec::new(),
            hit: None,
            beginning: 0,
            found: Vec::new(),
            minimum: self.rules.minimum_for(facts),
            scale: self.scale(request),
            markers,
        };
        match mechanism {
            Mechanism::Markers => plan.writes.clone_from(&plan.markers),
            Mechanism::Implicit { lifetime, .. } => {
                let all = 0..chain.positions.len();
                plan.writes = all.map(|it| (it, lifetime)).collect();
            }
            Mechanism::Breakpoints => plan.breakpoints(request, chain),
        }
        let (minimum, scale) = (plan.minimum, plan.scale);
        plan.writes.retain(|it| scaled(chain.positions[it.0].tokens, scale) >= minimum);
        plan.found = match mechanism {
            Mechanism::Breakpoints => {
                let hash = |it: usize| chain.positions[it].hash;
                let own = |it: &(usize, _)| {
                    Some(it.0).filter(|it| self.entries.is_readable(hash(*it), self.now))
                };
                plan.markers.iter().map(own).collect()
            }
            Mechanism::Markers | Mechanism::Implicit { .. } => {
                self.entries.look_back(chain, &plan.markers, &self.rules, self.now)
            }
        };
        plan
    }

    /// Returns the position that is read.
    fn hit(&self, chain: &Chain, plan: &Plan) -> Option<usize> {
        let is_there =
            |it: &Position| self.entries.is_readable(it.hash, self.now) && plan.is_long(it);
        match plan.mechanism {
            Mechanism::Markers => plan.found.iter().rev().find_map(|it| *it),
            Mechanism::Implicit { .. } => chain.positions.iter().rposition(is_there),
            Mechanism::Breakpoints => {
                let newest = plan.reads.iter().rev().take(BREAKPOINT_READS).copied();
                newest.into_iter().find(|&it| is_there(&chain.positions[it]))
            }
        }
    }

    /// Returns what each marker did.
    fn effects(chain: &Chain, plan: &Plan, request: &Body) -> Vec<MarkerVerdict> {
        let verdict = |(&(index, ttl), found): (&(usize, CacheLifetime), &Option<usize>)| {
            let position = &chain.positions[index];
            let effect = if !plan.is_long(position) {
                Effect::BelowMinimum
            } else if plan.is_written(index) {
                Effect::Wrote
            } else if found.is_some() || plan.hit == Some(index) {
                Effect::Hit
            } else {
                Effect::Useless
            };
            MarkerVerdict { path: position.path(request), ttl, effect }
        };
        plan.markers.iter().zip(&plan.found).map(verdict).collect()
    }

    /// Renews the entry that was read, and writes new ones. An entry can be
    /// read once the response begins.
    fn write(&mut self, entry: &Timed, chain: &Chain, plan: &Plan) {
        let at = self.now;
        let latency = entry.latency.unwrap_or(self.rules.latency);
        let readable = match self.rules.concurrency {
            Concurrency::OnResponse => at.saturating_add(latency),
            Concurrency::AtOnce => at,
        };
        if let Some(hit) = plan.hit {
            let renewed = match (plan.mechanism, self.rules.renew_ancestors) {
                (Mechanism::Implicit { .. }, _) | (_, true) => 0..hit + 1,
                (Mechanism::Markers | Mechanism::Breakpoints, false) => hit..hit + 1,
            };
            for position in &chain.positions[renewed] {
                self.entries.touch(position.hash, at);
            }
        }
        for &(index, lifetime) in &plan.writes {
            let is_above = index >= plan.next();
            let hash = chain.positions[index].hash;
            let is_missing = || self.entries.get(hash).is_none_or(|it| !it.is_live(at));
            if is_above || (self.rules.writes_below_hit && is_missing()) {
                self.entries.write(hash, lifetime, at, readable);
            }
        }
    }
}
