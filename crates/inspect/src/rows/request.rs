//! Turns logged exchanges into requests for the cache model: when each was sent, its provider's
//! cache rules, and the number that users see.

use std::collections::HashMap;
use std::time::Duration;

use aside_cache_model::body::stored::StoredResponses;
use aside_cache_model::{
    Body, CacheLifetime, CacheRules, Choice, Level, ParseError, ParseErrorKind, ResponseParts,
    Timed, Usage, outline,
};
use aside_models::{Vendor, Wire, find};
use aside_request_logs::{Exchange, RecordedBody};

use super::row::unknown_write;
use crate::thousands;

/// The time to assume between requests when a log has no times. It is shorter than any cache entry
/// lives, so that nothing expires in such a log.
const DEFAULT_EVERY: Duration = Duration::from_secs(30);

/// How many sessions' latest bodies to keep for reading the next one. After this many, all are
/// dropped, which costs time and changes no result.
const MAX_HINTS: usize = 64;

/// How to read requests.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RequestOptions {
    /// The time to assume between requests when a log has no times; 30 seconds by default.
    pub every: Option<Duration>,
    /// The cache rules; by default the provider's or the wire's.
    pub rules: Option<CacheRules>,
    /// Assumptions in the rules to reverse.
    pub flips: Vec<Choice>,
}

/// A request from a log, with its body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoggedRequest {
    /// Its number, from 1.
    ///
    /// Requests that failed, or could not be read, have none.
    pub number: usize,
    /// The body with its time, session, usage and response, as the model reads them. If the API ran
    /// several samplings for the response, the usage is the first one's, whose prompt is the body.
    pub timed: Timed,
    /// True if positions are those of the bytes that were sent. A request that continues
    /// a stored response has the items of that conversation in front of its own.
    pub is_exact: bool,
    /// How the provider's cache works.
    pub rules: CacheRules,
    /// What else the log says, without the body.
    pub exchange: Exchange,
}

impl LoggedRequest {
    /// Returns the billed input, with that of all samplings; `None` if the log does not have it.
    #[must_use]
    pub fn recorded(&self) -> Option<Usage> {
        self.exchange.usage.map(Usage::without_output)
    }

    /// Returns how many of its input tokens may be cache writes: the log does not say how many are.
    #[must_use]
    pub fn unknown_write(&self) -> u64 {
        let usage = self.recorded().filter(|_| self.exchange.is_write_missing);
        usage.map_or(0, |usage| unknown_write(self.timed.billed_model(), &usage))
    }
}

/// Usage without a body.
///
/// It is billed, but the cache model can give no verdict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unbodied {
    /// Its number, from 1, counted together with requests that have bodies.
    pub number: usize,
    /// When the request was sent.
    pub at: Duration,
    /// The billed input.
    pub usage: Usage,
    /// What else the log says.
    pub exchange: Exchange,
}

/// An item from a log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogItem {
    /// A request whose body is known.
    Request(Box<LoggedRequest>),
    /// Usage without a body.
    Unbodied(Unbodied),
    /// A request that the provider refused: it leaves nothing in a cache.
    Failed(Exchange),
}

/// How much was left out or assumed while reading a log.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LogNotes {
    /// Requests that the provider refused.
    pub failed: usize,
    /// Requests that failed after their responses had begun: they are billed.
    pub broken: usize,
    /// Requests that only count tokens.
    pub counts: usize,
    /// Lines that could not be read, and bodies that are no requests.
    pub faults: usize,
    /// Requests without a time.
    pub untimed: usize,
    /// The time assumed between such a request and the one before.
    pub assumed_times: Option<Duration>,
    /// Requests in other bytes than were sent, because the log serialized them again.
    pub reserialized: usize,
    /// Requests that the log has only in parts.
    pub sections: usize,
    /// Requests that begin with what the provider keeps and the log lacks: a conversation or a cache.
    pub kept: usize,
    /// Requests to Bedrock's Converse, of which only the usage is read.
    pub converse: usize,
}

impl LogNotes {
    /// Returns a sentence about the times that were assumed, if any.
    #[must_use]
    pub fn assumed(&self) -> Option<String> {
        let seconds = self.assumed_times?.as_secs_f64();
        let requests = match self.untimed {
            1 => "1 request has".to_owned(),
            untimed => format!("{} requests have", thousands(untimed as u64)),
        };
        Some(format!("{requests} no time: {seconds} s after the one before are assumed"))
    }
}

/// Reads requests from one or several logs.
#[derive(Debug, Default)]
pub struct RequestReader {
    options: RequestOptions,
    /// What was left out and assumed so far.
    pub notes: LogNotes,
    /// Each session's latest body. A body usually continues the one before it, and shares its
    /// parsed items.
    hints: HashMap<Option<String>, Body>,
    /// The requests that later ones continue by the id of their response.
    stored: StoredResponses,
    number: usize,
    /// The latest request's time, from which assumed times continue.
    last: Duration,
}

impl RequestReader {
    /// Creates a reader.
    #[must_use]
    pub fn new(options: RequestOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Returns how many requests there were so far, without those that failed.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.number
    }

    /// Reads an exchange. `None` for one that only counts tokens, and for one that has neither a
    /// body nor usage.
    ///
    /// # Errors
    ///
    /// The body is no request.
    pub fn read(&mut self, mut exchange: Exchange) -> Result<Option<LogItem>, ParseError> {
        let is_billed = exchange.usage.is_some_and(|it| it.total() > 0);
        let is_refused = exchange.status.is_some_and(|it| it >= 400);
        if exchange.is_failed() && (is_refused || !is_billed) {
            self.notes.failed += 1;
            if exchange.model.is_none() {
                let body = exchange.request.as_bytes();
                let body = body.and_then(|it| Body::parse(it).ok());
                exchange.model = body.and_then(|it| it.model().map(str::to_owned));
            }
            return Ok(Some(LogItem::Failed(exchange)));
        }
        if exchange.is_foreign() {
            return Ok(None);
        }
        if exchange.is_count() {
            self.notes.counts += 1;
            return Ok(None);
        }
        self.notes.broken += usize::from(exchange.is_failed());
        let at = self.time(&exchange);
        let mut is_exact = exchange.request.is_exact();
        let is_sections = matches!(exchange.request, RecordedBody::Sections(_));
        let body = match std::mem::take(&mut exchange.request) {
            RecordedBody::Bytes(body)
            | RecordedBody::Reserialized(body)
            | RecordedBody::Sections(body) => body,
            _ => return Ok(self.unbodied(exchange, at)),
        };
        let hint = self.hints.get(&exchange.session);
        let parsed = Body::parse_after(body, hint);
        if parsed.as_ref().is_err_and(|it| it.kind() == ParseErrorKind::Converse) {
            self.notes.converse += 1;
            return Ok(self.unbodied(exchange, at));
        }
        let mut request = with_model(parsed?, &exchange);
        self.notes.reserialized += usize::from(!is_exact && !is_sections);
        if let Some(whole) = self.stored.whole(&request) {
            let continued = request.previous_response();
            exchange.previous = exchange.previous.take().or(continued);
            request = with_model(Body::parse_after(whole.into(), hint)?, &exchange);
            is_exact = false;
        }
        let output = exchange.answer_output.take();
        if let (Some(id), Some(output)) = (&exchange.id, &output) {
            self.stored.push(id, &request, output);
        }
        if self.hints.len() >= MAX_HINTS {
            self.hints.clear();
        }
        self.hints.insert(exchange.session.clone(), request.clone());
        self.notes.sections += usize::from(is_sections);
        self.notes.kept += usize::from(request.kept_before().is_some());
        self.count(&exchange, at);
        let rules = match &self.options.rules {
            Some(rules) => rules.clone(),
            None => rules_for(&request, exchange.provider.as_deref()),
        };
        let flips = self.options.flips.iter();
        let rules = flips.fold(rules, |rules, choice| rules.flipped(*choice));
        let has = |level| !request.section(level).is_empty();
        let is_partial = is_sections && !(has(Level::Tools) && has(Level::System));
        let mut usages = exchange.usage.iter_mut().chain(exchange.samplings.iter_mut().flatten());
        let is_open = |it: &Usage| it.write_1h == 0 && it.written() > it.write_12h;
        if usages.any(|it| is_open(it)) && writes_for_an_hour(&request, &rules) {
            let usages = exchange.usage.iter_mut().chain(exchange.samplings.iter_mut().flatten());
            for usage in usages.filter(|it| is_open(it)) {
                usage.write_1h = usage.write_5m.saturating_add(usage.write_30m());
                usage.write_5m = 0;
                usage.write_other = usage.write_12h;
            }
        }
        let mut timed = timed(request, at, &mut exchange, output.as_deref(), &rules);
        timed.index = Some(self.number - 1);
        timed.is_partial = is_partial || timed.request.kept_before().is_some();
        Ok(Some(LogItem::Request(Box::new(LoggedRequest {
            number: self.number,
            timed,
            is_exact,
            rules,
            exchange,
        }))))
    }

    /// Returns an exchange's time, or an assumed one after the latest.
    fn time(&self, exchange: &Exchange) -> Duration {
        exchange.at.unwrap_or_else(|| match self.number {
            0 => Duration::ZERO,
            _ => self.last + self.every(),
        })
    }

    fn every(&self) -> Duration {
        self.options.every.unwrap_or(DEFAULT_EVERY)
    }

    /// Counts a request. Only a request's time can be noted as assumed: other lines of a log need
    /// none.
    fn count(&mut self, exchange: &Exchange, at: Duration) {
        self.number += 1;
        self.last = self.last.max(at);
        if exchange.at.is_none() {
            self.notes.untimed += 1;
            self.notes.assumed_times = Some(self.every());
        }
    }

    /// Returns the usage of an exchange without a body; one without usage is dropped and has no
    /// number.
    fn unbodied(&mut self, exchange: Exchange, at: Duration) -> Option<LogItem> {
        let usage = exchange.usage?.without_output();
        self.count(&exchange, at);
        Some(LogItem::Unbodied(Unbodied { number: self.number, at, usage, exchange }))
    }
}

/// Returns the body with the model that the log names.
fn with_model(request: Body, exchange: &Exchange) -> Body {
    match &exchange.model {
        Some(model) => request.with_model(model),
        None => request,
    }
}

/// Returns true if all markers are for an hour: then so is every write, also in a usage that does
/// not say for how long.
fn writes_for_an_hour(request: &Body, rules: &CacheRules) -> bool {
    let hour = Some(CacheLifetime::OneHour);
    let has_hour =
        request.blocks().any(|(.., it)| it.mark.as_ref().and_then(|it| it.lifetime) == hour);
    if !has_hour && request.get("cache_control").is_none() {
        return false;
    }
    let mut markers = outline(request, rules).into_iter().filter_map(|it| it.marker).peekable();
    markers.peek().is_some() && markers.all(|it| it == CacheLifetime::OneHour)
}

fn timed(
    request: Body,
    at: Duration,
    exchange: &mut Exchange,
    output: Option<&str>,
    rules: &CacheRules,
) -> Timed {
    let mut timed = Timed::new(request, at);
    // A response that was over so early had begun before.
    let short = exchange.duration.filter(|it| *it < rules.latency);
    timed.latency = exchange.latency.or(short);
    timed.session = exchange.session.clone();
    timed.id = exchange.id.clone();
    timed.previous = exchange.previous.clone();
    timed.workspace = exchange.workspace.clone();
    timed.answered = exchange.model.clone();
    let first = exchange.samplings.map(|[first, _]| first);
    timed.usage = first.or(exchange.usage).map(Usage::without_output);
    let calls = std::mem::take(&mut exchange.answer_tool_ids);
    let answer = ResponseParts::new(calls, exchange.answer_text.take());
    let answer = match (output, exchange.reasoning_tokens) {
        (Some(output), Some(tokens)) => answer.with_reasoning(output, tokens),
        _ => answer,
    };
    timed.answer = Some(answer).filter(|it| *it != ResponseParts::default());
    timed
}

/// Returns a request's cache rules: by the body's wire, the provider that a log names, and the
/// model's vendor.
///
/// | wire | provider contains | model | rules |
/// |---|---|---|---|
/// | Messages | `bedrock`, `google-cloud`, `vertex` | any | `bedrock` |
/// | Messages | anything else | any | `anthropic` |
/// | `generateContent` of Gemini | anything | any | `gemini` |
/// | Responses, Chat Completions | anything | Google's | `gemini` |
/// | Responses, Chat Completions | `bedrock`, `google-cloud`, `vertex` | Anthropic's or unknown | `bedrock` |
/// | Responses, Chat Completions | anything else | any | `openai` |
#[must_use]
pub fn rules_for(request: &Body, provider: Option<&str>) -> CacheRules {
    let provider = provider.unwrap_or_default();
    let is_cloud = ["bedrock", "google-cloud", "vertex"].iter().any(|it| provider.contains(it));
    let vendor = match request.wire() {
        Wire::Messages => Vendor::Anthropic,
        Wire::GenerateContent => Vendor::Google,
        _ => find(request.model().unwrap_or_default()).facts.vendor,
    };
    match vendor {
        Vendor::Google => CacheRules::gemini(),
        Vendor::Anthropic | Vendor::Other if is_cloud => CacheRules::bedrock(),
        _ => CacheRules::of_wire(request.wire()),
    }
}
