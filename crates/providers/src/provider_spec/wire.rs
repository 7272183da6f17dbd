//! Providers' wires, with each provider's dialect.
//!
//! A wire is how requests and responses are written; a dialect lists where one provider differs
//! from the API that defines this form.

use std::fmt;

use aside_models::Wire;

use crate::capabilities::Capabilities;

/// One of a provider's wires, with its paths.
///
/// Wires are tried in order: the first that serves your model is used.
#[derive(Clone, Copy)]
pub struct WireSpec {
    /// The format.
    pub wire: WireDialect,
    /// Returns true for models served there, on such a server. Pass the provider's name for the
    /// model.
    pub serves: fn(model: &str, server: ServerKind) -> bool,
    /// Where to send requests.
    pub paths: Paths,
    /// What the provider supports on this wire; `None` for its general capabilities
    /// ([`ProviderSpec::capabilities`](super::ProviderSpec::capabilities)).
    pub capabilities: Option<Capabilities>,
}

/// Which server you send a request to: whose it is, and which API it is compatible with.
///
/// The first two differ in the base URL ([`ProviderSpec::server`](super::ProviderSpec::server));
/// the third you have to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServerKind {
    /// The provider's own, or a cloud that serves its models.
    #[default]
    Own,
    /// The same by its Responses, for models that it serves on Chat Completions, too.
    OwnResponses,
    /// Another server that is compatible with Chat Completions. You may not need a key.
    Compatible,
    /// Another server that is compatible with Responses. You may not need a key. To choose it, set
    /// the variable [`ProviderSpec::wire_variable`](super::ProviderSpec::wire_variable).
    CompatibleResponses,
}

impl ServerKind {
    /// Returns true for the provider's own server.
    pub(crate) fn is_own(self) -> bool {
        matches!(self, Self::Own | Self::OwnResponses)
    }
}

/// How requests and responses are written, and where the provider differs from the API that defines
/// this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireDialect {
    /// Anthropic's Messages API. The internal form is the same, so your request is sent nearly
    /// unchanged.
    Messages(MessagesDialect),
    /// OpenAI's Responses. It is used without state: `store` is false, and every request has the
    /// whole conversation.
    Responses(ResponsesDialect),
    /// OpenAI's Chat Completions.
    ChatCompletions(ChatDialect),
    /// Google's `generateContent`.
    GenerateContent,
}

impl WireDialect {
    /// Returns the wire.
    #[must_use]
    pub fn wire(&self) -> Wire {
        match self {
            Self::Messages(_) => Wire::Messages,
            Self::Responses(_) => Wire::Responses,
            Self::ChatCompletions(_) => Wire::ChatCompletions,
            Self::GenerateContent => Wire::GenerateContent,
        }
    }

    /// Returns true if the body can have the session's id, `prompt_cache_key`.
    pub(crate) fn takes_session_id(&self) -> bool {
        match self {
            Self::Responses(_) => true,
            Self::ChatCompletions(dialect) => dialect.prompt_cache_key,
            Self::Messages(_) | Self::GenerateContent => false,
        }
    }
}

/// How a provider's Messages API differs from Anthropic's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagesDialect {
    /// The default `anthropic_version`, which replaces `model` in the body, such as
    /// `bedrock-2023-05-31` or `vertex-2023-10-16`; `None` if `model` stays.
    pub body_version: Option<&'static str>,
    /// True if `stream` is in the body; if not, the path decides.
    pub stream_key: bool,
    /// Whether the provider accepts the automatic marker, `cache_control` next to the parameters.
    /// If not, the last block gets it instead.
    pub automatic_marker: bool,
    /// Whether to send the API version as a header, `anthropic-version`.
    pub version_header: bool,
    /// What to send to count tokens.
    pub count: CountBody,
}

/// What to send to count tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountBody {
    /// The request without keys that do not change the count: `max_tokens`, `stream`, sampling and
    /// the like.
    Bare,
    /// An ordinary request in base64, as Bedrock takes it.
    ///
    /// [`count_tokens`](crate::count_tokens) returns the request itself; when you send it, put it
    /// into `{"input":{"invokeModel":{"body":"…"}}}`.
    InvokeModel,
}

/// How a provider's Responses differs from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponsesDialect {
    /// What a signature begins with when it holds this provider's reasoning in the Anthropic form.
    /// Other signatures are left out of requests.
    pub seal: &'static str,
    /// Whether the system prompt can be in `instructions`. If not, it is always the first
    /// `developer` message.
    pub instructions: bool,
    /// Whether you can set `reasoning.summary`. If not, reasoning summaries are never requested.
    pub summaries: bool,
    /// Whether you can set `service_tier`. If not, a tier is a conversion loss.
    pub service_tiers: bool,
    /// Whether `tool_choice` can name the tools that the model may call.
    pub allowed_tools: bool,
    /// The smallest `max_output_tokens`. If your limit is smaller, it is raised to this, with a
    /// conversion loss.
    pub min_output_tokens: u64,
}

/// How a provider's Chat Completions differs from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatDialect {
    /// Whether the body can have `prompt_cache_key`, which keeps a session's requests on one
    /// server, where their prefix is cached.
    pub prompt_cache_key: bool,
    /// Which key limits the response. To use another one, set
    /// [`Options::answer_limit`](crate::Options).
    pub answer_limit: AnswerLimit,
    /// Whether `completion_tokens` includes reasoning; if not, only the total does. In that case
    /// the output is the total less the prompt, if that is more.
    pub counts_reasoning: bool,
}

/// Which key limits the response on Chat Completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerLimit {
    /// `max_completion_tokens`
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, which many compatible servers expect.
    MaxTokens,
}

/// Paths to append to the base URL, by request; `{model}` is replaced by the model's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    /// For a response in one piece, such as `/model/{model}/invoke`.
    pub whole: &'static str,
    /// For a streamed response. It may have a query.
    pub stream: &'static str,
    /// To count tokens; `None` if the provider does not.
    pub count: Option<&'static str>,
}

/// How a streamed response is framed.
///
/// A response in one piece has no framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events: each event is `data: {…}` and a blank line.
    ServerSentEvents,
    /// AWS event stream frames: each is binary, with checksums, and holds one event's JSON in
    /// base64.
    AwsEventStream,
}

impl fmt::Debug for WireSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wire, paths, .. } = self;
        let mut out = f.debug_struct("WireSpec");
        out.field("wire", wire).field("paths", paths);
        out.finish_non_exhaustive()
    }
}
