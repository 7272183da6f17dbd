/// What Gemini's own signatures begin with in the Anthropic form, so that
/// those of other providers are never given to it.
pub(crate) const SEAL: &str = "gemini:";
