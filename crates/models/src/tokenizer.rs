//! Which tokenizer a model has, which decides how to estimate a text.

use std::fmt;

use serde::Serialize;

/// The tokenizer that a family of models shares, and so their token counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tokenizer {
    /// Claude Opus 4.7 and later, Sonnet 5 and later, Haiku 5.5, Fable and
    /// Mythos: about 30 % more tokens for the same text than
    /// [`Tokenizer::ClaudeOld`].
    #[default]
    ClaudeNew,
    /// Claude 4.6 and earlier, and all of 4.5.
    ClaudeOld,
    /// OpenAI from GPT-4o on.
    O200k,
    /// Gemini. Not measured: estimated like [`Tokenizer::O200k`].
    Gemini,
}

impl Tokenizer {
    /// Every family.
    pub const ALL: [Self; 4] = [Self::ClaudeNew, Self::ClaudeOld, Self::O200k, Self::Gemini];

    /// Returns its name in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeNew => "claude-new",
            Self::ClaudeOld => "claude-old",
            Self::O200k => "o200k",
            Self::Gemini => "gemini",
        }
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
