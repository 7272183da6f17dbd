//! Usage in the Messages API.

use super::Usage;

object! {
    /// The `usage` in a Messages API response.
    ///
    /// ```json
    /// {"input_tokens": 3, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 0,
    ///  "cache_creation": {"ephemeral_5m_input_tokens": 900, "ephemeral_1h_input_tokens": 0},
    ///  "output_tokens": 50, "iterations": [{"type": "message", "input_tokens": 3}]}
    /// ```
    ///
    /// The figures sum up the samplings of the kind `message`, and leave out the others (source:
    /// the types `BetaUsage` and `BetaCompactionIterationUsage` in the official SDK).
    pub struct Messages {
        /// Input neither read from the cache nor written to it.
        pub input: u64 = "input_tokens",
        /// Input written to the cache.
        pub written: u64 = "cache_creation_input_tokens",
        /// Input read from the cache.
        pub read: u64 = "cache_read_input_tokens",
        /// The written input, by how long its cache entries live.
        pub by_lifetime: ByLifetime = "cache_creation",
        /// Output, thinking included.
        pub output: u64 = "output_tokens",
        /// The samplings behind the response: more than one if the API ran tools of its own or
        /// compacted the context.
        pub iterations: Vec<Sampling> = "iterations",
        /// `fast` or `standard`.
        pub speed: String = "speed",
    }
}

object! {
    /// An item in [`Messages::iterations`], with its own figures.
    pub struct Sampling {
        /// Such as `message` or `compaction`; `fallback_message` replaces the last `message` if another
        /// model of the request's `fallbacks` answered.
        pub kind: String = "type",
        /// The model, if it is not the response's.
        pub model: String = "model",
        /// Input neither read from the cache nor written to it.
        pub input: u64 = "input_tokens",
        /// Input written to the cache.
        pub written: u64 = "cache_creation_input_tokens",
        /// Input read from the cache.
        pub read: u64 = "cache_read_input_tokens",
        /// The written input, by how long its cache entries live.
        pub by_lifetime: ByLifetime = "cache_creation",
        /// Output, thinking included.
        pub output: u64 = "output_tokens",
    }
}

object! {
    /// Tokens written to the cache, by lifetime.
    pub struct ByLifetime {
        /// For 5 minutes.
        pub five_minutes: u64 = "ephemeral_5m_input_tokens",
        /// For 1 hour.
        pub one_hour: u64 = "ephemeral_1h_input_tokens",
        /// For 12 hours. Only OpenAI's usage in this form has it.
        pub twelve_hours: u64 = "ephemeral_12h_input_tokens",
    }
}

impl Messages {
    /// The keys for input, written input, read input and output, in the API's order.
    pub const FIGURES: [&str; 4] =
        ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

    /// Returns the usage without the compactions in `iterations`.
    #[must_use]
    pub fn own(&self) -> Usage {
        let figures = [self.input, self.written, self.read, self.output];
        self.billed(sampling(figures, self.by_lifetime.as_ref()))
    }

    /// Returns true if there are members apart from cache figures that no other API's usage has.
    pub(super) fn has_own_members(&self) -> bool {
        let has_iterations = self.iterations.as_ref().is_some_and(|it| !it.is_empty());
        has_iterations || self.input.is_some() && self.speed.is_some()
    }

    /// Returns usage at the prices of the response's speed.
    fn billed(&self, usage: Usage) -> Usage {
        Usage { is_fast: self.speed.as_deref() == Some("fast"), ..usage }
    }

    /// Returns the usage of each compaction that the API ran for the request. The other figures do
    /// not include it, but you pay for it.
    pub fn compactions(&self) -> impl Iterator<Item = Usage> {
        self.samplings_of(&["compaction"])
    }

    /// Returns every sampling that you pay for: [`own`](Self::own), then each of the
    /// [`compactions`](Self::compactions). Their costs add up to the request's.
    pub fn samplings(&self) -> impl Iterator<Item = Usage> {
        std::iter::once(self.own()).chain(self.compactions())
    }

    /// Returns the model and the usage of each advisor that the model consulted. The other figures
    /// do not include it; it is billed at the advisor's price.
    pub fn advisors(&self) -> impl Iterator<Item = (&str, Usage)> {
        let all = self.iterations.iter().flatten();
        let advisors = all.filter(|it| it.kind.as_deref() == Some("advisor_message"));
        advisors.map(|it| (it.model.as_deref().unwrap_or_default(), it.into()))
    }

    /// Returns how many tokens the context has after the response: the last sampling's input and
    /// output. Zero if the model was not sampled, as in a response that has nothing but a
    /// compaction.
    #[must_use]
    pub fn context(&self) -> u64 {
        let last = self.samplings_of(&["message", "fallback_message"]).last();
        last.unwrap_or_else(|| self.own()).total()
    }

    /// Returns the first and the last sampling that extends the conversation, if the API ran
    /// others: each has a prompt of its own, and the usage sums them up.
    pub(super) fn first_and_last(&self) -> Option<[Usage; 2]> {
        let is_sum = self.iterations.as_ref().is_some_and(|it| it.len() > 1);
        let mut all = self.samplings_of(&["message", "fallback_message"]).filter(|_| is_sum);
        let first = all.next()?;
        Some([first, all.last().unwrap_or(first)])
    }

    fn samplings_of(&self, kinds: &'static [&str]) -> impl Iterator<Item = Usage> {
        let all = self.iterations.iter().flatten();
        let all = all.filter(|it| it.kind.as_deref().is_some_and(|it| kinds.contains(&it)));
        all.map(|it| self.billed(it.into()))
    }
}

/// Input written for 30 minutes counts as written for 5, at the same price.
impl From<Usage> for Messages {
    fn from(usage: Usage) -> Self {
        Self {
            input: Some(usage.uncached),
            written: Some(usage.written()),
            read: Some(usage.read),
            by_lifetime: Some(ByLifetime {
                five_minutes: Some(usage.write_5m.saturating_add(usage.write_30m())),
                one_hour: Some(usage.write_1h),
                twelve_hours: (usage.write_12h > 0).then_some(usage.write_12h),
                ..ByLifetime::default()
            }),
            output: Some(usage.output),
            speed: usage.is_fast.then(|| "fast".to_owned()),
            ..Self::default()
        }
    }
}

/// Sums up all samplings that are paid for.
impl From<&Messages> for Usage {
    fn from(usage: &Messages) -> Self {
        usage.samplings().sum()
    }
}

impl From<&Sampling> for Usage {
    fn from(usage: &Sampling) -> Self {
        let figures = [usage.input, usage.written, usage.read, usage.output];
        sampling(figures, usage.by_lifetime.as_ref())
    }
}

/// Converts one sampling's figures: input, written, read, output. Writes that `cache_creation` does
/// not split by lifetime count as writes for 5 minutes, the default.
fn sampling(figures: [Option<u64>; 4], by_lifetime: Option<&ByLifetime>) -> Usage {
    let [uncached, written, read, output] = figures.map(Option::unwrap_or_default);
    let lifetime = |field: fn(&ByLifetime) -> Option<u64>| by_lifetime.and_then(field).unwrap_or(0);
    let (write_1h, write_12h) = (lifetime(|it| it.one_hour), lifetime(|it| it.twelve_hours));
    let write_5m = written.saturating_sub(write_1h).saturating_sub(write_12h);
    let write_5m = write_5m.max(lifetime(|it| it.five_minutes));
    let usage = Usage::from_input(read, write_5m, write_1h, uncached);
    Usage { output, write_other: write_12h, write_12h, ..usage }
}
