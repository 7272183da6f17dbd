//! The mark of Gemini's signatures.

/// The prefix of Gemini's own signatures in the Anthropic form, so that
/// signatures of other providers are never sent to it.
pub(crate) const SEAL: &str = "gemini:";
