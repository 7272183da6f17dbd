use std::fmt;

use aside_messages::wire::Request;
use aside_messages::{ApiVersion, Violation};

use crate::answer::Answer;
use crate::capabilities::{Betas, GlobalScope};
use crate::loss::Loss;
use crate::model::ModelChoice;
use crate::names::Names;
use crate::openai::Flavor;
use crate::provider::{Family, Provider};
use crate::stream_error::StreamError;
use crate::{anthropic, check, gemini, openai};

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

/// A request on its provider's wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The body, JSON.
    pub body: Vec<u8>,
    /// The model as the provider calls it; where the body has none, the
    /// address names it.
    pub model: String,
    /// Whether the answer is asked for as a stream.
    pub is_streamed: bool,
    /// Names of beta features that go into the header `anthropic-beta`.
    pub beta_header: Vec<String>,
    /// What goes into the header `anthropic-version`, where the provider has
    /// it.
    pub version_header: Option<&'static str>,
    /// To read the answer with.
    pub names: Names,
    /// What the wire has no place for.
    pub losses: Vec<Loss>,
}

/// A request that the provider would refuse. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    violations: Vec<Violation>,
}

/// Writes a request for a provider.
///
/// ```
/// use aside_messages::wire::Request;
/// use aside_providers::{Options, Provider, convert};
///
/// let json = r#"{"model":"gpt-4.1","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
/// let request = Request::parse(json.as_bytes())?.value;
/// let converted = convert(&request, Provider::OpenAi, &Options::default())?;
/// assert_eq!(
///     String::from_utf8(converted.body)?,
///     r#"{"model":"gpt-4.1","max_completion_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What the provider or the model would refuse, each with the name of its rule
/// and its place.
pub fn convert(
    request: &Request,
    provider: Provider,
    options: &Options,
) -> Result<Converted, Refused> {
    let model = options.models.resolve(provider, &request.model);
    let violations = check::violations(request, provider, &model, options);
    if !violations.is_empty() {
        return Err(Refused { violations });
    }
    let mut names = Names::default();
    let mut losses = Vec::new();
    let body = match provider.family() {
        Family::Anthropic => anthropic::body(request, &model, provider, options, &mut losses)
            .expect("a request has string keys only"),
        Family::OpenAi => {
            let flavor = Flavor::of(provider);
            openai::body(request, &model, flavor, options, &mut names, &mut losses)?
        }
        Family::Gemini => gemini::body(request, &model, &mut names, &mut losses)?,
    };
    names.seed(&body);
    Ok(Converted {
        body,
        model,
        is_streamed: request.stream == Some(true),
        beta_header: options.beta_header(provider).to_vec(),
        version_header: options.version_header(provider),
        names,
        losses,
    })
}

impl Options {
    /// What goes into the header `anthropic-version`, where the provider has
    /// it: the clouds have it in the body.
    #[must_use]
    pub fn version_header(&self, provider: Provider) -> Option<&'static str> {
        let has_it = matches!(provider, Provider::FirstParty | Provider::Foundry);
        has_it.then_some(match self.api_version {
            ApiVersion::V2026_10_21 => "2026-10-21",
            _ => "2023-06-01",
        })
    }

    /// Names of beta features that go into the header `anthropic-beta`.
    #[must_use]
    pub fn beta_header(&self, provider: Provider) -> &[String] {
        match provider.capabilities(self.global_scope).betas {
            Betas::Header => &self.betas,
            Betas::Body | Betas::None => &[],
        }
    }
}

/// The body that asks for a count of tokens instead of an answer: without
/// `max_tokens`, `stream`, `metadata`, `service_tier`, `stop_sequences`,
/// sampling and `context_management`. `None` where the provider cannot count.
#[must_use]
pub fn count_tokens_body(
    request: &Request,
    provider: Provider,
    options: &Options,
) -> Option<Vec<u8>> {
    let model = options.models.resolve(provider, &request.model);
    let counts = provider.capabilities(options.global_scope).token_count;
    (counts == crate::TokenCount::Exact).then(|| {
        anthropic::count_body(request, &model, provider, options)
            .expect("a request has string keys only")
    })
}

/// Reads a whole response into the Anthropic form. `names` are those of the
/// request ([`Converted::names`]).
///
/// # Errors
/// Where the body tells an error, or is not of the provider's wire.
pub fn answer(provider: Provider, body: &[u8], names: &Names) -> Result<Answer, StreamError> {
    match provider.family() {
        Family::Anthropic => anthropic::answer(body),
        Family::OpenAi => openai::answer(body, Flavor::of(provider), names),
        Family::Gemini => gemini::answer(body, names),
    }
}

impl Refused {
    pub(crate) fn one(
        rule: &'static str,
        path: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self {
            violations: vec![Violation {
                rule,
                path: path.to_string(),
                found: found.to_string(),
            }],
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
