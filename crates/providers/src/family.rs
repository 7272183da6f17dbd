/// The makers of models. Providers of one family share the facts of their
/// models and the rules of their requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Anthropic, whose Messages API is also the internal form.
    Anthropic,
    /// OpenAI and those who took over its form.
    OpenAi,
    /// Google.
    Gemini,
}
