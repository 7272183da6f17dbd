use serde::Serialize;

aside_text::names! {
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
        Anthropic = "anthropic" => "Anthropic",
        /// OpenAI.
        OpenAi = "openai" => "OpenAI",
        /// Google.
        Google = "google" => "Google",
        /// xAI.
        Xai = "xai" => "xAI",
        /// Any other, or not known.
        #[default]
        Other = "other" => "unknown vendor",
    }
}

aside_text::names! {
    /// The format for requests and responses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Wire {
        /// Anthropic's `POST /v1/messages`.
        Messages = "messages" => "Messages API",
        /// OpenAI's `POST /v1/responses`.
        Responses = "responses" => "Responses",
        /// OpenAI's `POST /v1/chat/completions`.
        ChatCompletions = "chat-completions" => "Chat Completions",
        /// Google's `generateContent`.
        GenerateContent = "generate-content" => "Gemini generateContent",
    }
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

impl WireTools {
    pub(crate) const fn new(wire: Wire, tools: ToolSupport) -> Self {
        Self { wire, tools }
    }
}
