//! Usage in Bedrock's Converse API.

use super::Usage;

object! {
    /// The `usage` in a response from Amazon Bedrock's Converse API.
    ///
    /// ```json
    /// {"inputTokens": 10, "cacheReadInputTokens": 5, "cacheWriteInputTokens": 7, "outputTokens": 2}
    /// ```
    pub struct Converse {
        /// Input neither read from the cache nor written to it.
        pub input: u64 = "inputTokens",
        /// Input read from the cache.
        pub read: u64 = "cacheReadInputTokens",
        /// Input written to the cache.
        pub written: u64 = "cacheWriteInputTokens",
        /// Output.
        pub output: u64 = "outputTokens",
    }
}

impl From<&Converse> for Usage {
    fn from(usage: &Converse) -> Self {
        Self {
            uncached: usage.input.unwrap_or(0),
            read: usage.read.unwrap_or(0),
            write_5m: usage.written.unwrap_or(0),
            output: usage.output.unwrap_or(0),
            ..Self::default()
        }
    }
}
