//! One request as a row, in the form that programs read.

use std::time::Duration;

use aside_cache_model::{Cost, Difference, Usage};
use aside_models::{Date, find};
use aside_request_logs::{Agent, Exchange, day, rfc3339};
use aside_text::one_line;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::cause::RowCause;

/// One request of a log.
///
/// It is written as one JSON object with all keys in a fixed order, of which an unknown
/// one is `null`. The object has no text of a conversation. Keys are added at the end,
/// never changed:
///
/// ```json
/// {"time":"2026-11-22T00:09:00.000Z","at":1795306140.0,"agent":"claude-code","project":"/src/app",
///  "session":"s","subagent":null,"id":"msg_2","line":2,"model":"claude-haiku-4-5","status":null,
///  "error":null,"read":0,"write_5m":9500,"write_1h":0,"write_other":0,"uncached":3,"output":1,
///  "is_predicted":false,"cost":0.011883,"prices_as_of":"2026-11-21","cause":"expired",
///  "lost_tokens":9000,"lost_cost":0.01035,"path":null,"byte":null,"unknown_write":0}
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// When it was sent: since 1970, or since the log began if that has times of its own.
    pub at: Duration,
    /// True if the log has no time for it, and `at` is assumed.
    pub is_at_assumed: bool,
    /// The agent that wrote the log, if the log shows it.
    pub agent: Option<Agent>,
    /// The project: its directory, or the name that the agent keeps it under.
    pub project: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The session's sub-agent.
    pub subagent: Option<String>,
    /// The request's id, or its response's.
    pub id: Option<String>,
    /// The line in the log, from 1.
    pub line: usize,
    /// The model that is billed: the one that answered, as the request names it if it can.
    pub model: Option<String>,
    /// The HTTP status, if the log has it.
    pub status: Option<u16>,
    /// A failure's message.
    pub error: Option<String>,
    /// Tokens by price class: as billed, else predicted. Zero if the request failed.
    pub usage: Usage,
    /// True if the tokens are predicted.
    pub is_predicted: bool,
    /// How many uncached tokens may have been written to the cache, at the price of a write: the
    /// log has no figure for writes. `cost` counts them as not written.
    pub unknown_write: u64,
    /// What input and output cost; `None` if the model's price is unknown.
    pub cost: Option<Cost>,
    /// From which day these prices are.
    pub prices_as_of: Option<Date>,
    /// Why the cache missed, or that a session or sub-agent starts.
    pub cause: Option<RowCause>,
    /// How many tokens were in the cache and were not read.
    pub lost_tokens: u64,
    /// How much less the same request would have cost if it had read them.
    pub lost_cost: Option<Cost>,
    /// The first difference, if the log has exact bodies. The JSON has its path and its byte in the
    /// body, and not its texts.
    pub difference: Option<Difference>,
}

impl Row {
    pub(super) fn new(exchange: &Exchange, at: Duration, model: Option<&str>) -> Self {
        // Names in a log may have control characters.
        let line = |text: &Option<String>| text.as_deref().map(|it| one_line(it).into_owned());
        Self {
            at,
            is_at_assumed: exchange.at.is_none(),
            agent: exchange.agent,
            project: line(&exchange.project),
            session: line(&exchange.session),
            subagent: line(&exchange.subagent),
            id: line(&exchange.id),
            line: exchange.line,
            model: model.filter(|it| !it.is_empty()).map(|it| one_line(it).into_owned()),
            status: exchange.status,
            error: line(&exchange.error),
            ..Self::default()
        }
    }

    /// Sets the usage that a log has, and its price.
    pub(super) fn bill_recorded(&mut self, usage: Usage, is_write_missing: bool) {
        self.bill(usage);
        if is_write_missing {
            self.unknown_write = unknown_write(self.model.as_deref().unwrap_or_default(), &usage);
        }
    }

    /// Sets the usage and its price.
    pub(super) fn bill(&mut self, usage: Usage) {
        let facts = find(self.model.as_deref().unwrap_or_default()).facts;
        self.usage = usage;
        self.cost = usage.cost(facts);
        self.lost_cost = self.cost.map(|_| Cost::ZERO);
        self.prices_as_of = facts.prices_as_of.filter(|_| self.cost.is_some());
    }

    /// Returns the time in UTC, such as `2026-11-22T00:09:00.000Z`; `None` for a log with times
    /// of its own, and for a request without a time.
    #[must_use]
    pub fn time(&self) -> Option<String> {
        rfc3339(self.at).filter(|_| !self.is_at_assumed)
    }

    /// Returns the day in UTC, such as `2026-11-22`, where there is a [`time`](Self::time).
    #[must_use]
    pub fn day(&self) -> Option<String> {
        day(self.at).filter(|_| !self.is_at_assumed)
    }

    /// Returns true if the request failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.error.is_some() || self.status.is_some_and(|it| it >= 400)
    }
}

/// Returns how many tokens may be cache writes, which the model's provider bills, if the usage does
/// not say how many were written.
pub(super) fn unknown_write(model: &str, usage: &Usage) -> u64 {
    let facts = find(model).facts;
    let band = facts.price_in(usage.is_fast, usage.input());
    let is_billed = band.is_some_and(|it| it.write_5m.is_some());
    let is_cacheable = usage.input() >= facts.cache_minimum.unwrap_or(0);
    if is_billed && is_cacheable { usage.uncached } else { 0 }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let usage = &self.usage;
        let mut row = serializer.serialize_struct("Row", 26)?;
        row.serialize_field("time", &self.time())?;
        row.serialize_field("at", &self.at.as_secs_f64())?;
        row.serialize_field("agent", &self.agent.map(Agent::as_str))?;
        row.serialize_field("project", &self.project)?;
        row.serialize_field("session", &self.session)?;
        row.serialize_field("subagent", &self.subagent)?;
        row.serialize_field("id", &self.id)?;
        row.serialize_field("line", &self.line)?;
        row.serialize_field("model", &self.model)?;
        row.serialize_field("status", &self.status)?;
        row.serialize_field("error", &self.error)?;
        row.serialize_field("read", &usage.read)?;
        row.serialize_field("write_5m", &usage.write_5m)?;
        row.serialize_field("write_1h", &usage.write_1h)?;
        row.serialize_field("write_other", &usage.write_other)?;
        row.serialize_field("uncached", &usage.uncached)?;
        row.serialize_field("output", &usage.output)?;
        row.serialize_field("is_predicted", &self.is_predicted)?;
        row.serialize_field("cost", &self.cost)?;
        row.serialize_field("prices_as_of", &self.prices_as_of)?;
        row.serialize_field("cause", &self.cause)?;
        row.serialize_field("lost_tokens", &self.lost_tokens)?;
        row.serialize_field("lost_cost", &self.lost_cost)?;
        row.serialize_field("path", &self.difference.as_ref().map(|it| &it.path))?;
        row.serialize_field("byte", &self.difference.as_ref().and_then(|it| it.byte_offset))?;
        row.serialize_field("unknown_write", &self.unknown_write)?;
        row.end()
    }
}
