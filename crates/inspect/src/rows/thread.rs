//! Why caches miss in sessions without bodies, from usage and times.
//!
//! A request leaves a prefix in the cache: what it read and wrote, or for caches without markers
//! the whole input. The next request in its thread should read as much. If it reads less, the first
//! rule that applies is the cause:
//!
//! ```text
//! the log states a compaction, or the input is less than half of before    compaction
//! it read all that was still alive, or nothing was                         expired
//! another model than before                                                model switch
//! the provider reports what changed                                        as reported
//! else                                                                     unknown
//! ```
//!
//! A request after a compaction loses only what every request in its thread reads, and nothing if
//! it reads some: the summary is new. A thread is a session, or one of its sub-agents. A forked
//! session continues the thread of the session that it comes from, and a session that was rewound
//! the request that the log names.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use aside_cache_model::{CacheLifetime, CacheRules, Mechanism, Usage};
use aside_models::{Known, ModelFacts, Vendor, find};
use aside_request_logs::{Agent, Exchange};

use super::cause::SessionCause;

/// How many threads to keep. After this many all are dropped, so that the next request in each
/// counts as a cold start.
const MAX_THREADS: usize = 100_000;

/// A read may be this many tokens shorter than expected without being a miss: markers move, and
/// providers count in blocks.
const TOLERATED: u64 = 256;

/// The shortest prefix that caches without markers keep, in tokens.
const IMPLICIT_MINIMUM: u64 = 1_024;

/// A miss, or the start of a thread.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SessionMiss {
    pub(super) cause: SessionCause,
    /// How many tokens were in the cache and were not read.
    pub(super) tokens: u64,
}

/// How many earlier requests of a thread may be continued once more.
const MAX_EARLIER: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Threads {
    all: HashMap<Key, Thread>,
    /// The thread that was read last, and what its requests left, by their ids: after a rewind, an
    /// earlier one is continued.
    latest: Key,
    earlier: VecDeque<(String, Left)>,
}

/// Agent, session and sub-agent.
type Key = (Option<Agent>, Option<String>, Option<String>);

/// A thread's latest request.
#[derive(Debug)]
struct Thread {
    at: Duration,
    model: Option<String>,
    left: Left,
    /// How long the others live, and those.
    lifetimes: [Duration; 2],
    /// The shortest prefix that was read: what survives a compaction, such as tools and system
    /// prompt.
    shared: Option<u64>,
}

/// What a request left in the cache.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// How many tokens its input had.
    input: u64,
    /// How many tokens are in the cache.
    cached: u64,
    /// How many of them live as long as the provider offers; the others end before.
    long: u64,
}

impl Threads {
    /// Adds a request; returns its miss, if it has one.
    pub(super) fn explain(&mut self, exchange: &Exchange, at: Duration) -> Option<SessionMiss> {
        let usage = exchange.usage?;
        // Agents count tokens with requests that have no input.
        if usage.input() == 0 {
            return None;
        }
        if self.all.len() >= MAX_THREADS {
            self.all.clear();
        }
        let model = exchange.model.as_deref().unwrap_or_default();
        let cache = Cache::new(model);
        // The first sampling shows what the request could read, and the last one what it left.
        let [first, last] = exchange.samplings.unwrap_or([usage; 2]);
        let key = (exchange.agent, exchange.session.clone(), exchange.subagent.clone());
        let origin = || {
            let session = exchange.forked_from.clone().filter(|_| exchange.subagent.is_none())?;
            self.all.get(&(exchange.agent, Some(session), None)).filter(|it| it.at <= at)
        };
        if self.latest != key {
            self.latest = key.clone();
            self.earlier.clear();
        }
        let continued = self.earlier.iter().rfind(|(id, _)| exchange.previous.as_ref() == Some(id));
        let before = self.all.get(&key).or_else(origin);
        // What was read since then kept it alive.
        let before = before.map(|it| Thread {
            model: it.model.clone(),
            left: continued.map_or(it.left, |(_, left)| *left),
            ..*it
        });
        let before = before.as_ref();
        if before.is_some_and(|it| it.is_beside(exchange, first)) {
            return None;
        }
        let miss = match before {
            Some(before) => before.miss(exchange, at, first, &cache),
            None if first.read > 0 => None,
            None => Some(SessionMiss {
                cause: match exchange.subagent {
                    Some(_) => SessionCause::SubagentStart,
                    None => SessionCause::ColdStart,
                },
                tokens: 0,
            }),
        };
        let read = Some(first.read).filter(|it| *it > 0);
        let shared = before.and_then(|it| it.shared);
        let left = Left {
            input: last.input(),
            cached: cache.left(last),
            long: cache.long(last, before.map_or(0, |it| it.left.long)),
        };
        let thread = Thread {
            at,
            model: exchange.model.clone(),
            left,
            lifetimes: cache.lifetimes(),
            shared: read.into_iter().chain(shared).min(),
        };
        self.all.insert(key, thread);
        self.earlier.extend(exchange.id.clone().map(|id| (id, left)));
        self.earlier.drain(..self.earlier.len().saturating_sub(MAX_EARLIER));
        miss
    }
}

impl Thread {
    /// Returns true for a small request to another model that caches nothing, such as for the title
    /// of the session: it is not a part of the conversation.
    fn is_beside(&self, exchange: &Exchange, usage: Usage) -> bool {
        let is_small = self.is_shorter(usage) && usage.cached() == 0;
        is_small && !self.has_same_model(exchange) && !exchange.is_compacted
    }

    /// A model has several ids: with a date, a platform's prefix or `[1m]`.
    fn has_same_model(&self, exchange: &Exchange) -> bool {
        let id = |model: &Option<String>| find(model.as_deref().unwrap_or_default()).facts.id;
        self.model == exchange.model
            || (id(&self.model) == id(&exchange.model) && !id(&self.model).is_empty())
    }

    /// Returns true for less than half of the input before.
    fn is_shorter(&self, usage: Usage) -> bool {
        usage.input() < self.left.input / 2
    }

    fn miss(
        &self,
        exchange: &Exchange,
        at: Duration,
        usage: Usage,
        cache: &Cache,
    ) -> Option<SessionMiss> {
        let expected = self.left.cached.min(usage.input());
        let lost = expected.saturating_sub(usage.read);
        let is_shorter = self.is_shorter(usage) && self.has_same_model(exchange);
        let is_compacted = exchange.is_compacted || (is_shorter && lost > TOLERATED);
        if is_compacted {
            let shared = self.shared.filter(|_| usage.read == 0);
            let tokens = shared.unwrap_or(0).min(expected);
            let is_expired = tokens > 0 && self.alive(at) == 0;
            let cause = if is_expired { cache.expiry } else { SessionCause::Compaction };
            return Some(SessionMiss { cause, tokens });
        }
        if lost <= TOLERATED.max(expected / 100 * cache.tolerance) {
            return None;
        }
        // The rest would not have been read without a change either.
        let is_expired = usage.read + TOLERATED >= self.alive(at).min(expected);
        let cause = if is_expired { cache.expiry } else { self.cause(exchange) };
        Some(SessionMiss { cause, tokens: lost })
    }

    /// Returns how many of the tokens that it left are still in the cache.
    fn alive(&self, at: Duration) -> u64 {
        let pause = at.saturating_sub(self.at);
        match self.lifetimes {
            [short, _] if pause < short => self.left.cached,
            [_, long] if pause < long => self.left.long,
            _ => 0,
        }
    }

    fn cause(&self, exchange: &Exchange) -> SessionCause {
        let reported = match exchange.diagnostics.as_deref() {
            Some("model_changed") => Some(SessionCause::ModelSwitch),
            Some("tools_changed") => Some(SessionCause::ToolsChanged),
            Some("system_changed") => Some(SessionCause::SystemChanged),
            Some("messages_changed") => Some(SessionCause::MessagesChanged),
            _ => None,
        };
        if self.has_same_model(exchange) {
            reported.unwrap_or(SessionCause::Unknown)
        } else {
            SessionCause::ModelSwitch
        }
    }
}

/// What a provider's cache keeps, and for how long.
struct Cache {
    mechanism: Mechanism,
    /// Which percentage of an expected read may be missing.
    tolerance: u64,
    expiry: SessionCause,
}

impl Cache {
    /// Returns a model's rules, by its vendor.
    fn new(model: &str) -> Self {
        let found = find(model);
        let facts: &ModelFacts = found.facts;
        let rules = match facts.vendor {
            Vendor::Anthropic => CacheRules::anthropic(),
            Vendor::Google => CacheRules::gemini(),
            _ if found.known == Known::Unknown => CacheRules::gemini(),
            _ => CacheRules::openai(),
        };
        let mechanism = rules.mechanism_for(facts);
        match mechanism {
            Mechanism::Implicit { .. } => {
                Self { mechanism, tolerance: 10, expiry: SessionCause::ProbablyExpired }
            }
            _ => Self { mechanism, tolerance: 0, expiry: SessionCause::Expired },
        }
    }

    /// Returns how many tokens a request leaves in the cache. Without recorded writes, this is its
    /// input in whole steps.
    fn left(&self, usage: Usage) -> u64 {
        let step = match self.mechanism {
            Mechanism::Markers => return usage.cached(),
            Mechanism::Implicit { step, .. } => step.max(1),
            _ => 1,
        };
        let whole = match usage.written() {
            0 => usage.input() / step * step,
            _ => usage.cached(),
        };
        if whole < IMPLICIT_MINIMUM { 0 } else { whole }
    }

    /// Returns how many tokens a request leaves for the longest lifetime, of which `before` were
    /// left by the request before it: a read renews them. Markers with that lifetime come first.
    fn long(&self, usage: Usage, before: u64) -> u64 {
        match self.mechanism.lifetimes() {
            [_] => 0,
            _ if usage.write_1h.max(usage.write_12h) > 0 => {
                let long = usage.write_1h.saturating_add(usage.write_12h);
                usage.read.saturating_add(long)
            }
            _ => before.min(usage.read),
        }
    }

    /// Returns how long entries live at least, and at most.
    fn lifetimes(&self) -> [Duration; 2] {
        let all = self.mechanism.lifetimes();
        let shortest = match self.mechanism {
            Mechanism::Implicit { lifetime, .. } => lifetime,
            _ => all[0],
        };
        [shortest, all[all.len() - 1]].map(CacheLifetime::duration)
    }
}
