//! `explain`, and one session's cache model.

use std::collections::HashMap;
use std::time::Duration;

use aside_body::Body;
use aside_cache_model::{
    CacheModel, CacheRules, ThinkingLoss, Timed, Usage, Verdict, thinking_lost,
};
use serde::{Deserialize, Serialize};

use crate::error::BindingError;
use crate::input;
use crate::output::{Output, options, without_panic};

/// How many seconds to assume between requests without a time: shorter than any lifetime.
const DEFAULT_EVERY_SECONDS: f64 = 30.0;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Sent {
    /// Seconds since any fixed moment.
    at: Option<f64>,
    /// The usage that the provider reported, in any vendor's form or as `--json` prints it.
    usage: Option<serde_json::Value>,
    session: Option<String>,
    /// Seconds until the response began; the provider's rules by default.
    latency: Option<f64>,
}

/// Options for `explain`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    every: Option<f64>,
    /// Empty, or one entry per request.
    at: Vec<Option<f64>>,
    latency: Option<f64>,
}

/// A request, with keys of `aside cache explain --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) request: usize,
    at: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    rules: &'static str,
    pub(crate) predicted: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_lost: Option<ThinkingLoss>,
}

#[derive(Serialize)]
struct Rows {
    requests: Vec<Row>,
}

/// A cache model for one session or program. Send requests in time order.
#[derive(Debug, Default)]
pub struct CacheSession {
    models: HashMap<&'static str, CacheModel>,
    requests: usize,
    last: Option<f64>,
}

impl CacheSession {
    /// Sends a request, and returns its row: figures, markers and the miss.
    ///
    /// `options` may have `at` (seconds since any fixed moment; by default 30 after the last
    /// request), `latency` (seconds until the response began), `usage` (as the provider reported
    /// it) and `session`.
    ///
    /// # Errors
    /// The body or an option cannot be read. The model stays as it was.
    pub fn send(&mut self, body: &[u8], json: &[u8]) -> Result<Output, BindingError> {
        without_panic(&[body, json], || {
            let row = self.row(self.requests, input::body(body)?, options(json)?)?;
            Output::facts(&row)
        })
    }

    fn row(&mut self, index: usize, body: Body, sent: Sent) -> Result<Row, BindingError> {
        let at = time_after(self.last, sent.at);
        let rules = CacheRules::of_wire(body.wire());
        let name = rules.name;
        let mut timed = Timed::new(body, seconds("at", at)?);
        timed.index = Some(index);
        timed.session.clone_from(&sent.session);
        timed.latency = sent.latency.map(|latency| seconds("latency", latency)).transpose()?;
        timed.usage = sent.usage.map(usage).transpose()?;
        // Nothing fails from here on: a refused request must not count.
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
        self.requests += 1;
        let model = self.models.entry(name).or_insert_with(|| CacheModel::new(rules));
        let predicted = model.replay(&timed);
        let before = model.continued();
        let thinking_lost = before.and_then(|before| thinking_lost(before, &timed.request));
        Ok(Row {
            request: index + 1,
            at,
            session: sent.session,
            rules: name,
            predicted,
            recorded: timed.usage,
            thinking_lost,
        })
    }
}

/// Returns the given time, or the one to assume after the last request.
fn time_after(last: Option<f64>, at: Option<f64>) -> f64 {
    at.or(last.map(|last| last + DEFAULT_EVERY_SECONDS)).unwrap_or_default()
}

pub(crate) fn seconds(option: &str, seconds: f64) -> Result<Duration, BindingError> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|error| BindingError::option(format!("{option}: {seconds}: {error}")))
}

fn usage(json: serde_json::Value) -> Result<Usage, BindingError> {
    let found = Usage::from_any_vendor(&json);
    let found = found.ok_or_else(|| BindingError::option(format!("usage: {json}: no usage")))?;
    Ok(found.without_output())
}

pub(crate) fn explain(bodies: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let given: Options = options(json)?;
    let (times, count) = (given.at.len(), bodies.len());
    if times != count && times != 0 {
        return Err(BindingError::option(format!("at: {times} times for {count} requests")));
    }
    let requests = rows(bodies, given.latency, |index| {
        let every = given.every.map(|every| every * index as f64);
        given.at.get(index).copied().flatten().or(every)
    })?;
    Output::facts(&Rows { requests })
}

/// Sends all bodies to one cache, in the order of their times. Each row has its body's number.
pub(crate) fn rows(
    bodies: &[&[u8]],
    latency: Option<f64>,
    at: impl Fn(usize) -> Option<f64>,
) -> Result<Vec<Row>, BindingError> {
    let (mut session, mut last) = (CacheSession::default(), None);
    let times = (0..bodies.len()).map(|index| {
        let time = time_after(last, at(index));
        last = Some(last.map_or(time, |it: f64| it.max(time)));
        (index, time)
    });
    let mut times: Vec<_> = times.collect();
    times.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let rows = times.into_iter().map(|(index, at)| {
        let sent = Sent { at: Some(at), latency, ..Sent::default() };
        let row = input::body(bodies[index]).and_then(|body| session.row(index, body, sent));
        row.map_err(|error| BindingError { path: format!("requests[{index}]"), ..error })
    });
    rows.collect()
}
