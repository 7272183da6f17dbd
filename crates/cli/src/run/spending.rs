//! What a run pays apart from the cache: calls one by one, long results, and
//! tools that are never called.
//!
//! ```text
//! aside: cost: unused-tools: 24 requests, 98,400 tokens, $0.0197; leave out tools that are …
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use aside_agent::{Observer, Progress};
use aside_cache_model::body::hash::of_bytes;
use aside_cache_model::{Cost, SessionSpending, SpendingStep, Spent, ToolTokens};
use aside_inspect::{money, thousands};
use aside_messages::encode::Body;
use aside_messages::wire::ContentBlock;
use aside_models::{Found, Usage, estimate, find};
use aside_providers::Event;
use serde::Serialize;

use crate::count::count;

/// Passes every event on, and adds up what the run pays.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) observer: Box<dyn Observer>,
    pub(super) spending: RunSpending,
}

/// What the run paid so far.
#[derive(Clone, Debug)]
pub(super) struct RunSpending(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    model: Found,
    session: SessionSpending,
    tools: Vec<ToolTokens>,
    /// Calls and results since the previous request.
    called: Vec<u64>,
    results: Vec<u64>,
}

/// One finding, as in the last `--json` line.
#[derive(Debug, Serialize)]
pub(super) struct SpentLine {
    rule: &'static str,
    requests: usize,
    tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
    fix: &'static str,
}

impl RunSpending {
    pub(super) fn new(model: &str) -> Self {
        Self(Arc::new(Mutex::new(State {
            model: find(model),
            session: SessionSpending::default(),
            tools: Vec::new(),
            called: Vec::new(),
            results: Vec::new(),
        })))
    }

    /// Returns the findings, the most expensive first.
    pub(super) fn lines(&self) -> Vec<SpentLine> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut spent: Vec<Spent> = state.session.spent().collect();
        spent.sort_by_key(|it| std::cmp::Reverse((it.cost, it.tokens)));
        let line = |it: Spent| SpentLine {
            rule: it.rule.id,
            requests: it.requests,
            tokens: it.tokens,
            dollars: it.cost.map(Cost::dollars),
            fix: it.rule.fix.unwrap_or_default(),
        };
        spent.into_iter().map(line).collect()
    }
}

impl SpentLine {
    /// Returns the finding as one line.
    pub(super) fn text(&self) -> String {
        let cost = self.dollars.map(|it| Cost::from_nanodollars((it * 1e9) as u64));
        let (rule, fix, cost) = (self.rule, self.fix, money(cost));
        let requests = count(self.requests as u64, "request", "requests");
        format!("{rule}: {requests}, {} tokens, {cost}; {fix}", thousands(self.tokens))
    }
}

impl State {
    fn observe(&mut self, progress: Progress<'_>) {
        let family = self.model.facts.estimated_tokenizer();
        let tokens = |text: &str| estimate(text, family).tokens();
        match progress {
            Progress::Sending(body) => self.set_tools(body),
            Progress::Called(call) => self.called.push(of_bytes(call.name.as_bytes())),
            Progress::Returned(_, output) => {
                let texts = output.content.iter().filter_map(|block| match block {
                    ContentBlock::Text(text) => Some(tokens(&text.text)),
                    _ => None,
                });
                self.results.push(texts.sum());
            }
            Progress::Event(Event::MessageDelta(end)) => {
                self.session.add(&SpendingStep {
                    facts: self.model.facts,
                    usage: Usage::from(end.usage.figures()),
                    tools: &self.tools,
                    called: &self.called,
                    last_calls: self.called.len(),
                    results: &self.results,
                });
                self.called.clear();
                self.results.clear();
            }
            _ => {}
        }
    }

    /// Measures a request's tools. They seldom change.
    fn set_tools(&mut self, body: &Body) {
        let tools = body.parts().tools.as_tools();
        let prompt = || tools.iter().filter(|it| it.defer_loading != Some(true));
        if prompt().count() == self.tools.len() {
            return;
        }
        let family = self.model.facts.estimated_tokenizer();
        let measured = prompt().map(|tool| {
            let json = serde_json::to_string(tool).unwrap_or_default();
            ToolTokens {
                key: of_bytes(tool.name.as_bytes()),
                tokens: estimate(&json, family).tokens(),
            }
        });
        self.tools = measured.collect();
    }
}

impl Observer for Measured {
    fn observe(&mut self, progress: Progress<'_>) {
        let state = &self.spending.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).observe(progress);
        self.observer.observe(progress);
    }
}
