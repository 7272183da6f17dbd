//! The options of a conversion.

use aside_rules::ApiVersion;

use crate::capabilities::GlobalScope;
use crate::model::ModelChoice;
use crate::provider_spec::{AnswerLimit, ProviderSpec, ServerKind};

/// Options of a conversion. The default is right for every provider's own
/// servers.
///
/// ```
/// use aside_providers::{Options, ServerKind};
///
/// let mut options = Options::for_model("qwen3-coder");
/// options.server = ServerKind::Compatible;
/// options.session_id = Some("session-1".to_owned());
/// ```
///
/// A field that a wire has no use for has no effect on it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The models that replace Claude models.
    /// By default, Claude models are replaced by the provider's newest ones.
    pub models: ModelChoice,
    /// The version of the Messages API, for its rules and for the header
    /// `anthropic-version`.
    pub api_version: ApiVersion,
    /// `anthropic_version` in the body, for Bedrock and Vertex; by default
    /// `bedrock-2023-05-31` and `vertex-2023-10-16`.
    pub body_version: Option<String>,
    /// Names of beta features, for the Anthropic family.
    /// They are sent where the provider expects them
    /// ([`Capabilities::betas`](crate::Capabilities::betas)), together with those that the request
    /// itself needs.
    pub betas: Vec<String>,
    /// Whether markers can have `"scope":"global"`.
    pub global_scope: GlobalScope,
    /// The id of the session, for OpenAI's `prompt_cache_key`: requests of one
    /// session go to one server.
    /// Any text that is stable for the session will do; it is sent unchanged.
    pub session_id: Option<String>,
    /// The key of the response limit on Chat Completions.
    pub answer_limit: AnswerLimit,
    /// Whether thinking is sent back in OpenAI's form.
    pub reasoning: Reasoning,
    /// The kind of server, which decides between the wires of OpenAI and xAI.
    /// It is that of [`ProviderSpec::server`], or of a setting.
    pub server: ServerKind,
    /// The id of an earlier response with which OpenAI compares the prompt, to
    /// report the reason for a cache miss.
    /// It is sent on Responses, for models with cache breakpoints.
    pub comparison_response_id: Option<String>,
    /// The delivery of the response; by default that of the request.
    pub delivery: Option<ResponseMode>,
}

impl Options {
    /// Returns the default with one model for every request.
    ///
    /// The name is the provider's own and is not checked; it also replaces Claude models.
    #[must_use]
    pub fn for_model(name: impl Into<String>) -> Self {
        Self {
            models: ModelChoice {
                outright: Some(name.into()),
                ..ModelChoice::default()
            },
            ..Self::default()
        }
    }
}

/// Whether thinking is sent back in OpenAI's form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// Thinking is left out, with a conversion loss.
    #[default]
    Dropped,
    /// Thinking is the `reasoning_content` of the assistant's message, which some
    /// compatible servers expect.
    Passed,
}

/// The delivery of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseMode {
    /// In one piece.
    Whole,
    /// As a stream of events.
    Streamed,
}

impl Options {
    /// Returns the provider's name for the model that a request names.
    pub(crate) fn model(&self, spec: &'static ProviderSpec, requested: &str) -> String {
        self.models.resolve_on(spec, requested, self.server)
    }

    /// Returns the options with further beta features, each once.
    ///
    /// The order is that of the options, then that of the argument.
    pub(crate) fn with_betas(&self, betas: &[&str]) -> Self {
        let mut options = self.clone();
        for beta in betas {
            if options.betas.iter().all(|known| known != beta) {
                options.betas.push((*beta).to_owned());
            }
        }
        options
    }

    /// Returns the version of the Messages API, as in the header
    /// `anthropic-version`.
    pub(crate) fn version(&self) -> &'static str {
        match self.api_version {
            ApiVersion::V2026_10_21 => "2026-10-21",
            _ => "2023-06-01",
        }
    }
}
