//! The state of a server: the judge, the rest of the script and of the
//! failures, the clock and the report.

use std::time::Duration;

use axum::http::HeaderMap;

use super::clock::Clock;
use super::faults::Faults;
use super::report::ServerReport;
use super::script::{Action, Script, Scripted};
use crate::strict::{ApiError, Enforcement, Response, Strict, StrictRequest};

/// The state that all connections share.
#[derive(Debug)]
pub(crate) struct State {
    strict: Strict,
    script: Script,
    faults: Faults,
    clock: Clock,
    pub(crate) report: ServerReport,
}

/// The response to a request, with its report.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) request_id: String,
    pub(crate) result: Result<Answered, ApiError>,
    /// The time before the response begins.
    pub(crate) delay: Duration,
}

/// A response and its form of transfer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) response: Response,
    pub(crate) is_stream: bool,
    pub(crate) breaks_off: bool,
    pub(crate) event_delay: Duration,
}

impl State {
    pub(crate) fn new(strict: Strict, script: Script, faults: Faults) -> Self {
        Self {
            strict,
            script,
            faults,
            clock: Clock::default(),
            report: ServerReport::default(),
        }
    }

    /// Responds to `POST /v1/messages`.
    pub(crate) fn message(&mut self, headers: &HeaderMap, body: &[u8]) -> Outcome {
        let request_id = self.begin();
        let mut outcome = Outcome {
            request_id,
            result: Err(ApiError::of_status(500, "")),
            delay: Duration::ZERO,
        };
        if let Some(fault) = self.faults.next() {
            self.report.failed_on_demand += 1;
            outcome.result = Err(fault);
            return outcome;
        }
        let next = self
            .script
            .next(body)
            .map(|(number, it)| (number, it.clone()));
        if let Some((_, scripted)) = &next {
            outcome.delay = scripted.delay;
        }
        outcome.result = self.answer(headers, body, next);
        match &outcome.result {
            Ok(answered) => self.report.answer(&answered.response),
            Err(error) => self.report.refuse("/v1/messages", error),
        }
        outcome
    }

    /// Responds with an entry of the script. A request that the script does not
    /// expect gets status 500, so that the client reports it.
    fn answer(
        &mut self,
        headers: &HeaderMap,
        body: &[u8],
        next: Option<(usize, Scripted)>,
    ) -> Result<Answered, ApiError> {
        let Some((number, scripted)) = next else {
            return Err(ApiError::of_status(500, "the script has no further answer"));
        };
        self.clock.advance(scripted.advance);
        let request = self.request(headers, body)?;
        if let Action::Error(status, kind, message) = &scripted.action {
            self.script.take(number);
            let error = ApiError::of_status(*status, message.as_str());
            return Err(match kind {
                Some(kind) => error.with_kind(kind),
                None => error,
            });
        }
        if let Some(Err(found)) = scripted.expect.as_ref().map(|it| it.check(body)) {
            let text = format!("answer {number} of the script is to another request: {found}");
            return Err(ApiError::of_status(500, text));
        }
        let draft = scripted.draft(body).map_err(|fault| {
            ApiError::of_status(500, format!("answer {number} of the script: {fault}"))
        })?;
        let response = self.strict.answer_with(&request, &draft)?;
        self.script.take(number);
        Ok(Answered {
            is_stream: response.is_stream(),
            response,
            breaks_off: scripted.breaks_off,
            event_delay: scripted.event_delay,
        })
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

    fn begin(&mut self) -> String {
        self.report.requests += 1;
        format!("req_{:024x}", self.report.requests)
    }

    /// Builds the request to the judge from the headers and the time.
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
