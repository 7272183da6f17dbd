//! Usage on OpenAI's wires: Responses and Chat Completions.

use super::{ByLifetime, Usage};

object! {
    /// The `usage` in a Responses API response.
    ///
    /// ```json
    /// {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    ///  "output_tokens": 7}
    /// ```
    pub struct Responses {
        /// The whole input.
        pub input: u64 = "input_tokens",
        /// What the cache did with the input.
        pub details: Details = "input_tokens_details",
        /// Read from the cache, as Codex records it in place of the details.
        pub cached: u64 = "cached_input_tokens",
        /// Written to the cache, as Codex records it. It writes 0 whatever the API reports.
        pub cache_write: u64 = "cache_write_input_tokens",
        /// Output, with reasoning.
        pub output: u64 = "output_tokens",
    }
}

object! {
    /// The `usage` in a Chat Completions response.
    ///
    /// ```json
    /// {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64},
    ///  "completion_tokens": 7, "total_tokens": 107}
    /// ```
    pub struct Chat {
        /// The whole input.
        pub prompt: u64 = "prompt_tokens",
        /// What the cache did with the input.
        pub details: Details = "prompt_tokens_details",
        /// Read from the cache, as LiteLLM writes it next to the details.
        pub cached: u64 = "cache_read_input_tokens",
        /// Read from the cache, as DeepSeek writes it in place of the details.
        pub hit: u64 = "prompt_cache_hit_tokens",
        /// Written to the cache, as LiteLLM writes it next to the details.
        pub written: u64 = "cache_creation_input_tokens",
        /// Output; on some servers without reasoning.
        pub completion: u64 = "completion_tokens",
        /// Input and output, with reasoning.
        pub total: u64 = "total_tokens",
    }
}

object! {
    /// What the cache did with an input.
    pub struct Details {
        /// Read from the cache.
        pub cached: u64 = "cached_tokens",
        /// Written to the cache.
        pub written: u64 = "cache_write_tokens",
        /// The same by lifetime.
        pub by_lifetime: WrittenFor = "cache_write_tokens_details",
        /// The same, as LiteLLM writes it.
        pub created: ByLifetime = "cache_creation_token_details",
    }
}

object! {
    /// For how long an input was written to the cache.
    pub struct WrittenFor {
        /// For 12 hours; the rest for 30 minutes.
        pub twelve_hours: u64 = "ttl_12h_tokens",
    }
}

impl Details {
    /// Splits the written tokens by their lifetimes.
    fn split(&self, usage: Usage) -> Usage {
        let created = self.created.as_ref();
        let mut rest = usage.write_other;
        let mut take = |tokens: Option<u64>| {
            let taken = tokens.unwrap_or(0).min(rest);
            rest -= taken;
            taken
        };
        let write_1h = take(created.and_then(|it| it.one_hour));
        let write_5m = take(created.and_then(|it| it.five_minutes));
        let of_openai = self.by_lifetime.as_ref().and_then(|it| it.twelve_hours);
        let write_12h = of_openai.or(created.and_then(|it| it.twelve_hours)).unwrap_or(0);
        Usage { write_1h, write_5m, write_other: rest, write_12h: write_12h.min(rest), ..usage }
    }
}

impl Responses {
    pub(super) fn read(&self) -> Option<u64> {
        self.details.as_ref().and_then(|it| it.cached).or(self.cached)
    }

    pub(super) fn written(&self) -> Option<u64> {
        let written = self.details.as_ref().and_then(|it| it.written);
        written.or(self.cache_write.filter(|it| *it > 0))
    }
}

impl Chat {
    pub(super) fn read(&self) -> Option<u64> {
        self.details.as_ref().and_then(|it| it.cached).or(self.cached).or(self.hit)
    }

    pub(super) fn written(&self) -> Option<u64> {
        self.details.as_ref().and_then(|it| it.written).or(self.written)
    }

    /// Converts the usage from a server that leaves reasoning out of
    /// `completion_tokens` (xAI): the output is then the rest of the total.
    #[must_use]
    pub fn with_reasoning(&self) -> Usage {
        let usage = Usage::from(self);
        let rest = self.total.unwrap_or(0).saturating_sub(usage.input());
        Usage { output: usage.output.max(rest), ..usage }
    }
}

impl From<&Responses> for Usage {
    fn from(usage: &Responses) -> Self {
        let gross = Usage::from_total(usage.input, usage.read(), usage.written());
        with_details(gross, usage.details.as_ref(), usage.output)
    }
}

impl From<&Chat> for Usage {
    fn from(usage: &Chat) -> Self {
        let gross = Usage::from_total(usage.prompt, usage.read(), usage.written());
        with_details(gross, usage.details.as_ref(), usage.completion)
    }
}

fn with_details(input: Usage, details: Option<&Details>, output: Option<u64>) -> Usage {
    let usage = Usage { output: output.unwrap_or(0), ..input };
    details.map_or(usage, |it| it.split(usage))
}
