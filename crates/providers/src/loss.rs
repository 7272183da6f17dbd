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

/// The reason for a conversion loss.
///
/// Each has a fixed text, so equal losses can be recognized and reported once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A block whose kind the wire does not know, or a block of the system prompt that is no text.
    UnknownBlock,
    /// A text of whitespace only.
    BlankText,
    /// A call or thinking in a message of the user.
    NotOfUser,
    /// Thinking on a wire that does not take it back, such as Chat Completions.
    Thinking,
    /// A signature with the seal of another provider, or Anthropic's own.
    ForeignThinking,
    /// Thinking without a signature.
    UnsignedThinking,
    /// A signature with the seal of the provider that cannot be opened, or that has no encrypted
    /// content, which a stateless server needs.
    UnreadableReasoning,
    /// Reasoning that no item of its message follows, on Responses.
    TrailingReasoning,
    /// `clear_at` of a turn-scoped message.
    ClearAt,
    /// The effort of a system message, for a model that takes it in the parameters only.
    MessageEffort,
    /// `thinking.budget_tokens`, for a model with levels of effort.
    NoBudget,
    /// `output_config.effort`, for a Gemini model with a budget.
    NoLevel,
    /// `thinking.budget_tokens`, for a Gemini model with levels.
    LevelInsteadOfBudget,
    /// An effort next to disabled thinking.
    EffortWithoutThinking,
    /// Disabled thinking, for a model that cannot disable it.
    AlwaysReasons,
    /// Disabled thinking, for a model of which the catalogue does not know whether it can.
    MayAlwaysThink,
    /// An effort, or thinking, together with tools on Chat Completions.
    NoReasoningWithTools,
    /// `stop_sequences` on Responses.
    NoStops,
    /// `service_tier` at a provider without documented tiers.
    NoServiceTier,
    /// `metadata.user_id` on Gemini's wire.
    NoUserId,
    /// Any other member of `metadata`.
    OnlyUserId,
    /// `disable_parallel_tool_use` on Gemini's wire.
    NoParallelSwitch,
    /// `output_config.verbosity` on Gemini's wire.
    NoVerbosity,
    /// A format of the response other than a JSON schema.
    OtherFormat,
    /// A parameter that only Anthropic's API has, such as `context_management`.
    OnlyAnthropic,
    /// A tool such as `web_search`, which Anthropic's servers run.
    ServerTool,
    /// `defer_loading` of a tool.
    DeferredTool,
    /// A `tool_addition` for a model that takes tools in the parameter only.
    NoLaterTools,
    /// A `tool_removal` on a wire without a choice among some tools.
    NoRemoval,
    /// A change of a tool that the request does not define.
    UnknownTool,
    /// An input of a call that is no JSON object.
    InputNotObject,
    /// A schema that allows more after its conversion for Gemini.
    WiderSchema,
    /// A format together with tools, for Gemini models that take only one of them.
    FormatWithTools,
    /// A parameter that servers compatible with Chat Completions often refuse.
    CompatibleServer,
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

    /// Returns the loss and its reason, as a fragment.
    fn what(self) -> &'static str {
        match self {
            Self::UnknownBlock => "left out: the wire has no such block",
            Self::BlankText => "left out: the wire refuses blank text",
            Self::NotOfUser => "left out: a user does not write this",
            Self::Thinking => "left out: the wire takes no thinking back",
            Self::ForeignThinking => {
                "left out: this thinking is not sealed by the provider that is asked"
            }
            Self::UnsignedThinking => "left out: this thinking has no signature",
            Self::UnreadableReasoning => "left out: this reasoning has no encrypted content",
            Self::TrailingReasoning => "left out: no item follows this reasoning",
            Self::ClearAt => "left out: the message stays, since the wire clears none",
            Self::MessageEffort => "left out: the model takes effort for a whole request only",
            Self::NoBudget => "left out: the model takes an effort, not a budget of tokens",
            Self::NoLevel => "left out: the model takes a budget of tokens, not an effort",
            Self::LevelInsteadOfBudget => {
                "left out: the model takes a level of thinking, not a budget of tokens"
            }
            Self::EffortWithoutThinking => {
                "replaced by none: thinking is disabled, and the wire has one key for both"
            }
            Self::AlwaysReasons => "left out: the model always reasons",
            Self::MayAlwaysThink => {
                "left out: it is not known that the model can answer without \
                                    reasoning"
            }
            Self::NoReasoningWithTools => {
                "replaced by none: on Chat Completions the model takes tools only without reasoning"
            }
            Self::NoStops => "left out: the wire has no stop sequences",
            Self::NoServiceTier => "left out: the provider documents no service tiers on this wire",
            Self::NoUserId => "left out: the wire takes no id of a user",
            Self::OnlyUserId => "left out: of metadata, only user_id has a meaning elsewhere",
            Self::NoParallelSwitch => "left out: the wire cannot forbid parallel calls",
            Self::NoVerbosity => "left out: the wire takes no verbosity",
            Self::OtherFormat => "left out: of formats, only json_schema is known",
            Self::OnlyAnthropic => "left out: a parameter of Anthropic's API only",
            Self::ServerTool => "left out: only Anthropic's servers run this tool",
            Self::DeferredTool => "given at once: the wire does not defer tools",
            Self::NoLaterTools => "left out: the model takes tools in the parameter only",
            Self::NoRemoval => "left out: the wire cannot take a tool away",
            Self::UnknownTool => "left out: there is no such tool",
            Self::InputNotObject => "replaced by {}: an input has to be an object",
            Self::WiderSchema => "the schema is wider: Gemini lacks some of its words",
            Self::FormatWithTools => "left out: the model takes no format together with tools",
            Self::CompatibleServer => "left out: a compatible server may refuse this parameter",
        }
    }
}

impl ConversionLoss {
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
