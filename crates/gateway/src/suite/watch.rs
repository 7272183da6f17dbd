//! A situation's observer: what each request lacks, and what it costs.

use std::collections::{BTreeMap, BTreeSet};

use aside_cache_model::Bound;
use aside_messages::wire::Request;
use aside_models::{Cost, Usage, find};
use aside_providers::script::{CallPurpose, ScriptedAnswer};

use super::needle::{Haystack, Needle};
use super::{AgentFault, AgentFaultKind, Score, Situation};
use crate::serve::{Observed, SentBlock, ServerReport, cost};

/// How much more than the least the input may cost. The last request writes what is not read again,
/// and a short conversation does not earn that back.
const MAX_COST: f64 = 1.25;

/// Follows a situation's conversations.
///
/// A request continues the latest response that it has a text or a call from. It must have all that
/// this response's request had, and all the response's blocks, once. So sub-agents, forks and title
/// requests need no description.
#[derive(Debug)]
pub struct Watch {
    situation: Situation,
    exchanges: Vec<Exchange>,
    /// The files that the agent was asked to read, until a result has a line of them: each path with
    /// its lines.
    unread: BTreeMap<String, BTreeSet<String>>,
    findings: Vec<AgentFault>,
    /// The least that the input can cost, by the names of the rules of the caches.
    bounds: BTreeMap<&'static str, Bound>,
    /// What the input has cost so far, in US dollars; `None` if a price is unknown.
    cost: Option<f64>,
    /// Why the situation does not apply to the agent.
    blocked: Option<String>,
}

/// A request and its response.
#[derive(Debug)]
struct Exchange {
    /// What has to be in a request that continues this one.
    needles: Vec<Needle>,
    sent: Vec<SentBlock>,
}

impl Watch {
    /// Creates a situation's observer.
    #[must_use]
    pub fn new(situation: &Situation) -> Self {
        Self {
            situation: situation.clone(),
            exchanges: Vec::new(),
            unread: BTreeMap::new(),
            findings: Vec::new(),
            bounds: BTreeMap::new(),
            cost: Some(0.0),
            blocked: None,
        }
    }

    /// Looks at a request, in the server's order.
    pub fn observe(&mut self, observed: &Observed<'_>) {
        self.price(observed);
        let wire = self.situation.wire.as_deref();
        if wire.is_some_and(|wire| wire != observed.wire.as_str()) {
            self.blocked = Some(format!("{} has no such situation", observed.wire));
        }
        let Ok(request) = Request::parse(observed.messages_form) else {
            return;
        };
        let hay =
            Haystack { request: &request.value, body: &String::from_utf8_lossy(observed.body) };
        self.unread.retain(|_, lines| !hay.has_result_with(lines));
        self.unread.extend(self.reads(observed.answer));
        let mut needles = self.compare(observed.request, &hay);
        for needle in hay.results() {
            if !needles.contains(&needle) {
                needles.push(needle);
            }
        }
        let sent = observed.sent.iter().cloned();
        needles.extend(sent.map(Needle::Sent));
        self.exchanges.push(Exchange { needles, sent: observed.sent.to_vec() });
    }

    /// Returns the text files that a response reads, each with its lines.
    fn reads(&self, answer: usize) -> Vec<(String, BTreeSet<String>)> {
        let answer = self.situation.script.answer(answer).filter(|it| !it.breaks_off);
        let purposes = answer.into_iter().flat_map(ScriptedAnswer::purposes);
        let files = purposes.filter_map(|it| match it {
            CallPurpose::Read(path) => Some((path.clone(), self.situation.lines(path))),
            _ => None,
        });
        files.filter(|(_, lines)| !lines.is_empty()).collect()
    }

    /// Reports what a request lacks, has twice, or trusts. Returns the parts that it has.
    fn compare(&mut self, number: u64, hay: &Haystack<'_>) -> Vec<Needle> {
        let continued = self.exchanges.iter().rev().find(|exchange| {
            let mut visible =
                exchange.sent.iter().filter(|it| !matches!(it, SentBlock::Thinking(_)));
            visible.any(|it| hay.count(&Needle::Sent(it.clone())) > 0)
        });
        let mut needles = continued.map_or_else(Vec::new, |it| it.needles.clone());
        let prompts = self.situation.runs.iter();
        let prompts = prompts.map(|run| Needle::Prompt(run.prompt.clone()));
        for prompt in prompts {
            if !needles.contains(&prompt) && hay.count(&prompt) > 0 {
                needles.push(prompt);
            }
        }
        let mut found = Vec::new();
        let mut news = Vec::new();
        for needle in needles {
            let count = hay.count(&needle);
            let kind = match &needle {
                _ if count > self.issued(&needle) => AgentFaultKind::DoubledMessage,
                _ if count > 0 => {
                    found.push(needle);
                    continue;
                }
                Needle::Sent(SentBlock::Thinking(_)) => AgentFaultKind::LostThinking,
                _ => AgentFaultKind::LostMessage,
            };
            let text = match kind {
                AgentFaultKind::DoubledMessage => format!("{needle} is there {count} times"),
                _ => format!("{needle} is missing"),
            };
            news.push(AgentFault { kind, request: Some(number), text });
        }
        let untrusted = self.situation.untrusted.iter();
        for text in untrusted.filter(|text| hay.trusts(text)) {
            let text = format!("{text:?} is outside of the results of tools");
            let kind = AgentFaultKind::SpoofedText;
            news.push(AgentFault { kind, request: Some(number), text });
        }
        for finding in news {
            let is_same = |it: &AgentFault| it.kind == finding.kind && it.text == finding.text;
            if !self.findings.iter().any(is_same) {
                self.findings.push(finding);
            }
        }
        found
    }

    /// Returns how often a part may be in a request.
    fn issued(&self, needle: &Needle) -> usize {
        match needle {
            Needle::Sent(sent) => {
                let responses = self.exchanges.iter().filter(|it| it.sent.contains(sent));
                responses.count()
            }
            Needle::Prompt(prompt) => {
                let runs = self.situation.runs.iter();
                runs.filter(|run| run.prompt == *prompt).count()
            }
            Needle::Result(_) => 1,
        }
    }

    /// Adds the price of the input as the server billed it, and the least that it can cost.
    fn price(&mut self, observed: &Observed<'_>) {
        let Some((model, billed)) = observed.billed else {
            return;
        };
        let bound = self.bounds.entry(model.rules().name).or_default();
        bound.add(model, &billed.entry);
        let name = billed.entry.request.model().unwrap_or_default();
        let input = Usage { output: 0, ..billed.usage };
        let price = cost(find(name).facts, &[input]);
        self.cost = self.cost.zip(price).map(|(sum, price)| sum + price.dollars());
    }

    /// Ends the situation: adds what the server refused and what missed the cache.
    ///
    /// `unused` are the responses that no request has got; `ended` are the command's calls that
    /// failed.
    #[must_use]
    pub fn score(mut self, report: &ServerReport, unused: &[usize], ended: Vec<String>) -> Score {
        let bounds = self.bounds.values().map(Bound::cost);
        let bound = bounds.map(|it| it.map(Cost::dollars)).sum();
        let mut blocked = self.blocked.take();
        if blocked.is_some() {
            self.findings.clear();
        }
        for refusal in &report.refusals {
            // The server fails if the script has no call that suits the request.
            if refusal.status == 500 {
                blocked = Some(refusal.message.clone());
                continue;
            }
            let kind = AgentFaultKind::Refused;
            self.add(kind, Some(refusal.request), refusal.message.clone());
        }
        for line in &report.misses {
            let text = line.to_string();
            let mut explained = self.situation.explained.iter();
            if !explained.any(|part| text.contains(part)) {
                let text = text.split_once(": ").map_or(&*text, |(_, text)| text);
                let text = text.trim_start_matches("miss ").to_owned();
                self.add(AgentFaultKind::Miss, Some(line.request), text);
            }
        }
        // A command may fail if the script has no response for it.
        for text in ended.into_iter().filter(|_| blocked.is_none()) {
            self.add(AgentFaultKind::Failed, None, text);
        }
        let blocked = blocked.or_else(|| {
            let first = unused.first()?;
            let count = self.situation.script.len();
            Some(format!("no request got the response {first} of {count}"))
        });
        let blocked = blocked.or_else(|| {
            let (path, _) = self.unread.first_key_value()?;
            let name = path.rsplit('/').next().unwrap_or(path);
            Some(format!("no tool result has the text of {name}"))
        });
        if let Some((cost, bound)) = self.cost.zip(bound)
            && cost > bound * MAX_COST
        {
            let text = format!("the input costs ${cost:.4}, the least is ${bound:.4}");
            self.add(AgentFaultKind::Cost, None, text);
        }
        let allow = &self.situation.allow;
        self.findings.retain(|it| !allow.contains(&it.kind));
        let name = &self.situation.name;
        let mut score = Score::new(name, report.requests, self.findings, blocked);
        (score.cost, score.bound) = (self.cost, bound);
        score
    }

    fn add(&mut self, kind: AgentFaultKind, request: Option<u64>, text: String) {
        self.findings.push(AgentFault { kind, request, text });
    }
}
