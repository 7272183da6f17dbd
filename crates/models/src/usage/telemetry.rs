//! Usage in OpenTelemetry attributes.

use super::Usage;

object! {
    /// The span attributes that have usage (source: OpenTelemetry's semantic conventions for
    /// generative AI).
    ///
    /// ```json
    /// {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.cache_read.input_tokens": 60,
    ///  "gen_ai.usage.output_tokens": 7}
    /// ```
    pub struct Telemetry {
        /// The whole input.
        pub input: u64 = "gen_ai.usage.input_tokens",
        /// The same under an earlier name.
        pub earlier_input: u64 = "gen_ai.usage.prompt_tokens",
        /// Input read from the cache.
        pub read: u64 = "gen_ai.usage.cache_read.input_tokens",
        /// The same under an earlier name.
        pub earlier_read: u64 = "gen_ai.usage.cache_read_input_tokens",
        /// Input written to the cache.
        pub written: u64 = "gen_ai.usage.cache_write.input_tokens",
        /// The same under an earlier name.
        pub earlier_written: u64 = "gen_ai.usage.cache_creation.input_tokens",
        /// The same under the first name.
        pub first_written: u64 = "gen_ai.usage.cache_creation_input_tokens",
        /// Output.
        pub output: u64 = "gen_ai.usage.output_tokens",
        /// The same under an earlier name.
        pub earlier_output: u64 = "gen_ai.usage.completion_tokens",
    }
}

impl From<&Telemetry> for Usage {
    fn from(usage: &Telemetry) -> Self {
        let read = usage.read.or(usage.earlier_read);
        let written = usage.written.or(usage.earlier_written);
        let written = written.or(usage.first_written);
        let input = usage.input.or(usage.earlier_input);
        let input = Self::from_total(input, read, written);
        Self {
            write_5m: input.write_other,
            write_other: 0,
            output: usage.output.or(usage.earlier_output).unwrap_or(0),
            ..input
        }
    }
}
