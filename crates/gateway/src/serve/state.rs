//! A server's state: the judge, what is left of script and failures, the clock
//! and the report.
//!
//! For each request, a failure on demand comes first, then the script's next
//! response, then the judge. A scripted response is used up only if the judge
//! accepted the request, so that a client which repairs its request gets it; a
//! scripted error is always used up.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use aside_json::Tape;
use aside_models::Wire;
use aside_providers::script::{Reply as ScriptedReply, Script, ScriptedAnswer};
use aside_rules::ApiEndpoint;
use axum::http::HeaderMap;

use super::clock::Clock;
use super::faults::Faults;
use super::observed::{self, Observed, Observer, SentBlock};
use super::report::ServerReport;
use super::script::{check, draft, fixed};
use crate::redact;
use crate::strict::{ApiError, Enforcement, Response, Strict, StrictRequest, TokenCount};
use crate::wires::{
    Endpoint, Frames, ReadRequest, Reply, StoredAction, Transfer, ValueForm, WireJudge,
};

#[derive(Debug)]
pub(crate) struct State {
    /// Judges Messages, with all sessions' cache.
    strict: Strict,
    /// Judges the other wires, with their caches.
    wires: WireJudge,
    /// The responses that are left; `None` for a fixed one.
    script: Option<Script>,
    /// The failures on demand that are left.
    faults: Faults,
    /// When requests are sent, which the script may advance.
    clock: Clock,
    /// The scripted responses that have moved the clock and are left.
    advanced: HashSet<usize>,
    pub(crate) observer: Option<Observer>,
    pub(crate) report: ServerReport,
}

/// A request's response, with its report.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The value for the header `request-id`, as in
    /// `req_000000000000000000000001`.
    pub(crate) request_id: String,
    /// The response, or the refusal to send.
    pub(crate) result: Result<Answered, Failure>,
    /// How long to wait before the response begins.
    pub(crate) delay: Duration,
}

/// A response and how to transfer it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) content: Content,
    /// True if it ends with a connection error.
    pub(crate) breaks_off: bool,
    /// How long to wait before each event in a stream.
    pub(crate) event_delay: Duration,
}

/// The body of a response.
#[derive(Debug)]
pub(crate) enum Content {
    /// One JSON value.
    Whole(String),
    /// Server-sent events.
    Events(Frames),
    /// A JSON array's elements.
    Array(Frames),
}

/// A request as its judge takes it.
enum Read<'a> {
    Messages(StrictRequest<'a>),
    Wire(Box<ReadRequest>),
}

impl Read<'_> {
    /// Returns the body in the Messages API's form, which scripts match.
    fn messages_form(&self) -> &[u8] {
        match self {
            Self::Messages(request) => request.body,
            Self::Wire(request) => &request.messages_form,
        }
    }

    /// Returns how the response has a value.
    fn value_form(&self) -> ValueForm {
        match self {
            Self::Messages(_) => ValueForm::Schema,
            Self::Wire(request) => request.value_form(),
        }
    }
}

impl From<Response> for Content {
    fn from(response: Response) -> Self {
        if response.is_stream() {
            Self::Events(Frames {
                frames: response.events(),
                // The end of the last block, and those of the message.
                tail: 3,
            })
        } else {
            Self::Whole(response.to_json())
        }
    }
}

impl From<Reply> for Content {
    fn from(reply: Reply) -> Self {
        match reply.transfer {
            Transfer::Whole => Self::Whole(reply.to_json()),
            Transfer::Events => Self::Events(reply.frames()),
            Transfer::Array => Self::Array(reply.frames()),
        }
    }
}

/// Why the response is an error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: ApiError,
    /// Whether the options or the script ask for it, so that it may pass. Else the API, or the
    /// script, does not accept this request.
    pub(crate) is_on_demand: bool,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self { error, is_on_demand: false }
    }
}

impl State {
    pub(crate) fn new(
        strict: Strict,
        wires: WireJudge,
        script: Option<Script>,
        faults: Faults,
    ) -> Self {
        Self {
            strict,
            wires,
            script,
            faults,
            clock: Clock::default(),
            advanced: HashSet::new(),
            observer: None,
            report: ServerReport::default(),
        }
    }

    /// Responds to a message request.
    ///
    /// The state changes as if the response had been sent completely; a client
    /// that disconnects does not undo this.
    pub(crate) fn respond(
        &mut self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Outcome {
        let request_id = self.begin();
        let mut delay = Duration::ZERO;
        let result = match self.faults.next(endpoint.wire) {
            Some(error) => Err(Failure { error, is_on_demand: true }),
            None => match self.read(endpoint, headers, body) {
                Ok(read) => {
                    let next = match &self.script {
                        Some(script) => {
                            let form = self.whole_form(&read);
                            let next = script.next(|when| check(when, &form).is_ok());
                            next.map(|(number, it)| (number, it.clone()))
                        }
                        None => Some((1, ScriptedAnswer::default())),
                    };
                    delay = next.as_ref().map_or(delay, |(_, it)| it.delay);
                    self.answer(endpoint.wire, headers, read, next)
                }
                Err(error) => Err(error.into()),
            },
        };
        match &result {
            Ok(_) => {}
            Err(Failure { is_on_demand: true, .. }) => self.report.failed_on_demand += 1,
            Err(Failure { error, .. }) => {
                let text = self.reported(endpoint, headers, body, ApiEndpoint::Messages, error);
                self.report.refuse(&endpoint.path, error, text);
            }
        }
        Outcome { request_id, result, delay }
    }

    /// Reads a request for its judge.
    fn read<'a>(
        &self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
        body: &'a [u8],
    ) -> Result<Read<'a>, ApiError> {
        match endpoint.wire {
            Wire::Messages => self.request(headers, body).map(Read::Messages),
            _ => Ok(Read::Wire(Box::new(self.wires.read(endpoint, body)?))),
        }
    }

    /// Returns a request in the Messages API's form, with what its thread keeps.
    fn whole_form<'a>(&self, read: &'a Read<'_>) -> Cow<'a, [u8]> {
        match read {
            Read::Messages(request) => self.strict.whole(request.body),
            Read::Wire(_) => Cow::Borrowed(read.messages_form()),
        }
    }

    /// Responds with an entry from the script. A request that the script does
    /// not expect gets status 500, so that the client reports it.
    ///
    /// Checks come in this order: a scripted error, `expect`, the judge's
    /// rules. A scripted error is returned even if the judge would refuse the
    /// request.
    fn answer(
        &mut self,
        wire: Wire,
        headers: &HeaderMap,
        read: Read<'_>,
        next: Option<(usize, ScriptedAnswer)>,
    ) -> Result<Answered, Failure> {
        let fault = |text: String| ApiError::on_wire(wire, 500, text);
        let Some((number, scripted)) = next else {
            return Err(fault("the script has no further answer".to_owned()).into());
        };
        // A request that is repeated after a refusal does not move it again.
        if self.advanced.insert(number) {
            self.clock.advance(scripted.advance);
        }
        if let ScriptedReply::Error(status, body) = &scripted.reply {
            self.take(number);
            self.observe(wire, number, &read, None);
            let error = ApiError::on_wire(wire, *status, body.message.as_str());
            // A type that the Messages API has for this status is the same error elsewhere.
            let of_messages = ApiError::of_status(*status, "");
            let own = body.kind.as_ref().filter(|it| *it != of_messages.kind());
            let error = match own {
                Some(kind) => error.with_kind(kind),
                None => error,
            };
            return Err(Failure { error, is_on_demand: true });
        }
        let form = self.whole_form(&read);
        if let Some(Err(found)) = scripted.expect.as_ref().map(|it| check(it, &form)) {
            let text = format!("answer {number} of the script is to another request: {found}");
            return Err(fault(text).into());
        }
        let draft = match self.script {
            Some(_) => draft(&scripted, &form)
                .map_err(|found| fault(format!("answer {number} of the script: {found}")))?,
            None => fixed(&form, read.value_form()),
        };
        let at = self.clock.of(headers);
        let at = at.map_err(|text| ApiError::on_wire(wire, 400, text))?;
        let (content, sent) = match &read {
            Read::Messages(request) => {
                let response = self.strict.answer_with(&request.clone().at(at), &draft)?;
                let samplings = response.usage.samplings();
                let dropped = response.input_transformations.iter().flatten().count();
                self.report.answer(&response.model, &samplings, dropped, response.miss.clone());
                let sent = observed::sent(&response);
                (Content::from(response), sent)
            }
            Read::Wire(request) => {
                let reply = self.wires.answer(request, at, &draft)?;
                let dropped = reply.removed.len();
                self.report.answer(&reply.model, &[reply.usage], dropped, reply.miss.clone());
                let sent = reply.sent();
                (Content::from(reply), sent)
            }
        };
        self.take(number);
        let sent = if scripted.breaks_off { Vec::new() } else { sent };
        self.observe(wire, number, &read, Some(&sent));
        Ok(Answered { content, breaks_off: scripted.breaks_off, event_delay: scripted.event_delay })
    }

    /// Calls the observer, if there is one. `sent` is `None` for an error.
    fn observe(&mut self, wire: Wire, answer: usize, read: &Read<'_>, sent: Option<&[SentBlock]>) {
        let Some(Observer(observer)) = &mut self.observer else {
            return;
        };
        let (body, billed) = match read {
            Read::Messages(request) => (request.body, self.strict.billed()),
            Read::Wire(request) => (&**request.body(), self.wires.billed(wire)),
        };
        observer(&Observed {
            request: self.report.requests,
            answer,
            wire,
            body,
            messages_form: read.messages_form(),
            billed: billed.filter(|_| sent.is_some()),
            sent: sent.unwrap_or_default(),
        });
    }

    /// Returns the numbers of the scripted responses that no request has got.
    pub(crate) fn unused(&self) -> Vec<usize> {
        self.script.iter().flat_map(Script::unused).collect()
    }

    /// Marks a scripted response as used.
    fn take(&mut self, number: usize) {
        if let Some(script) = &mut self.script {
            script.take(number);
        }
        self.advanced.remove(&number);
    }

    /// Counts a request's input tokens.
    pub(crate) fn count(
        &mut self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
        body: &[u8],
    ) -> (String, Result<TokenCount, ApiError>) {
        let id = self.begin();
        // Gemini's long form, which may have a system prompt and tools.
        let is_gemini = endpoint.wire == Wire::GenerateContent;
        let tape = is_gemini.then(|| Tape::parse(body).ok()).flatten();
        let whole = tape.as_ref().and_then(|it| it.root().get("generateContentRequest"));
        let body = whole.map_or(body, |it| it.raw().as_bytes());
        let counted = self.read(endpoint, headers, body);
        let counted = counted.and_then(|read| match read {
            Read::Messages(request) => self.strict.count_tokens(&request),
            Read::Wire(request) => {
                self.wires.count_tokens(&request).map(|it| TokenCount::new(it, None))
            }
        });
        match &counted {
            Ok(_) => self.report.answered += 1,
            Err(error) => {
                let text = self.reported(endpoint, headers, body, ApiEndpoint::CountTokens, error);
                self.report.refuse(&endpoint.path, error, text);
            }
        }
        (id, counted)
    }

    /// Returns a refusal's text without secrets. What it quotes of a request may be cut within one,
    /// so a request with secrets is judged again without them.
    fn reported(
        &self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
        body: &[u8],
        api: ApiEndpoint,
        error: &ApiError,
    ) -> String {
        let Cow::Owned(body) = redact::body(body) else {
            return redact::line(error.message());
        };
        let again = match self.read(endpoint, headers, &body) {
            Ok(Read::Messages(request)) => self.strict.refusal(&request, api),
            Ok(Read::Wire(request)) => self.wires.refusal(&request, api),
            Err(error) => Some(error),
        };
        let is_same = |it: &ApiError| {
            (it.status(), it.kind(), it.code()) == (error.status(), error.kind(), error.code())
        };
        match again.filter(is_same) {
            Some(again) => redact::line(again.message()),
            // Another reason: what the first one quotes may be a secret.
            None => redact::line(error.message().split(['"', '\'']).next().unwrap_or_default()),
        }
    }

    /// Returns what is stored of a response, or removes it (Responses).
    pub(crate) fn stored(&mut self, id: &str, action: &StoredAction) -> Option<Content> {
        let store = &mut self.wires.store;
        Some(match action {
            StoredAction::Read => Content::Whole(store.get(id)?.reply.to_json()),
            StoredAction::Stream { first } => {
                let mut frames = store.get(id)?.reply.frames();
                frames.frames.drain(..frames.frames.len().min(*first));
                Content::Events(frames)
            }
            StoredAction::ListInput(page) => Content::Whole(store.get(id)?.input(page)),
            StoredAction::Remove if !store.remove(id) => return None,
            StoredAction::Remove => {
                Content::Whole(format!(r#"{{"id":"{id}","object":"response","deleted":true}}"#))
            }
        })
    }

    /// Counts a request and returns its id.
    fn begin(&mut self) -> String {
        self.report.requests += 1;
        format!("req_{:024x}", self.report.requests)
    }

    /// Builds the judge's request from the headers, without its time.
    ///
    /// Several `anthropic-beta` headers are joined. A request without
    /// `anthropic-version` is refused, unless the judge accepts everything.
    fn request<'a>(
        &self,
        headers: &HeaderMap,
        body: &'a [u8],
    ) -> Result<StrictRequest<'a>, ApiError> {
        let mut request = StrictRequest::new(body);
        for betas in headers.get_all("anthropic-beta") {
            request = request.betas(betas.to_str().unwrap_or_default());
        }
        match headers.get("anthropic-version").map(|it| it.to_str()) {
            Some(Ok(version)) => Ok(request.version(version)),
            _ if self.strict.enforcement() == Enforcement::Off => Ok(request),
            _ => Err(ApiError::invalid("anthropic-version: header is required")),
        }
    }
}
