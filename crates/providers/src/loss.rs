//! Conversion losses: the parts of a request that a wire has no place for, each
//! with its reason.

use std::borrow::Cow;
use std::fmt;

use crate::kinds;

/// A part of a request that was left out or changed, because the wire has no
/// place for it. The request is valid without it.
///
/// ```
/// use aside_messages::wire::Request;
/// use aside_providers::{Options, Provider, convert};
///
/// let json = r#"{"model":"gpt-5.5","max_tokens":99,"stop_sequences":["END"],"messages":[{"role":"user","content":"Hi"}]}"#;
/// let request = Request::parse(json.as_bytes())?.value;
/// let outgoing = convert(&request, Provider::OpenAi, &Options::default())?;
/// assert!(outgoing.losses.iter().any(|loss| loss.path == "stop_sequences"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConversionLoss {
    /// The JSON path in the request, as in `messages[3].content[0]`.
    ///
    /// It is a bare name for a parameter, such as `stop_sequences` or `model`; an import has paths
    /// of the text that it reads.
    pub path: String,
    /// The loss and its reason, as a fragment: `left out: the wire has no stop
    /// sequences`.
    pub what: Cow<'static, str>,
}

/// Declares the reasons: a variant with its fixed text each.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $what:literal,)*) => {
        /// The reason for a conversion loss.
        ///
        /// Each has a fixed text, so equal losses can be recognized and reported once.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Returns the loss and its reason, as a fragment.
            fn what(self) -> &'static str {
                match self {
                    $(Self::$name => $what,)*
                }
            }
        }
    };
}

reasons! {
    /// A block whose kind the wire does not know, or a block of the system prompt that is no text.
    UnknownBlock: "left out: the wire has no such block",
    /// A text of whitespace only.
    BlankText: "left out: the wire refuses blank text",
    /// A call or thinking in a message of the user.
    NotOfUser: "left out: a user does not write this",
    /// Thinking on a wire that does not take it back, such as Chat Completions.
    Thinking: "left out: the wire takes no thinking back",
    /// A signature with the seal of another provider, or Anthropic's own.
    ForeignThinking: "left out: this thinking is not sealed by the provider that is asked",
    /// Thinking without a signature.
    UnsignedThinking: "left out: this thinking has no signature",
    /// A signature with the seal of the provider that cannot be opened, or that has no encrypted
    /// content, which a stateless server needs.
    UnreadableReasoning: "left out: this reasoning has no encrypted content",
    /// Reasoning that no item of its message follows, on Responses.
    TrailingReasoning: "left out: no item follows this reasoning",
    /// `clear_at` of a turn-scoped message.
    ClearAt: "left out: the message stays, since the wire clears none",
    /// The effort of a system message, for a model that takes it in the parameters only.
    MessageEffort: "left out: the model takes effort for a whole request only",
    /// `thinking.budget_tokens`, for a model with levels of effort.
    NoBudget: "left out: the model takes an effort, not a budget of tokens",
    /// `output_config.effort`, for a Gemini model with a budget.
    NoLevel: "left out: the model takes a budget of tokens, not an effort",
    /// `thinking.budget_tokens`, for a Gemini model with levels.
    LevelInsteadOfBudget: "left out: the model takes a level of thinking, not a budget of tokens",
    /// An effort next to disabled thinking.
    EffortWithoutThinking: "replaced by none: thinking is disabled, and the wire has one key for both",
    /// A sampling parameter, for a model that refuses it.
    SamplingOfModel: "left out: the model takes no sampling parameters",
    /// A system message between two messages of the user, on the Messages API.
    SystemMoved: "moved behind the messages of the user: a response follows a system message",
    /// A system message, for a model that takes none in the conversation.
    SystemReminder: "sent as a reminder: the model takes no system message here",
    /// A response at the start, on Gemini's wire.
    FirstOfUser: "a message of the user was added before it, which comes first",
    /// Disabled thinking, for a model that cannot disable it.
    AlwaysReasons: "left out: the model always reasons",
    /// Disabled thinking, for a model of which the catalogue does not know whether it can.
    MayAlwaysThink: "left out: it is not known that the model can answer without reasoning",
    /// An effort, or thinking, together with tools on Chat Completions.
    NoReasoningWithTools: "replaced by none: on Chat Completions the model takes tools only without reasoning",
    /// `stop_sequences` on Responses.
    NoStops: "left out: the wire has no stop sequences",
    /// `service_tier` at a provider without documented tiers.
    NoServiceTier: "left out: the provider documents no service tiers on this wire",
    /// `metadata.user_id` on Gemini's wire.
    NoUserId: "left out: the wire takes no id of a user",
    /// Any other member of `metadata`.
    OnlyUserId: "left out: of metadata, only user_id has a meaning elsewhere",
    /// `disable_parallel_tool_use` on Gemini's wire.
    NoParallelSwitch: "left out: the wire cannot forbid parallel calls",
    /// `output_config.verbosity` on Gemini's wire.
    NoVerbosity: "left out: the wire takes no verbosity",
    /// A format of the response other than a JSON schema.
    OtherFormat: "left out: of formats, only json_schema is known",
    /// A parameter that only Anthropic's API has, such as `context_management`.
    OnlyAnthropic: "left out: a parameter of Anthropic's API only",
    /// A tool such as `web_search`, which Anthropic's servers run.
    ServerTool: "left out: only Anthropic's servers run this tool",
    /// `defer_loading` of a tool.
    DeferredTool: "given at once: the wire does not defer tools",
    /// A `tool_addition` for a model that takes tools in the parameter only.
    NoLaterTools: "left out: the model takes tools in the parameter only",
    /// A `tool_removal` on a wire without a choice among some tools.
    NoRemoval: "left out: the wire cannot take a tool away",
    /// A change of a tool that the request does not define.
    UnknownTool: "left out: there is no such tool",
    /// An input of a call that is no JSON object.
    InputNotObject: "replaced by {}: an input has to be an object",
    /// A schema that allows more after its conversion for Gemini.
    WiderSchema: "the schema is wider: Gemini lacks some of its words",
    /// A schema of an output that OpenAI does not take as strict.
    LooseFormat: "sent as not strict: OpenAI wants closed objects with every property required",
    /// A format together with tools, for Gemini models that take only one of them.
    FormatWithTools: "left out: the model takes no format together with tools",
    /// A parameter that servers compatible with Chat Completions often refuse.
    CompatibleServer: "left out: a compatible server may refuse this parameter",
}

impl Reason {
    /// Returns why thinking with such a signature is not sent.
    pub(crate) fn of_thinking(signature: &str) -> Self {
        match signature.is_empty() {
            true => Self::UnsignedThinking,
            false => Self::ForeignThinking,
        }
    }

    /// Returns the loss at a path, for this reason.
    pub(crate) fn at(self, path: impl fmt::Display) -> ConversionLoss {
        ConversionLoss::new(path, self.what())
    }
}

impl ConversionLoss {
    /// Creates a loss that a program finds before it converts a request: `what` is a fragment.
    #[must_use]
    pub fn at(path: &str, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(path, what)
    }

    /// Creates a loss with a text of its own, for losses that name a value.
    pub(crate) fn new(path: impl fmt::Display, what: impl Into<Cow<'static, str>>) -> Self {
        Self {
            path: path.to_string(),
            what: what.into(),
        }
    }
}

impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl From<&ConversionLoss> for aside_diagnostic::Diagnostic {
    fn from(loss: &ConversionLoss) -> Self {
        kinds::CONVERSION_LOSS.diagnostic(loss)
    }
}
