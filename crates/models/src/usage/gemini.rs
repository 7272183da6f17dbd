//! Usage in Gemini's API.

use super::Usage;

object! {
    /// The `usageMetadata` in a response from `generateContent`, also with the names of the Python
    /// SDK.
    ///
    /// ```json
    /// {"promptTokenCount": 100, "cachedContentTokenCount": 60,
    ///  "candidatesTokenCount": 5, "thoughtsTokenCount": 2}
    /// ```
    pub struct Gemini {
        /// The prompt, with tokens read from the cache.
        pub prompt: u64 = "promptTokenCount" | "prompt_token_count",
        /// How much of the prompt was read from the cache.
        pub cached: u64 = "cachedContentTokenCount" | "cached_content_token_count",
        /// Results from tools that the vendor ran, which the prompt leaves out.
        pub tools: u64 = "toolUsePromptTokenCount" | "tool_use_prompt_token_count",
        /// Output without thinking.
        pub candidates: u64 = "candidatesTokenCount" | "candidates_token_count",
        /// Thinking.
        pub thoughts: u64 = "thoughtsTokenCount" | "thoughts_token_count",
    }
}

impl From<&Gemini> for Usage {
    fn from(usage: &Gemini) -> Self {
        let prompt = Self::from_total(usage.prompt, usage.cached, None);
        let output = usage.candidates.unwrap_or(0);
        Self {
            uncached: prompt.uncached.saturating_add(usage.tools.unwrap_or(0)),
            output: output.saturating_add(usage.thoughts.unwrap_or(0)),
            ..prompt
        }
    }
}
