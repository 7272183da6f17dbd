use std::fmt;

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, Violation};

use crate::answer::Answer;
use crate::capabilities::GlobalScope;
use crate::model::ModelChoice;
use crate::names::Names;
use crate::outgoing::{Delivery, Envelope, Outgoing};
use crate::provider_spec::{ProviderSpec, Server, Wire};
use crate::stream_error::StreamError;
use crate::{anthropic, gemini, openai, responses};

/// How a request is written for its provider. The default suits every
/// provider's own servers.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which model answers what asks for a Claude.
    pub models: ModelChoice,
    /// The version of the Messages API, for its rules and for the header
    /// `anthropic-version`.
    pub api_version: ApiVersion,
    /// `anthropic_version` in the body, for Bedrock and Vertex; by default
    /// `bedrock-2023-05-31` and `vertex-2023-10-16`.
    pub body_version: Option<String>,
    /// Names of beta features, for the Anthropic family.
    pub betas: Vec<String>,
    /// Whether markers may have `"scope":"global"`.
    pub global_scope: GlobalScope,
    /// The id of the session, for OpenAI's `prompt_cache_key`: requests of one
    /// session go to one server.
    pub session_id: Option<String>,
    /// How OpenAI's form names the longest answer.
    pub answer_limit: AnswerLimit,
    /// Whether OpenAI's form gets thinking back.
    pub reasoning: Reasoning,
    /// Whose server answers: it decides between the wires of OpenAI and xAI.
    pub server: Server,
    /// The id of an earlier response with which OpenAI compares the prompt, to
    /// report why its cache was not read.
    pub comparison_response_id: Option<String>,
    /// How the answer is requested; by default as the request says.
    pub delivery: Option<Delivery>,
}

/// How OpenAI's form names the longest answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerLimit {
    /// `max_completion_tokens`
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, as many compatible servers want it.
    MaxTokens,
}

/// Whether OpenAI's form gets thinking back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// It is left out.
    #[default]
    Dropped,
    /// As `reasoning_content` of the assistant's message, which some
    /// compatible servers want.
    Passed,
}

/// A request that the provider would refuse. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    violations: Vec<Violation>,
}

impl Options {
    /// Returns the provider's name for the model that a request names.
    pub(crate) fn model(&self, spec: &'static ProviderSpec, requested: &str) -> String {
        self.models.resolve_on(spec, requested, self.server)
    }

    /// Returns the options with further beta features, each once.
    pub(crate) fn with_betas(&self, betas: &[&str]) -> Self {
        let mut options = self.clone();
        for beta in betas {
            if options.betas.iter().all(|known| known != beta) {
                options.betas.push((*beta).to_owned());
            }
        }
        options
    }

    /// The version of the Messages API, as in the header `anthropic-version`.
    pub(crate) fn version(&self) -> &'static str {
        match self.api_version {
            ApiVersion::V2026_10_21 => "2026-10-21",
            _ => "2023-06-01",
        }
    }
}

/// Writes a request for a count of tokens instead of an answer: without
/// `max_tokens`, `stream`, `metadata`, `service_tier`, `stop_sequences`,
/// sampling and `context_management`. `None` if the provider cannot count.
///
/// # Errors
/// If the model cannot be in the path.
pub fn count_tokens(
    request: &Request,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Result<Option<Outgoing>, Refused> {
    let spec = provider.into();
    let model = options.model(spec, &request.model);
    let wire = spec.wire_on(&model, options.server);
    let (Wire::Messages(dialect), Some(_)) = (wire.wire, wire.paths.count) else {
        return Ok(None);
    };
    let envelope = Envelope {
        spec,
        wire,
        model,
        delivery: Delivery::Whole,
        options,
    };
    let body = anthropic::count_body(request, &envelope, &dialect);
    envelope.around_count(body).map(Some)
}

/// Reads a whole response into the Anthropic form. `names` are those of the
/// request ([`Outgoing::names`]).
///
/// # Errors
/// If the body tells an error, or is not of the wire.
pub fn answer(wire: Wire, body: &[u8], names: &Names) -> Result<Answer, StreamError> {
    match wire {
        Wire::Messages(_) => anthropic::answer(body),
        Wire::Responses(dialect) => responses::answer(body, dialect, names),
        Wire::ChatCompletions(dialect) => openai::answer(body, dialect, names),
        Wire::GenerateContent => gemini::answer(body, names),
    }
}

impl Refused {
    /// There is at least one violation.
    pub(crate) fn new(violations: Vec<Violation>) -> Self {
        Self { violations }
    }

    pub(crate) fn one(
        rule: &'static str,
        path: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self {
            violations: vec![Violation::new(rule, path.to_string(), found.to_string())],
        }
    }

    /// Each rule that is broken, and where; there is at least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.violations.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}
