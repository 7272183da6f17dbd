//! The wires of providers, with the dialect of each provider.

use std::fmt;

use crate::capabilities::Capabilities;

/// A wire of a provider, with its paths.
#[derive(Clone, Copy)]
pub struct WireSpec {
    /// The format.
    pub wire: WireDialect,
    /// Returns true for the models that are served there, on such a server.
    pub serves: fn(model: &str, server: ServerKind) -> bool,
    /// The paths.
    pub paths: Paths,
    /// The capabilities of the provider on this wire; `None` for the general
    /// ones ([`ProviderSpec::capabilities`](super::ProviderSpec::capabilities)).
    pub capabilities: Option<Capabilities>,
}

/// The kind of server that a request is sent to: whose it is, and the API that
/// it is compatible with.
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
    CompatibleResponses,
}

/// The format of requests and responses, with the differences of the provider
/// from the API that defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireDialect {
    /// Anthropic's Messages API.
    Messages(MessagesDialect),
    /// OpenAI's Responses.
    Responses(ResponsesDialect),
    /// OpenAI's Chat Completions.
    ChatCompletions(ChatDialect),
    /// Google's `generateContent`.
    GenerateContent,
}

/// The differences of a provider's Messages API from Anthropic's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagesDialect {
    /// The default of `anthropic_version`, which replaces `model` in the body;
    /// `None` if `model` stays.
    pub body_version: Option<&'static str>,
    /// Whether `stream` is in the body; if not, the path has it.
    pub stream_key: bool,
    /// Whether the provider accepts the automatic marker, `cache_control` next
    /// to the parameters.
    pub automatic_marker: bool,
    /// Whether the version of the API is a header.
    pub version_header: bool,
    /// The body of a request to count tokens.
    pub count: CountBody,
}

/// The body of a request to count tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountBody {
    /// The request without keys that do not count.
    Bare,
    /// An ordinary request in base64, as Bedrock takes it.
    InvokeModel,
}

/// The differences of a provider's Responses from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponsesDialect {
    /// The beginning of the signatures that hold the provider's reasoning in
    /// the Anthropic form.
    pub seal: &'static str,
    /// Whether the system prompt can be in `instructions`.
    pub instructions: bool,
    /// Whether `reasoning.summary` is accepted.
    pub summaries: bool,
    /// Whether `service_tier` is accepted.
    pub service_tiers: bool,
    /// Whether `tool_choice` can name the tools that the model may call.
    pub allowed_tools: bool,
    /// The smallest `max_output_tokens`.
    pub min_output_tokens: u64,
}

/// The differences of a provider's Chat Completions from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatDialect {
    /// Whether the body can have `prompt_cache_key`.
    pub prompt_cache_key: bool,
    /// Whether `completion_tokens` includes reasoning; if not, only the total
    /// does.
    pub counts_reasoning: bool,
}

/// Paths after the base, by request; `{model}` is replaced by the model's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    /// An answer in one piece.
    pub whole: &'static str,
    /// An answer as a stream.
    pub stream: &'static str,
    /// A count of tokens; `None` if the provider does not count.
    pub count: Option<&'static str>,
}

/// The framing of a streamed response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events.
    ServerSentEvents,
    /// Event stream frames of AWS.
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
