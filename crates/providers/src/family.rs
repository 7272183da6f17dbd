//! Makers of models.

/// The families of models. Providers of one family share the rules of requests.
///
/// The family of a provider is that of its models and its wire: Bedrock belongs to Anthropic's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Anthropic, whose Messages API is also the internal form.
    Anthropic,
    /// OpenAI, xAI and compatible servers.
    OpenAi,
    /// Google.
    Gemini,
}
