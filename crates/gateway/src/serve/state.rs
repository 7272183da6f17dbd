//! The state of a server: the judge, the rest of the script and of the
//! failures, the clock and the report.
//!
//! For each request, a failure on demand comes first, then the next response of
//! the script, then the judge. A response of the script is used up only if the
//! judge accepted the request, so that a client which repairs its request gets
//! it; an error of the script is used up in any case.

use std::collections::HashSet;
use std::time::Duration;

use aside_providers::script::{Reply, Script, ScriptedAnswer};
use axum::http::HeaderMap;

use super::clock::Clock;
use super::faults::Faults;
use super::report::ServerReport;
use super::script::{check, draft};
use crate::strict::{ApiError, Enforcement, Response, Strict, StrictRequest};

/// The state that all connections share.
#[derive(Debug)]
pub(crate) struct State {
    /// The judge, with the cache of all sessions.
    strict: Strict,
    /// The responses that are left.
    script: Script,
    /// The failures on demand that are left.
    faults: Faults,
    /// The time of requests, which the script may advance.
    clock: Clock,
    /// The responses of the script that have moved the clock and are left.
    advanced: HashSet<usize>,
    pub(crate) report: ServerReport,
}

/// The response to a request, with its report.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The value of the header `request-id`, as in
    /// `req_000000000000000000000001`.
    pub(crate) request_id: String,
    /// The response, or the refusal to send.
    pub(crate) result: Result<Answered, ApiError>,
    /// The time before the response begins.
    pub(crate) delay: Duration,
}

/// A response and its form of transfer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) response: Response,
    /// True if the request asked for server-sent events.
    pub(crate) is_stream: bool,
    /// True if the stream ends with a connection error; no effect without a
    /// stream.
    pub(crate) breaks_off: bool,
    /// The time before each event of a stream.
    pub(crate) event_delay: Duration,
}

/// The reason for an error as a response.
enum Failure {
    /// The options or the script have it.
    OnDemand(ApiError),
    /// The request is not one that the API, or the script, accepts.
    Refused(ApiError),
}

impl Failure {
    fn into_error(self) -> ApiError {
        let (Self::OnDemand(error) | Self::Refused(error)) = self;
        error
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl State {
    /// Creates the state of a server that has received no request.
    pub(crate) fn new(strict: Strict, script: Script, faults: Faults) -> Self {
        Self {
            strict,
            script,
            faults,
            clock: Clock::default(),
            advanced: HashSet::new(),
            report: ServerReport::default(),
        }
    }

    /// Responds to `POST /v1/messages`.
    ///
    /// The state is changed as if the response had been sent completely; a
    /// client that disconnects does not undo it.
    pub(crate) fn message(&mut self, headers: &HeaderMap, body: &[u8]) -> Outcome {
        let request_id = self.begin();
        let mut delay = Duration::ZERO;
        let result = match self.faults.next() {
            Some(fault) => Err(Failure::OnDemand(fault)),
            None => {
                let next = self.script.next(|when| check(when, body).is_ok());
                let next = next.map(|(number, it)| (number, it.clone()));
                delay = next.as_ref().map_or(delay, |(_, it)| it.delay);
                self.answer(headers, body, next)
            }
        };
        match &result {
            Ok(answered) => self.report.answer(&answered.response),
            Err(Failure::OnDemand(_)) => self.report.failed_on_demand += 1,
            Err(Failure::Refused(error)) => self.report.refuse("/v1/messages", error),
        }
        Outcome {
            request_id,
            result: result.map_err(Failure::into_error),
            delay,
        }
    }

    /// Responds with an entry of the script. A request that the script does not
    /// expect gets status 500, so that the client reports it.
    ///
    /// The order of the checks is that of the header `anthropic-version`, an
    /// error of the script, `expect`, the rules of the judge. A scripted error
    /// is returned even if the judge would refuse the request.
    fn answer(
        &mut self,
        headers: &HeaderMap,
        body: &[u8],
        next: Option<(usize, ScriptedAnswer)>,
    ) -> Result<Answered, Failure> {
        let Some((number, scripted)) = next else {
            return Err(ApiError::of_status(500, "the script has no further answer").into());
        };
        // A request that is repeated after a refusal does not move it again.
        if self.advanced.insert(number) {
            self.clock.advance(scripted.advance);
        }
        let request = self.request(headers, body)?;
        if let Reply::Error(status, body) = &scripted.reply {
            self.take(number);
            let error = ApiError::of_status(*status, body.message.as_str());
            return Err(Failure::OnDemand(match &body.kind {
                Some(kind) => error.with_kind(kind),
                None => error,
            }));
        }
        if let Some(Err(found)) = scripted.expect.as_ref().map(|it| check(it, body)) {
            let text = format!("answer {number} of the script is to another request: {found}");
            return Err(ApiError::of_status(500, text).into());
        }
        let draft = draft(&scripted, body).map_err(|fault| {
            ApiError::of_status(500, format!("answer {number} of the script: {fault}"))
        })?;
        let response = self.strict.answer_with(&request, &draft)?;
        self.take(number);
        Ok(Answered {
            is_stream: response.is_stream(),
            response,
            breaks_off: scripted.breaks_off,
            event_delay: scripted.event_delay,
        })
    }

    /// Marks a response of the script as used.
    fn take(&mut self, number: usize) {
        self.script.take(number);
        self.advanced.remove(&number);
    }

    /// Responds to `POST /v1/messages/count_tokens`.
    pub(crate) fn count(
        &mut self,
        headers: &HeaderMap,
        body: &[u8],
    ) -> (String, Result<u64, ApiError>) {
        let id = self.begin();
        let request = self.request(headers, body);
        let counted = request.and_then(|request| self.strict.count_tokens(&request));
        match &counted {
            Ok(_) => self.report.answered += 1,
            Err(error) => self.report.refuse("/v1/messages/count_tokens", error),
        }
        (id, counted)
    }

    /// Counts a request and returns its id.
    fn begin(&mut self) -> String {
        self.report.requests += 1;
        format!("req_{:024x}", self.report.requests)
    }

    /// Builds the request to the judge from the headers and the time.
    ///
    /// Several headers `anthropic-beta` are joined. A request without
    /// `anthropic-version` is refused, unless the judge accepts everything.
    fn request<'a>(
        &self,
        headers: &HeaderMap,
        body: &'a [u8],
    ) -> Result<StrictRequest<'a>, ApiError> {
        let mut request = StrictRequest::new(body).at(self.clock.of(headers));
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
