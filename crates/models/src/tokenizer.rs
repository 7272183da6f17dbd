//! Which tokenizer a model has, which decides how to estimate a text.

use serde::Serialize;

aside_text::names! {
    /// The tokenizer that a family of models shares, and so their token counts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Tokenizer {
        /// Claude Opus 4.7 and later, Sonnet 5 and later, Haiku 5.5, Fable and
        /// Mythos: about 30 % more tokens for the same text than
        /// [`Tokenizer::ClaudeOld`].
        #[default]
        ClaudeNew = "claude-new",
        /// Claude 4.6 and earlier, and all of 4.5.
        ClaudeOld = "claude-old",
        /// OpenAI from GPT-4o on.
        O200k = "o200k",
        /// Gemini. Not measured: estimated like [`Tokenizer::O200k`].
        Gemini = "gemini",
    }
}
