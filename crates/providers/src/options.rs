//! Options to convert with.

use aside_rules::{ApiVersion, table};

use crate::capabilities::GlobalScope;
use crate::model::ModelChoice;
use crate::provider_spec::{AnswerLimit, ProviderSpec, ServerKind};

/// Options to convert with. For every provider's own servers, you can use the default.
///
/// ```
/// use aside_providers::{Options, ServerKind};
///
/// let mut options = Options::for_model("qwen3-coder");
/// options.server = ServerKind::Compatible;
/// options.session_id = Some("session-1".to_owned());
/// ```
///
/// If a wire has no use for a field, it ignores it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which models replace Claude models; by default, the provider's newest ones.
    pub models: ModelChoice,
    /// The Messages API version to apply the rules of, and to send in `anthropic-version`.
    pub api_version: ApiVersion,
    /// `anthropic_version` in the body, for Bedrock and Vertex; by default `bedrock-2023-05-31` and
    /// `vertex-2023-10-16`.
    pub body_version: Option<String>,
    /// Beta features to request, for the Anthropic family. They are sent where the provider expects
    /// them ([`Capabilities::betas`](crate::Capabilities::betas)), together with those that your
    /// request itself needs.
    pub betas: Vec<String>,
    /// Whether markers can have `"scope":"global"`. Its beta in `betas` enables it as well.
    pub global_scope: GlobalScope,
    /// The session's id for OpenAI's `prompt_cache_key`, to send a session's requests to one
    /// server. Use any text that is stable for the session; it is sent unchanged.
    pub session_id: Option<String>,
    /// Which key limits the response on Chat Completions.
    pub answer_limit: AnswerLimit,
    /// Whether to send thinking back in OpenAI's form.
    pub reasoning: Reasoning,
    /// Whose server it is, to choose between the wires of OpenAI and xAI. Get it from
    /// [`ProviderSpec::server`], or from a setting.
    pub server: ServerKind,
    /// The id of an earlier response for OpenAI to compare the prompt with, so that it reports why
    /// the cache missed. It is sent on Responses, to models with cache breakpoints.
    pub comparison_response_id: Option<String>,
    /// How to deliver the response; by default as the request says.
    pub delivery: Option<ResponseMode>,
}

impl Options {
    /// Returns the default options with one model for every request, Claude models included.
    ///
    /// Pass the provider's own name; it is not checked.
    #[must_use]
    pub fn for_model(name: impl Into<String>) -> Self {
        Self {
            models: ModelChoice { outright: Some(name.into()), ..ModelChoice::default() },
            ..Self::default()
        }
    }
}

/// Whether to send thinking back in OpenAI's form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// Leave thinking out, with a conversion loss.
    #[default]
    Dropped,
    /// Send thinking as the assistant message's `reasoning_content`, which some compatible servers
    /// expect.
    Passed,
}

/// How a response is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseMode {
    /// In one piece.
    Whole,
    /// As a stream of events.
    Streamed,
}

impl Options {
    /// Returns the provider's name for the request's model.
    pub(crate) fn model(&self, spec: &'static ProviderSpec, requested: &str) -> String {
        self.models.resolve_on(spec, requested, self.server)
    }

    /// Returns whether markers can have `"scope":"global"`: you may also enable it by its beta.
    pub(crate) fn enabled_scope(&self) -> GlobalScope {
        let is_beta = |it: &String| table::GLOBAL_SCOPE.betas.contains(&it.as_str());
        if self.betas.iter().any(is_beta) { GlobalScope::Enabled } else { self.global_scope }
    }

    /// Returns the options with further beta features, each once: first those in the options, then
    /// these.
    pub(crate) fn with_betas(&self, betas: &[&str]) -> Self {
        let mut options = self.clone();
        for beta in betas {
            if options.betas.iter().all(|known| known != beta) {
                options.betas.push((*beta).to_owned());
            }
        }
        options
    }
}
