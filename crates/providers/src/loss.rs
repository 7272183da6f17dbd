//! Conversion losses: what a wire has no place for in a request, and why.

use std::borrow::Cow;
use std::fmt;

use crate::kinds;

/// Something in your request that was left out or changed, because the wire has no place for it.
/// The request is valid without it.
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
    /// The JSON path in your request, such as `messages[3].content[0]`.
    ///
    /// For a parameter it is just the name, such as `stop_sequences` or `model`; an import has
    /// paths in the text that it reads.
    pub path: String,
    /// What was lost and why, as a fragment: `left out: the wire has no stop sequences`.
    pub what: Cow<'static, str>,
}

/// Declares each reason: a variant with its fixed text.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $what:literal,)*) => {
        /// Why something was lost.
        ///
        /// Each has a fixed text, to recognize equal losses and report them once.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Returns what was lost and why, as a fragment.
            fn what(self) -> &'static str {
                match self {
                    $(Self::$name => $what,)*
                }
            }
        }
    };
}

reasons! {
    /// A block that the wire does not know, or a system prompt block that is not text.
    UnknownBlock: "left out: the wire has no such block",
    /// A document that is no PDF, in data.
    OtherFile: "left out: the wire takes no file of this type here",
    /// A file in Google's storage, on another wire than Gemini's.
    GoogleFile: "left out: only Google's servers can read this address",
    /// An image or a document at an address, when the provider takes data only.
    NoAddress: "left out: the provider takes such a file in the request only, not at an address",
    /// An image in a document of content blocks.
    DocumentMedia: "only its texts are sent: the wire takes no document with other blocks",
    /// The title of a document that is no text, on Gemini's wire or of an address on Responses.
    NoTitle: "left out: the wire has no title of a document here",
    /// The context of a document that is no text.
    NoContext: "left out: the wire has no context of a document",
    /// The permission to cite a document.
    NoCitations: "left out: the wire cannot ask for citations",
    /// A key of a message or a block that only the Messages API has, such as `caller`.
    NoKey: "left out: the wire has no such key",
    /// Text that is only whitespace.
    BlankText: "left out: the wire refuses blank text",
    /// A call or thinking in a user message.
    NotOfUser: "left out: a user does not write this",
    /// A text with citations, other than on the Messages API.
    Citations: "sent without its citations: the wire takes none back",
    /// Thinking on a wire that does not take it back, such as Chat Completions.
    Thinking: "left out: the wire takes no thinking back",
    /// A signature with another provider's seal, or Anthropic's own.
    ForeignThinking: "left out: this thinking is not sealed by the provider that is asked",
    /// The phase of a message on Responses, which is sealed like thinking.
    Phase: "left out: only Responses has phases of messages",
    /// A summary of the conversation on Responses, which is sealed like thinking.
    Summary: "left out: only the provider that wrote this summary of the conversation can read it",
    /// Thinking without a signature.
    UnsignedThinking: "left out: this thinking has no signature",
    /// A signature with this provider's seal that cannot be opened, or that has no encrypted
    /// content, which a stateless server needs.
    UnreadableReasoning: "left out: this reasoning has no encrypted content",
    /// Reasoning after a message's last item, on Responses.
    TrailingReasoning: "left out: no item follows this reasoning",
    /// `clear_at` on a turn-scoped message.
    ClearAt: "left out: the message stays, since the wire clears none",
    /// A system message's effort, when the model takes it only as a parameter.
    MessageEffort: "left out: the model takes effort for a whole request only",
    /// `thinking`, when the server returns none.
    NoThinking: "left out: the wire returns no thinking",
    /// `thinking`, when the provider documents no summaries on Responses.
    NoSummaries: "left out: the provider documents no summaries of reasoning on this wire",
    /// `thinking`, when the model does not reason.
    NoReasoning: "left out: the model does not reason",
    /// `thinking.budget_tokens`, when the model takes levels of effort.
    NoBudget: "left out: the model takes an effort, not a budget of tokens",
    /// `output_config.effort`, when a Gemini model takes a budget.
    NoLevel: "left out: the model takes a budget of tokens, not an effort",
    /// `thinking.budget_tokens`, when a Gemini model takes levels.
    LevelInsteadOfBudget: "left out: the model takes a level of thinking, not a budget of tokens",
    /// An effort, when the model takes none.
    NoEffort: "left out: the model takes no effort",
    /// An effort that no model has.
    UnknownEffort: "left out: no level of thinking has this name",
    /// An effort when thinking is disabled.
    EffortWithoutThinking: "replaced by none: thinking is disabled, and the wire has one key for both",
    /// A sampling parameter that the model refuses.
    SamplingOfModel: "left out: the model takes no sampling parameters",
    /// A sampling parameter that the version of the Messages API refuses.
    SamplingOfVersion: "left out: this API version takes no sampling parameters",
    /// A sampling parameter that the model refuses while it thinks.
    SamplingWithThinking: "left out: the model takes no sampling parameters while it thinks",
    /// A system message between two user messages, on the Messages API.
    SystemMoved: "moved behind the messages of the user: a response follows a system message",
    /// A system message, when the model takes none in the conversation.
    SystemReminder: "sent as a reminder: the model takes no system message here",
    /// A response at the start, on Gemini's wire.
    FirstOfUser: "a message of the user was added before it, which comes first",
    /// Disabled thinking, when the model cannot disable it.
    AlwaysReasons: "left out: the model always reasons",
    /// Disabled thinking, when the catalogue does not know if the model can disable it.
    MayAlwaysThink: "left out: it is not known that the model can answer without reasoning",
    /// Disabled thinking, when a model of the Messages API takes another mode instead.
    BetweenTools: "replaced by between_tools, which turns thinking off on this model",
    /// Thinking between tools only, when a model of the Messages API has only disabled thinking.
    Disabled: "replaced by disabled, which turns thinking off on this model",
    /// Thinking without a budget, when a model of the Messages API needs one.
    OnlyBudget: "left out: the model thinks only with a budget of tokens",
    /// Reasoning together with tools on Chat Completions.
    NoReasoningWithTools: "set to none: on Chat Completions the model takes tools only without reasoning",
    /// `stop_sequences` on Responses.
    NoStops: "left out: the wire has no stop sequences",
    /// `service_tier`, when the provider documents no tiers.
    NoServiceTier: "left out: the provider documents no service tiers on this wire",
    /// `prompt_cache_key` of OpenAI's wires.
    NoSessionId: "left out: the wire takes no id of a session",
    /// `metadata.user_id` on Gemini's wire.
    NoUserId: "left out: the wire takes no id of a user",
    /// Any other member of `metadata`.
    OnlyUserId: "left out: of metadata, only user_id has a meaning elsewhere",
    /// `disable_parallel_tool_use` on Gemini's wire.
    NoParallelSwitch: "left out: the wire cannot forbid parallel calls",
    /// `output_config.verbosity` on Gemini's wire.
    NoVerbosity: "left out: the wire takes no verbosity",
    /// A response format other than a JSON schema.
    OtherFormat: "left out: of formats, only json_schema is known",
    /// `context_management`: what Responses has under this name is something else.
    ContextEdits: "left out: no other wire has edits of this kind",
    /// A parameter that only Anthropic's API has, such as `container`.
    OnlyAnthropic: "left out: the wire has no such parameter",
    /// The scope of a cache marker.
    GlobalScope: "left out: only the Claude API takes it, with prompt-caching-scope-2026-01-05",
    /// A tool of Anthropic's that the client runs, such as `bash_20250124`.
    TrainedTool: "left out: only Claude knows what this tool takes",
    /// A tool that Anthropic's servers run, such as `web_search`.
    ServerTool: "left out: only Anthropic's servers run this tool",
    /// A tool's `defer_loading`.
    DeferredTool: "given at once: deferred tools are not converted",
    /// A key of a tool that only the Messages API has, such as `input_examples`.
    ToolKey: "left out: tools have no such key on the wire",
    /// A `tool_addition` with a definition, when the model takes tools only as a parameter.
    InlineTool: "moved to the tools: the model takes no definition here",
    /// A `tool_addition`, when the model takes tools only as a parameter.
    NoLaterTools: "left out: the model takes tools in the parameter only",
    /// A `tool_removal`, when the wire cannot restrict the choice to some tools.
    NoRemoval: "left out: the wire cannot take a tool away",
    /// A tool that a `tool_removal` takes away, when messages cannot do so.
    RemovedTool: "left out: the model may not call this tool",
    /// A change to a tool that the request does not define.
    UnknownTool: "left out: there is no such tool",
    /// A choice that forces a call, when every tool was left out.
    NoToolLeft: "left out: no tool is left to choose",
    /// A call's input that is not a JSON object.
    InputNotObject: "replaced by {}: an input has to be an object",
    /// A schema for Gemini with an array without items.
    ItemsAdded: "items set to {}: Gemini takes no array without them",
    /// A schema that allows more once it was rewritten for Gemini.
    WiderSchema: "the schema is wider: Gemini lacks some of its words",
    /// An output schema that OpenAI does not take as strict.
    LooseFormat: "sent as not strict: OpenAI wants closed objects with every property required",
    /// A format together with tools, when a Gemini model takes only one.
    FormatWithTools: "left out: the model takes no format together with tools",
    /// A parameter that servers compatible with Chat Completions often refuse.
    CompatibleServer: "left out: a compatible server may refuse this parameter",
}

impl Reason {
    /// Returns why thinking with this signature is not sent.
    pub(crate) fn of_thinking(signature: &str) -> Self {
        match signature {
            "" => Self::UnsignedThinking,
            phase if phase.contains(r#""type":"phase""#) => Self::Phase,
            summary if summary.contains(r#""type":"compaction""#) => Self::Summary,
            _ => Self::ForeignThinking,
        }
    }

    /// Returns the loss to report at a path.
    pub(crate) fn at(self, path: impl fmt::Display) -> ConversionLoss {
        ConversionLoss::new(path, self.what())
    }
}

impl ConversionLoss {
    /// Creates a loss that you find before you convert a request. Write `what` as a fragment.
    #[must_use]
    pub fn at(path: &str, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(path, what)
    }

    /// Creates a loss with a text of its own, to name a value in it.
    pub(crate) fn new(path: impl fmt::Display, what: impl Into<Cow<'static, str>>) -> Self {
        Self { path: path.to_string(), what: what.into() }
    }

    /// Creates a loss for a tool that is sent with another name.
    pub(crate) fn renamed_tool(index: usize, name: &str, sent: &str) -> Self {
        let what = format!("{name:?} is sent as {sent:?}");
        Self::new(format_args!("tools[{index}].name"), what)
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
