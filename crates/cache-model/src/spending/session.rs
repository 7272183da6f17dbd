use std::collections::{HashMap, HashSet};

use aside_models::ModelFacts;
use aside_rules::{Rule, table};

use crate::usage::{Cost, Usage};

/// The tokens up to which a result is not long: the rest can be read on demand.
pub const MAX_RESULT_TOKENS: u64 = 800;

/// A session of fewer requests has no finding.
const MIN_REQUESTS: u64 = 10;

/// A finding is at least this part of the input of its session.
const MIN_PART: u64 = 50;

/// One request of a session.
#[derive(Clone, Copy, Debug)]
pub struct SpendingStep<'a> {
    /// The facts about its model.
    pub facts: &'static ModelFacts,
    /// Its billed tokens.
    pub usage: Usage,
    /// The tools in its prompt, without deferred ones.
    pub tools: &'a [ToolTokens],
    /// The names of the tools that were called since the request before, hashed.
    pub called: &'a [u64],
    /// The number of calls in the response that the request continues.
    pub last_calls: usize,
    /// The tokens of each result since the request before.
    pub results: &'a [u64],
}

/// The definition of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolTokens {
    /// The hash of its name.
    pub key: u64,
    /// Its tokens.
    pub tokens: u64,
}

/// Adds up what one session pays for single calls, long results and unused tools.
#[derive(Clone, Debug, Default)]
pub struct SessionSpending {
    requests: u64,
    input: u64,
    /// The requests that continue a response with calls, and these calls.
    continued: u64,
    calls: u64,
    /// The tokens over [`MAX_RESULT_TOKENS`] of the results so far.
    over: u64,
    single: Loss,
    long: Loss,
    tools: HashMap<u64, Loss>,
    called: HashSet<u64>,
}

/// What a session paid for one thing.
#[derive(Clone, Copy, Debug)]
struct Loss {
    requests: usize,
    tokens: u64,
    cost: Option<Cost>,
}

impl Default for Loss {
    fn default() -> Self {
        Self { requests: 0, tokens: 0, cost: Some(Cost::ZERO) }
    }
}

/// What one session pays for one of [`SPENDING_RULES`](crate::SPENDING_RULES).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// The rule.
    pub rule: &'static Rule,
    /// The number of requests that paid for it.
    pub requests: usize,
    /// The tokens.
    pub tokens: u64,
    /// Their price; `None` if it is not known.
    pub cost: Option<Cost>,
    /// The hash of the name of the largest unused tool.
    pub tool: Option<u64>,
}

impl SpendingStep<'_> {
    /// Returns the price of a part of the input.
    fn price(&self, part: Usage) -> Option<Cost> {
        part.cost_within(self.facts, self.usage.input())
    }

    /// Returns tokens at the beginning of the request, which are read from the cache if
    /// anything is.
    fn early(&self, tokens: u64) -> Usage {
        if self.usage.read > 0 { Usage::from_input(tokens, 0, 0, 0) } else { self.late(tokens) }
    }

    /// Returns tokens at the end of the request, which no entry has yet.
    fn late(&self, tokens: u64) -> Usage {
        if self.usage.written() > 0 {
            Usage::from_input(0, tokens, 0, 0)
        } else {
            Usage::from_input(0, 0, 0, tokens)
        }
    }
}

impl Loss {
    fn add(&mut self, step: &SpendingStep<'_>, part: Usage) {
        if part.input() > 0 {
            self.requests += 1;
            self.tokens = self.tokens.saturating_add(part.input());
            self.cost = self.cost.zip(step.price(part)).map(|(a, b)| a + b);
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.max(other.requests),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.zip(other.cost).map(|(a, b)| a + b),
        }
    }

    /// Returns half of the loss.
    fn half(self) -> Self {
        let half = |it: Cost| Cost::from_nanodollars(it.nanodollars() / 2);
        Self { requests: self.requests, tokens: self.tokens / 2, cost: self.cost.map(half) }
    }
}

impl SessionSpending {
    /// Adds the next request of the session.
    pub fn add(&mut self, step: &SpendingStep<'_>) {
        self.requests += 1;
        self.input = self.input.saturating_add(step.usage.input());
        self.called.extend(step.called);
        if step.last_calls > 0 {
            self.continued += 1;
            self.calls += step.last_calls as u64;
        }
        if step.last_calls == 1 {
            let read = Usage::from_input(step.usage.read, 0, 0, 0);
            self.single.add(step, read);
        }
        let over = |tokens: &u64| tokens.saturating_sub(MAX_RESULT_TOKENS);
        let new: u64 = step.results.iter().map(over).sum();
        let old = step.early(self.over);
        self.long.add(step, old + step.late(new));
        self.over = self.over.saturating_add(new);
        for tool in step.tools {
            let loss = self.tools.entry(tool.key).or_default();
            loss.add(step, step.early(tool.tokens));
        }
    }

    /// Returns what the session paid, without what is less than a fiftieth of its input.
    ///
    /// Requests that continue a single call count half of what they read: with two calls in
    /// each response, every second request is saved.
    pub fn spent(&self) -> impl Iterator<Item = Spent> {
        let is_one_by_one = self.calls * 2 < self.continued * 3;
        let single = self.single.half();
        let unused = self.tools.iter().filter(|it| !self.called.contains(it.0));
        // Equal tokens are in the order of the hashes, so that the path is always the same.
        let largest = unused.clone().max_by_key(|(key, it)| (it.tokens, **key));
        let unused = unused.fold(Loss::default(), |sum, it| sum.plus(*it.1));
        let found = [
            (&table::SINGLE_CALLS, single, None, is_one_by_one),
            (&table::LONG_RESULTS, self.long, None, true),
            (&table::UNUSED_TOOLS, unused, largest.map(|it| *it.0), !self.called.is_empty()),
        ];
        let (requests, input) = (self.requests, self.input);
        let is_worth = move |it: &Loss| {
            requests >= MIN_REQUESTS && it.tokens > 0 && it.tokens.saturating_mul(MIN_PART) >= input
        };
        let found = found.into_iter().filter(move |it| it.3 && is_worth(&it.1));
        found.map(|(rule, loss, tool, _)| Spent {
            rule,
            requests: loss.requests,
            tokens: loss.tokens,
            cost: loss.cost,
            tool,
        })
    }
}
