//! Sessions, prices and records of the exchanges that ended.

mod sessions;

use aside_models::find;
use serde::Deserialize;

use super::exchange::Finished;
use super::record::Recorder;
use super::summary::{Line, Predicted, Summary};
use super::upstream::Wire;
use crate::cost;
use crate::strict::body::RequestBody;
use crate::strict::cache::Cache;
use crate::strict::cache_view::CacheView;
use crate::strict::{CacheCreation, Usage};
use sessions::Sessions;

/// Faults beyond this are not listed.
const MAX_FAULTS: usize = 100;

/// The account book of a proxy.
#[derive(Debug)]
pub(crate) struct Ledger {
    recorder: Recorder,
    sessions: Sessions,
    summary: Summary,
    as_sent: Cache,
    as_forwarded: Cache,
}

/// Usage as the Messages API reports it.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Reported {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation: Option<ReportedCreation>,
    output_tokens: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReportedCreation {
    ephemeral_5m_input_tokens: u64,
    ephemeral_1h_input_tokens: u64,
}

impl Ledger {
    pub(crate) fn new(recorder: Recorder) -> Self {
        let summary = Summary {
            directory: recorder.directory().map(ToOwned::to_owned),
            ..Summary::default()
        };
        Self {
            recorder,
            sessions: Sessions::default(),
            summary,
            as_sent: Cache::default(),
            as_forwarded: Cache::default(),
        }
    }

    /// Adds an exchange: assigns its session, writes its record, and returns
    /// its line.
    pub(crate) fn add(&mut self, finished: &Finished) -> Line {
        self.summary.requests += 1;
        let number = self.summary.requests;
        let body = RequestBody::parse(&finished.body);
        let session = self.sessions.assign(finished, body.as_ref());
        self.summary.sessions = self.sessions.count();
        match finished.status {
            Some(status) if status >= 400 => self.summary.failed += 1,
            _ if !finished.is_complete => self.summary.aborted += 1,
            _ => {}
        }
        let usage = finished.usage();
        let model = body
            .as_ref()
            .map(|body| body.model.clone())
            .unwrap_or_default();
        let facts = find(&model).facts;
        if let Some(usage) = &usage {
            self.summary.totals.add(facts, usage);
        }
        self.predict(finished, body.as_ref());
        let mut notes: Vec<String> = finished.note.iter().cloned().collect();
        notes.extend(finished.observed.error.clone());
        if let Err(error) = self.recorder.write(&session, finished) {
            notes.push(error.to_string());
            if self.summary.faults.len() < MAX_FAULTS {
                self.summary.faults.push(error.to_string());
            }
        }
        Line {
            number,
            session,
            path: finished.path.clone(),
            status: finished.status,
            is_complete: finished.is_complete,
            read: usage.map(|it| it.cache_read_input_tokens),
            written: usage.map(|it| it.cache_creation_input_tokens),
            plain: usage.map(|it| it.input_tokens),
            cost: usage.and_then(|it| cost::of(facts, &it)),
            notes,
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        self.summary.clone()
    }

    /// Sends a message through the model of the cache, with the agent's
    /// markers and with those that were forwarded.
    fn predict(&mut self, finished: &Finished, body: Option<&RequestBody<'_>>) {
        let is_answered = finished.status.is_some_and(|status| status < 400);
        let Some(body) = body.filter(|_| is_answered && finished.is_message()) else {
            return;
        };
        let facts = find(&body.model).facts;
        let price = |cache: &mut Cache, body: &RequestBody<'_>| {
            let usage = cache.send(&CacheView::of(body, facts, &[]), finished.at);
            cost::of(facts, &usage).unwrap_or_default()
        };
        let as_forwarded = price(&mut self.as_forwarded, body);
        let original = finished.original.as_deref().and_then(RequestBody::parse);
        let as_sent = price(&mut self.as_sent, original.as_ref().unwrap_or(body));
        let before = self.summary.predicted;
        self.summary.predicted = Predicted {
            as_sent: before.as_sent + as_sent,
            as_forwarded: before.as_forwarded + as_forwarded,
        };
    }
}

impl Finished {
    /// Returns true for `POST /v1/messages`.
    pub(crate) fn is_message(&self) -> bool {
        self.wire == Wire::Messages && self.path.split('?').next() == Some("/v1/messages")
    }

    /// Returns the usage that a message's response reports.
    fn usage(&self) -> Option<Usage> {
        if !self.is_message() {
            return None;
        }
        let usage = self.observed.usage.as_ref()?;
        let reported: Reported = serde_json::from_str(usage.get()).ok()?;
        let mut usage = Usage::default();
        usage.input_tokens = reported.input_tokens;
        usage.cache_creation_input_tokens = reported.cache_creation_input_tokens;
        usage.cache_read_input_tokens = reported.cache_read_input_tokens;
        usage.output_tokens = reported.output_tokens;
        let written = reported.cache_creation.unwrap_or(ReportedCreation {
            ephemeral_5m_input_tokens: reported.cache_creation_input_tokens,
            ..ReportedCreation::default()
        });
        usage.cache_creation = CacheCreation {
            ephemeral_5m_input_tokens: written.ephemeral_5m_input_tokens,
            ephemeral_1h_input_tokens: written.ephemeral_1h_input_tokens,
        };
        Some(usage)
    }
}
