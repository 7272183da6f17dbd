//! What a log costs apart from the placement of its cache markers: single calls, long
//! results, unused tools.

mod session;

use std::collections::HashMap;

use aside_body::body::{Block, BlockKind, Body, Placed};
use aside_body::path::Level;
use aside_rules::table;

use crate::lint::CostFinding;
use crate::model::CacheModel;
use crate::timed::Timed;
use crate::usage::Cost;
use crate::verdict::Verdict;

pub use session::{MAX_RESULT_TOKENS, SessionSpending, SpendingStep, Spent, ToolTokens};

/// Adds up what the sessions of a log pay for single calls, long results and unused tools.
#[derive(Clone, Debug, Default)]
pub struct Spending {
    /// The sessions by the preset of the cache rules and the index of the latest request.
    open: HashMap<(&'static str, usize), Open>,
}

/// A session whose next request may follow.
#[derive(Clone, Debug, Default)]
struct Open {
    first: usize,
    /// The number of messages of the latest request.
    messages: usize,
    /// The first request that continues a single call.
    single_call: Option<Place>,
    long_result: Option<Place>,
    tools: HashMap<u64, Place>,
    spending: SessionSpending,
}

/// Where something is for the first time.
#[derive(Clone, Debug)]
struct Place {
    request: usize,
    path: Option<String>,
}

impl Spending {
    /// Adds a request with its verdict, after it was sent to the model.
    pub fn add(&mut self, model: &CacheModel, entry: &Timed, verdict: &Verdict) {
        let Some(trace) = model.trace() else {
            return;
        };
        let preset = model.rules().name;
        let parent = verdict.parent.map(|it| (preset, it.index));
        let known = parent.and_then(|it| self.open.remove(&it));
        let is_known = known.is_some();
        let mut open = known.unwrap_or_else(|| Open { first: trace.index, ..Open::default() });
        let request = &entry.request;
        let messages = request.section(Level::Messages);
        // A conversation that was compacted begins again.
        let from = Some(open.messages).filter(|it| *it <= messages.len());
        let new = &messages[from.unwrap_or(0)..];
        let called = new.iter().flat_map(calls).collect::<Vec<_>>();
        let results: Vec<u64> = new.iter().flat_map(results).collect();
        let place = |path| Place { request: trace.index, path };
        if open.long_result.is_none() {
            open.long_result = long_result(request, new).map(|path| place(Some(path)));
        }
        let mut tools = Vec::new();
        for (index, tool) in request.section(Level::Tools).iter().enumerate() {
            if tool.item.is_deferred_tool() {
                continue;
            }
            for (definition, path) in definitions(&tool.item.blocks, index) {
                tools.push(definition);
                open.tools.entry(definition.key).or_insert_with(|| place(Some(path)));
            }
        }
        // Which of the calls before the first request were in one response is not known.
        let last_calls = if is_known { called.len() } else { 0 };
        if last_calls == 1 {
            open.single_call.get_or_insert_with(|| place(None));
        }
        open.spending.add(&SpendingStep {
            facts: trace.billed,
            usage: entry.usage.unwrap_or(verdict.usage),
            tools: &tools,
            called: &called,
            last_calls,
            results: &results,
        });
        open.messages = messages.len();
        self.open.insert((preset, trace.index), open);
    }

    /// Returns the findings, at most one for each rule, the most expensive first.
    #[must_use]
    pub fn finish(self) -> Vec<CostFinding> {
        let mut found: Vec<CostFinding> = Vec::new();
        let mut sessions: Vec<Open> = self.open.into_values().collect();
        sessions.sort_by_key(|it| it.first);
        for session in sessions {
            for spent in session.spending.spent() {
                let place = match spent.tool {
                    Some(tool) => session.tools.get(&tool),
                    None if spent.rule.id == table::LONG_RESULTS.id => session.long_result.as_ref(),
                    None => session.single_call.as_ref(),
                };
                let first = place.map_or(session.first, |it| it.request) + 1;
                let path = place.and_then(|it| it.path.clone());
                match found.iter_mut().find(|it| it.rule == spent.rule.id) {
                    Some(known) => {
                        known.requests += spent.requests;
                        known.lost_tokens = known.lost_tokens.saturating_add(spent.tokens);
                        known.lost_cost = known.lost_cost.zip(spent.cost).map(|(a, b)| a + b);
                        if first < known.first {
                            (known.first, known.path) = (first, path);
                        }
                    }
                    None => found.push(CostFinding {
                        rule: spent.rule.id,
                        cause: None,
                        requests: spent.requests,
                        first,
                        path,
                        lost_tokens: spent.tokens,
                        lost_cost: spent.cost,
                        fix: spent.rule.fix.unwrap_or_default(),
                    }),
                }
            }
        }
        found.sort_by_key(|it| {
            std::cmp::Reverse((it.lost_cost.unwrap_or(Cost::ZERO), it.lost_tokens))
        });
        found
    }
}

/// Returns the tools that an item of `tools` defines, with their paths.
fn definitions(blocks: &[Block], index: usize) -> Vec<(ToolTokens, String)> {
    let Some(block) = blocks.first() else {
        return Vec::new();
    };
    let path = format!("tools[{index}]");
    if block.functions.is_empty() {
        let (key, tokens) = (block.names.first(), block.tokens.tokens());
        let tool = key.map(|key| ToolTokens { key: *key, tokens });
        return tool.map(|it| (it, path)).into_iter().collect();
    }
    let functions = block.functions.iter().enumerate();
    let defined = functions.map(|(at, function)| {
        let (key, tokens) = (function.name, function.tokens.tokens());
        let path = format!("{path}.{}[{at}]", function.key);
        (ToolTokens { key, tokens }, path)
    });
    defined.collect()
}

/// Iterates over the names of the caller's tools that a message calls; 0 for a call without a
/// name.
fn calls(message: &Placed) -> impl Iterator<Item = u64> {
    let item = &message.item;
    let blocks = item.blocks.iter();
    let calls = blocks.filter(|it| it.kind == BlockKind::ToolUse);
    let names = calls.map(|it| it.names.first().copied().unwrap_or_default());
    names.chain(item.called.iter().copied())
}

/// Returns the tokens of each result in a message.
fn results(message: &Placed) -> Vec<u64> {
    let item = &message.item;
    if !item.has_tool_results {
        return Vec::new();
    }
    let blocks = item.blocks.iter();
    // A search that defines tools is not to be cut.
    let results = blocks.filter(|it| it.kind == BlockKind::ToolResult && it.functions.is_empty());
    let results: Vec<u64> = results.map(|it| it.tokens.tokens()).collect();
    if results.is_empty() && !item.calls.is_empty() {
        // On Chat Completions, the message is the result.
        return vec![item.blocks.iter().map(|it| it.tokens.tokens()).sum()];
    }
    results
}

/// Returns the path of the first long result of these messages.
fn long_result(request: &Body, messages: &[Placed]) -> Option<String> {
    let is_long = |it: &&Placed| results(it).into_iter().any(|it| it > MAX_RESULT_TOKENS);
    let found = messages.iter().find(is_long)?;
    let all = request.section(Level::Messages);
    let index = all.iter().position(|it| it.start == found.start)?;
    let long = |it: &&Block| it.tokens.tokens() > MAX_RESULT_TOKENS;
    let block = found.item.blocks.iter().find(long).or(found.item.blocks.first())?;
    Some(request.block_path(Level::Messages, index, block).to_string())
}
