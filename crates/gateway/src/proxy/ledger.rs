//! Sessions, prices and records for exchanges that ended.
//!
//! Each provider has a cache model ([`CacheModel`]), which assigns a request to
//! its parent's session and explains misses. The usage that the provider
//! reports corrects the model.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::Texts;
use super::deny::Deny;
use super::finished::Finished;
use super::record::Recorder;
use super::summary::{Line, Refusal, Summary};
use super::upstream::Wire;
use crate::place::Placer;
use crate::redact::CleanBodies;
use crate::serve::{MissText, cost};
use aside_body::stored::StoredResponses;
use aside_cache_model::{
    Body, CacheModel, CacheRules, Cost, CostFinding, Difference, Linter, Spending, Timed, Usage,
    Verdict,
};
use aside_models::{billed_model, find};
use axum::http::StatusCode;

/// How many errors while writing records the summary lists.
const MAX_FAULTS: usize = 100;

/// A proxy's account book.
///
/// One thread uses it, in the order that responses end. So a response that ends
/// early can be added before one that was sent before it.
#[derive(Debug)]
pub(crate) struct Ledger {
    recorder: Recorder,
    /// The totals so far, without linter findings.
    summary: Summary,
    /// When the first request was sent, in seconds since 1970.
    run: Option<u64>,
    /// A random number. With the time, it keeps several runs' sessions apart,
    /// even when two begin in the same second.
    random: u32,
    /// The findings that make the proxy end with an error.
    deny: Vec<Deny>,
    /// One book per provider: different providers' caches share nothing.
    books: HashMap<&'static str, Book>,
    /// Each request's session number, 0 for one that leaves nothing in a cache.
    sessions: Vec<u64>,
    /// The messages with the agent's own markers, if they are replaced.
    as_sent: CacheModel,
    /// Tells which requests have no secrets.
    clean: CleanBodies,
    /// Learns from the comparison.
    placer: Option<Arc<Placer>>,
    /// True once a WebSocket connection was refused.
    has_refused_upgrade: bool,
}

/// The request of an exchange, as its bodies are read.
struct Requests {
    /// As sent to the upstream; `None` for a body that is no request.
    forwarded: Option<Body>,
    /// As the agent sent it, if its markers may be replaced.
    as_sent: Option<Body>,
}

/// The requests to one provider.
#[derive(Debug)]
struct Book {
    model: CacheModel,
    /// The requests that later ones continue by the id of their response.
    stored: StoredResponses,
    /// Looks for waste in the cache; used only if a rule is denied.
    linter: Linter,
    /// Looks for what sessions pay apart from their markers; the same.
    spending: Spending,
}

impl Ledger {
    pub(crate) fn new(recorder: Recorder, deny: Vec<Deny>, placer: Option<Arc<Placer>>) -> Self {
        let summary = Summary {
            directory: recorder.directory().map(ToOwned::to_owned),
            ..Summary::default()
        };
        Self {
            recorder,
            summary,
            run: None,
            random: RandomState::new().hash_one(()) as u32,
            deny,
            books: HashMap::new(),
            sessions: Vec::new(),
            as_sent: CacheModel::new(CacheRules::anthropic()),
            clean: CleanBodies::default(),
            placer,
            has_refused_upgrade: false,
        }
    }

    /// Adds an exchange: removes its secrets, assigns its session, writes its record, and returns
    /// its line.
    ///
    /// If writing the record fails, this is a note in the line and a fault in
    /// the summary; the exchange counts all the same. Only the first
    /// `MAX_FAULTS` faults are kept.
    pub(crate) fn add(&mut self, mut finished: Finished) -> Line {
        self.summary.requests += 1;
        let number = self.summary.requests;
        match finished.status {
            Some(status) if status >= 400 => self.summary.failed += 1,
            Some(_) if finished.observed.error.is_some() => self.summary.failed += 1,
            _ if !finished.is_complete => self.summary.aborted += 1,
            _ => {}
        }
        let requests = self.redacted(&mut finished);
        if !requests.forwarded.as_ref().is_some_and(StoredResponses::keeps) {
            finished.observed.output = None;
        }
        let samplings = finished.samplings();
        let (verdict, session) = self.judge(&finished, requests, samplings);
        self.sessions.push(session);
        let run = *self.run.get_or_insert(finished.at.as_secs());
        let file = format!("{run}-{:08x}-{session:04}", self.random);
        let session = Some(&*file).filter(|_| session > 0);
        let requested = verdict.as_ref().map_or("", |(_, model)| model);
        let answered = finished.observed.model.as_deref().unwrap_or_default();
        let model = find(billed_model(answered, requested)).facts;
        if let Some(samplings) = samplings {
            self.summary.totals.add(model, samplings);
            for (advisor, usage) in &finished.observed.advisors {
                self.summary.totals.add(find(advisor).facts, &[*usage]);
            }
        }
        let mut notes: Vec<String> = finished.note.iter().cloned().collect();
        let observed = &finished.observed;
        notes.extend(observed.error.clone());
        notes.extend(finished.error_message(self.recorder.texts()).map(str::to_owned));
        let unread = observed.unread.as_ref();
        notes.extend(unread.map(|it| format!("a figure that is no whole number: {it}")));
        let mut miss = verdict.and_then(|(verdict, _)| verdict.miss);
        if let Some(miss) = &mut miss
            && self.recorder.texts() == Texts::Redacted
        {
            miss.difference = miss.difference.take().map(Difference::without_text);
        }
        if let Some(miss) = &miss {
            self.summary.misses += 1;
            notes.push(MissText(miss).to_string());
            if self.deny.iter().any(|deny| deny.denies(miss)) {
                self.summary.denied += 1;
                notes.push("denied".to_owned());
            }
        }
        if let Err(error) = self.recorder.write(&file, session, &finished) {
            notes.push(error.to_string());
            if self.summary.faults.len() < MAX_FAULTS {
                self.summary.faults.push(error.to_string());
            }
        }
        // A response may report its usage without a figure.
        let samplings = samplings.filter(|it| it.iter().any(|usage| usage.total() > 0));
        let sum: Option<Usage> = samplings.map(|it| it.iter().copied().sum());
        let is_without_usage =
            sum.is_none() && finished.is_answered() && finished.observed.error.is_none();
        self.summary.without_usage += u64::from(is_without_usage);
        Line {
            number,
            session: file,
            path: finished.path.clone(),
            status: finished.status,
            is_complete: finished.is_complete,
            is_without_usage,
            read: sum.map(|it| it.read),
            written: sum.map(|it| it.written()),
            plain: sum.map(|it| it.uncached),
            cost: samplings.and_then(|it| cost(model, it)).map(Cost::dollars),
            miss,
            notes,
        }
    }

    /// Counts a request without a wire.
    pub(crate) fn pass(&mut self) {
        self.summary.unrecorded += 1;
    }

    /// Counts a request that the proxy refused. Returns true if it should be
    /// reported: agents try WebSocket for each connection, and this is reported
    /// once.
    pub(crate) fn refuse(&mut self, refusal: &Refusal) -> bool {
        self.summary.refused += 1;
        let is_upgrade = refusal.status == StatusCode::UPGRADE_REQUIRED.as_u16();
        !is_upgrade || !std::mem::replace(&mut self.has_refused_upgrade, true)
    }

    /// Returns the summary, with the denied faults in all requests.
    ///
    /// Findings are computed from copies, so you can ask for the summary at any
    /// time. The most expensive finding comes first.
    pub(crate) fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        let books = self.books.values();
        let findings = books
            .flat_map(|book| [book.linter.clone().finish(), book.spending.clone().finish()])
            .flatten();
        let is_denied = |rule| self.deny.iter().any(|deny| deny.denies_rule(rule));
        let is_redacted = self.recorder.texts() == Texts::Redacted;
        let shown = |it: CostFinding| if is_redacted { it.without_text() } else { it };
        summary.findings = findings.filter(|it| is_denied(it.rule)).map(shown).collect();
        let by_cost = |it: &CostFinding| (Reverse(it.lost_cost), it.rule, it.first);
        summary.findings.sort_by_key(by_cost);
        summary.denied += summary.findings.len() as u64;
        summary
    }

    /// Removes the secrets in an exchange, and reads its requests.
    fn redacted(&mut self, finished: &mut Finished) -> Requests {
        finished.redact_observed();
        let requests = self.read(finished);
        let sent = requests.as_sent.as_ref().or(requests.forwarded.as_ref());
        // Other markers bring no secret.
        finished.is_clean =
            requests.forwarded.is_some() && sent.is_some_and(|it| self.clean.check(it));
        if !finished.is_clean && finished.redact_bodies() {
            return self.read(finished);
        }
        requests
    }

    fn read(&mut self, finished: &Finished) -> Requests {
        let original = finished.original.as_ref().unwrap_or(&finished.body);
        let as_sent = finished.agent.and_then(|_| self.as_sent.parse(original.clone(), None).ok());
        let model = &self.book(finished).model;
        Requests { forwarded: model.parse(finished.body.clone(), None).ok(), as_sent }
    }

    fn book(&mut self, finished: &Finished) -> &mut Book {
        let new = || Book {
            model: CacheModel::new(CacheRules::of_wire(finished.wire)),
            stored: StoredResponses::default(),
            linter: Linter::new(),
            spending: Spending::default(),
        };
        self.books.entry(finished.provider()).or_insert_with(new)
    }

    /// Sends a request through its provider's cache model. Returns the verdict
    /// with the model's id, and the session's number.
    ///
    /// A request that leaves nothing in a cache (a failed one, a token count, a
    /// body that is no request) has no verdict and belongs to session 0. The
    /// usage that the provider reports corrects the model's token counts.
    fn judge(
        &mut self,
        finished: &Finished,
        requests: Requests,
        samplings: Option<&[Usage]>,
    ) -> (Option<(Verdict, String)>, u64) {
        let Some(request) = requests.forwarded.filter(|_| finished.is_answered()) else {
            // Not a request that leaves something in a cache.
            return (None, 0);
        };
        let request = match finished.model_of_path() {
            Some(model) => request.with_model(model),
            None => request,
        };
        let is_of_lint = self.deny.iter().any(|deny| deny.is_of_lint());
        let new_session = self.summary.sessions + 1;
        // The line's number: failed requests and those to other providers count as well.
        let index = self.sessions.len();
        let book = self.book(finished);
        let id = request.model().unwrap_or_default().to_owned();
        let previous = request.previous_response();
        let whole = book.stored.whole(&request);
        let whole = whole.and_then(|whole| book.model.parse(whole.into(), None).ok());
        let mut entry = finished.entry(whole.unwrap_or(request));
        entry.index = Some(index);
        entry.previous = previous;
        if let (Some(id), Some(output)) = (&entry.id, &finished.observed.output) {
            book.stored.push(id, &entry.request, output);
        }
        entry.usage = samplings.map(input);
        let verdict = book.model.replay(&entry);
        if is_of_lint {
            book.linter.add(&book.model, &entry, &verdict);
            book.spending.add(&book.model, &entry, &verdict);
        }
        let parent = verdict.parent.and_then(|it| self.sessions.get(it.index));
        let session = parent.copied().unwrap_or(new_session);
        self.summary.sessions = self.summary.sessions.max(session);
        if let (Some(agent), Some(as_sent)) = (finished.agent, requests.as_sent) {
            self.compare(finished.entry(as_sent), agent, &verdict, samplings);
        }
        (Some((verdict, id)), session)
    }

    /// Predicts what a request would cost with the agent's own markers.
    ///
    /// This is an estimate: tokens are those that the provider reported for the
    /// forwarded body, and the cache model predicts reads and writes.
    fn compare(
        &mut self,
        mut entry: Timed,
        agent: u64,
        forwarded: &Verdict,
        samplings: Option<&[Usage]>,
    ) {
        entry.usage = samplings.map(input);
        let verdict = self.as_sent.send_remarked(&entry);
        let dollars = |verdict: &Verdict| verdict.cost.map_or(0.0, Cost::dollars);
        let (as_sent, as_forwarded) = (dollars(&verdict), dollars(forwarded));
        let predicted = self.summary.predicted.get_or_insert_default();
        predicted.as_sent += as_sent;
        predicted.as_forwarded += as_forwarded;
        if let Some(placer) = &self.placer {
            placer.settle(agent, as_sent, as_forwarded);
        }
    }
}

/// Returns a request's input. If the response is only a compaction, its input
/// is the compaction's.
fn input(samplings: &[Usage]) -> Usage {
    let mut samplings = samplings.iter();
    let first = samplings.find(|it| it.input() > 0);
    first.copied().unwrap_or_default().without_output()
}

impl Finished {
    /// Returns the model in a Gemini path, as in
    /// `/v1beta/models/gemini-3.6-flash:generateContent`.
    fn model_of_path(&self) -> Option<&str> {
        let (_, model) = self.path.split_once("/models/")?;
        model.split_once(':').map(|(model, _)| model)
    }

    /// Returns the exchange's request, with what the response says.
    fn entry(&self, request: Body) -> Timed {
        let mut entry = Timed::new(request, self.at);
        entry.id.clone_from(&self.observed.id);
        entry.latency = self.latency;
        entry.answered.clone_from(&self.observed.model);
        entry.answer = Some(self.observed.answer.clone());
        entry
    }

    fn samplings(&self) -> Option<&[Usage]> {
        let samplings = self.observed.samplings.as_deref();
        samplings.filter(|_| self.is_sampled())
    }

    /// Returns true if a model answered, perhaps not to the end.
    fn is_answered(&self) -> bool {
        self.is_sampled() && self.status.is_some_and(|status| status < 400)
    }

    /// Returns true if a model answers the request: to count tokens leaves
    /// nothing in a cache.
    fn is_sampled(&self) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        self.wire != Wire::Messages || path.ends_with("/messages")
    }
}
