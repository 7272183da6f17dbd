//! Usage as coding agents write it into their sessions, in forms of their own.

use super::{Gemini, Usage};

object! {
    /// The `tokens` of a message in a Gemini CLI session (source: its `ChatRecordingService`).
    ///
    /// ```json
    /// {"input": 100, "output": 5, "cached": 60, "thoughts": 2, "tool": 0, "total": 107}
    /// ```
    pub struct GeminiCli {
        /// The prompt, with tokens read from the cache.
        pub input: u64 = "input",
        /// Output without thinking.
        pub output: u64 = "output",
        /// How much of the prompt was read from the cache.
        pub cached: u64 = "cached",
        /// Thinking.
        pub thoughts: u64 = "thoughts",
        /// Results from tools that the vendor ran, which the prompt leaves out.
        pub tool: u64 = "tool",
    }
}

object! {
    /// The `tokens` of a message in opencode.
    ///
    /// ```json
    /// {"input": 40, "output": 5, "reasoning": 2, "cache": {"read": 60, "write": 10}}
    /// ```
    pub struct OpenCode {
        /// Input neither read from the cache nor written to it.
        pub input: u64 = "input",
        /// Output without reasoning.
        pub output: u64 = "output",
        /// Reasoning.
        pub reasoning: u64 = "reasoning",
        /// The cached input.
        pub cache: OpenCodeCache = "cache",
    }
}

object! {
    /// The cached input in [`OpenCode`].
    pub struct OpenCodeCache {
        /// Read from the cache.
        pub read: u64 = "read",
        /// Written to the cache.
        pub write: u64 = "write",
    }
}

impl From<&GeminiCli> for Usage {
    fn from(usage: &GeminiCli) -> Self {
        Self::from(&Gemini {
            prompt: usage.input,
            cached: usage.cached,
            tools: usage.tool,
            candidates: usage.output,
            thoughts: usage.thoughts,
            ..Gemini::default()
        })
    }
}

impl From<&OpenCode> for Usage {
    fn from(usage: &OpenCode) -> Self {
        let cache = usage.cache.clone().unwrap_or_default();
        let output = usage.output.unwrap_or(0);
        Self {
            output: output.saturating_add(usage.reasoning.unwrap_or(0)),
            ..Self::from_input(
                cache.read.unwrap_or(0),
                cache.write.unwrap_or(0),
                0,
                usage.input.unwrap_or(0),
            )
        }
    }
}
