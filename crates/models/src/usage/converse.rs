//! Usage in Bedrock's Converse API.

use super::Usage;

object! {
    /// The `usage` in a response from Amazon Bedrock's Converse API.
    ///
    /// ```json
    /// {"inputTokens": 10, "cacheReadInputTokens": 5, "cacheWriteInputTokens": 7, "outputTokens": 2,
    ///  "cacheDetails": [{"ttl": "1h", "inputTokens": 7}]}
    /// ```
    pub struct Converse {
        /// Input neither read from the cache nor written to it.
        pub input: u64 = "inputTokens",
        /// Input read from the cache.
        pub read: u64 = "cacheReadInputTokens",
        /// Input written to the cache.
        pub written: u64 = "cacheWriteInputTokens",
        /// What was written, by lifetime.
        pub details: Vec<CacheDetail> = "cacheDetails",
        /// Output.
        pub output: u64 = "outputTokens",
    }
}

object! {
    /// Input that was written to the cache for one lifetime.
    pub struct CacheDetail {
        /// The lifetime: `5m` or `1h`.
        pub ttl: String = "ttl",
        /// The tokens.
        pub tokens: u64 = "inputTokens",
    }
}

impl From<&Converse> for Usage {
    fn from(usage: &Converse) -> Self {
        let details = usage.details.iter().flatten();
        let long = details.filter(|it| it.ttl.as_deref() == Some("1h"));
        let write_1h = long.map(|it| it.tokens.unwrap_or(0)).fold(0, u64::saturating_add);
        Self {
            uncached: usage.input.unwrap_or(0),
            read: usage.read.unwrap_or(0),
            write_5m: usage.written.unwrap_or(0).saturating_sub(write_1h),
            write_1h,
            output: usage.output.unwrap_or(0),
            ..Self::default()
        }
    }
}
