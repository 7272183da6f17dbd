//! The wires of providers, with the dialect of each provider.
//!
//! A wire is the form of requests and responses; the dialect lists where one provider's differs
//! from the API that defines the form.

use std::fmt;

use aside_models::Wire;

use crate::capabilities::Capabilities;

/// A wire of a provider, with its paths.
///
/// The wires of a provider are tried in order: the first one that serves the model is used.
#[derive(Clone, Copy)]
pub struct WireSpec {
    /// The format.
    pub wire: WireDialect,
    /// Returns true for the models that are served there, on such a server.
    /// The model is named as the provider names it.
    pub serves: fn(model: &str, server: ServerKind) -> bool,
    /// The paths.
    pub paths: Paths,
    /// The capabilities of the provider on this wire; `None` for the general
    /// ones ([`ProviderSpec::capabilities`](super::ProviderSpec::capabilities)).
    pub capabilities: Option<Capabilities>,
}

/// The kind of server that a request is sent to: whose it is, and the API that
/// it is compatible with.
///
/// The base URL shows the difference between the first two
/// ([`ProviderSpec::server`](super::ProviderSpec::server)); the third is a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServerKind {
    /// The provider's own, or one of a cloud that serves its models.
    #[default]
    Own,
    /// Another one that is compatible with Chat Completions. It may need no
    /// key.
    Compatible,
    /// Another one that is compatible with Responses. It may need no key.
    /// The variable [`ProviderSpec::wire_variable`](super::ProviderSpec::wire_variable) chooses it.
    CompatibleResponses,
}

/// The format of requests and responses, with the differences of the provider
/// from the API that defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireDialect {
    /// Anthropic's Messages API.
    /// The internal form is the same, so a request is sent nearly unchanged.
    Messages(MessagesDialect),
    /// OpenAI's Responses.
    /// It is used without state: `store` is false, and every request has the whole conversation.
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
}

/// The differences of a provider's Messages API from Anthropic's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagesDialect {
    /// The default of `anthropic_version`, which replaces `model` in the body;
    /// `None` if `model` stays.
    /// Examples are `bedrock-2023-05-31` and `vertex-2023-10-16`.
    pub body_version: Option<&'static str>,
    /// True if `stream` is in the body; if not, the path decides.
    pub stream_key: bool,
    /// Whether the provider accepts the automatic marker, `cache_control` next
    /// to the parameters.
    /// If not, it is written on the last block instead.
    pub automatic_marker: bool,
    /// Whether the version of the API is a header.
    /// The header is `anthropic-version`.
    pub version_header: bool,
    /// The body of a request to count tokens.
    pub count: CountBody,
}

/// The body of a request to count tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountBody {
    /// The request without keys that do not change the count: `max_tokens`, `stream`, sampling
    /// and the like.
    Bare,
    /// An ordinary request in base64, as Bedrock takes it.
    ///
    /// [`count_tokens`](crate::count_tokens) returns the request itself; the program that sends it
    /// puts it into `{"input":{"invokeModel":{"body":"…"}}}`.
    InvokeModel,
}

/// The differences of a provider's Responses from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponsesDialect {
    /// The beginning of the signatures that hold the provider's reasoning in
    /// the Anthropic form.
    /// A signature with another beginning is left out of requests.
    pub seal: &'static str,
    /// Whether the system prompt can be in `instructions`.
    /// If not, it is always the first `developer` message.
    pub instructions: bool,
    /// Whether `reasoning.summary` is accepted.
    /// If not, a summary of the reasoning is never requested.
    pub summaries: bool,
    /// Whether `service_tier` is accepted.
    /// If not, a tier is a conversion loss.
    pub service_tiers: bool,
    /// Whether `tool_choice` can name the tools that the model may call.
    pub allowed_tools: bool,
    /// The smallest `max_output_tokens`.
    /// A smaller limit of a request is raised to it, with a conversion loss.
    pub min_output_tokens: u64,
}

/// The differences of a provider's Chat Completions from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatDialect {
    /// Whether the body can have `prompt_cache_key`.
    /// The key keeps the requests of one session on one server, which has their prefix in its
    /// cache.
    pub prompt_cache_key: bool,
    /// The key of the response limit.
    /// [`Options::answer_limit`](crate::Options) can name another one.
    pub answer_limit: AnswerLimit,
    /// Whether `completion_tokens` includes reasoning; if not, only the total
    /// does.
    /// In that case the output is the total less the prompt, if that is more.
    pub counts_reasoning: bool,
}

/// The key of the response limit on Chat Completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerLimit {
    /// `max_completion_tokens`
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, which many compatible servers expect.
    MaxTokens,
}

/// Paths after the base, by request; `{model}` is replaced by the model's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    /// An answer in one piece.
    /// An example is `/model/{model}/invoke`.
    pub whole: &'static str,
    /// An answer as a stream.
    /// It may have a query.
    pub stream: &'static str,
    /// A count of tokens; `None` if the provider does not count.
    pub count: Option<&'static str>,
}

/// The framing of a streamed response.
///
/// A response in one piece has no framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events.
    /// Each event is `data: {…}` and a blank line.
    ServerSentEvents,
    /// Event stream frames of AWS.
    /// Each frame is binary, with checksums, and holds the JSON of one event in base64.
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
