use std::fmt;

use serde::Serialize;

/// Who made a model.
///
/// ```
/// use aside_models::{Vendor, find};
///
/// assert_eq!(find("gpt-5.5").facts.vendor, Vendor::OpenAi);
/// assert_eq!(find("gemini-3-pro-preview").facts.vendor, Vendor::Google);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Vendor {
    /// Anthropic.
    Anthropic,
    /// OpenAI.
    OpenAi,
    /// Google.
    Google,
    /// xAI.
    Xai,
    /// Any other, or not known.
    #[default]
    Other,
}

/// The format for requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wire {
    /// Anthropic's `POST /v1/messages`.
    Messages,
    /// OpenAI's `POST /v1/responses`.
    Responses,
    /// OpenAI's `POST /v1/chat/completions`.
    ChatCompletions,
    /// Google's `generateContent`.
    GenerateContent,
}

/// A wire on which a model responds.
///
/// ```
/// use aside_models::{Wire, find};
///
/// let wires: Vec<Wire> = find("claude-opus-5-5").facts.wires.iter().map(|it| it.wire).collect();
/// assert_eq!(wires, [Wire::Messages]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WireTools {
    /// The wire.
    pub wire: Wire,
    /// Whether it accepts function tools there.
    pub tools: ToolSupport,
}

/// Whether a model accepts function tools on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolSupport {
    /// It does.
    Accepted,
    /// Only with reasoning effort `none`.
    WithoutReasoning,
    /// It refuses them.
    Refused,
    /// Not known.
    Unknown,
}

/// The Claude lines, for which models by other vendors can stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The most capable line, with Fable and Mythos.
    Opus,
    /// In the middle.
    Sonnet,
    /// The fastest.
    Haiku,
}

impl Tier {
    /// Returns the line that a model id or alias belongs to; `None` if it names
    /// no Claude.
    ///
    /// ```
    /// use aside_models::Tier;
    ///
    /// assert_eq!(Tier::of("claude-mythos-5-2"), Some(Tier::Opus));
    /// assert_eq!(Tier::of("haiku"), Some(Tier::Haiku));
    /// assert_eq!(Tier::of("gpt-6.2-sol"), None);
    /// ```
    #[must_use]
    pub fn of(model: &str) -> Option<Self> {
        let is_alias = ["opus", "sonnet", "haiku"].contains(&model);
        match () {
            () if !is_alias && !model.contains("claude") => None,
            () if model.contains("haiku") => Some(Self::Haiku),
            () if model.contains("sonnet") => Some(Self::Sonnet),
            () => Some(Self::Opus),
        }
    }
}

impl Vendor {
    pub(crate) const ALL: [Self; 5] =
        [Self::Anthropic, Self::OpenAi, Self::Google, Self::Xai, Self::Other];

    /// Returns its name in lower case, as in a file of figures.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Google => "google",
            Self::Xai => "xai",
            Self::Other => "other",
        }
    }
}

impl WireTools {
    pub(crate) const fn new(wire: Wire, tools: ToolSupport) -> Self {
        Self { wire, tools }
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anthropic => "Anthropic",
            Self::OpenAi => "OpenAI",
            Self::Google => "Google",
            Self::Xai => "xAI",
            Self::Other => "unknown vendor",
        })
    }
}

impl Wire {
    /// Every wire.
    pub const ALL: [Self; 4] =
        [Self::Messages, Self::Responses, Self::ChatCompletions, Self::GenerateContent];

    /// Returns the wire's name, as on a command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Responses => "responses",
            Self::ChatCompletions => "chat-completions",
            Self::GenerateContent => "generate-content",
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Messages => "Messages API",
            Self::Responses => "Responses",
            Self::ChatCompletions => "Chat Completions",
            Self::GenerateContent => "Gemini generateContent",
        })
    }
}
