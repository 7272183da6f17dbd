//! Billed tokens, however a vendor counts them.
//!
//! | vendor | input figure | cached |
//! |---|---|---|
//! | [`Messages`] | `input_tokens`, without tokens read from or written to the cache | `cache_read_input_tokens`, `cache_creation_input_tokens` |
//! | [`Responses`] | `input_tokens`, the total | `input_tokens_details.cached_tokens`, `cache_write_tokens` |
//! | [`Chat`] | `prompt_tokens`, the total | `prompt_tokens_details.cached_tokens`, `cache_write_tokens` |
//! | [`Gemini`] | `promptTokenCount`, the total without results of the vendor's tools | `cachedContentTokenCount` |
//! | [`Converse`] (Bedrock) | `inputTokens`, without tokens read from or written to the cache | `cacheReadInputTokens`, `cacheWriteInputTokens` |
//!
//! Each type reads its vendor's usage object, and converts into [`Usage`]. All members are
//! optional. A whole number may be written as a float. A figure that is no whole number counts as
//! absent, and `unread` names the first; the last duplicate key counts.

#[macro_use]
pub(crate) mod lenient;

mod billed;
mod converse;
mod gemini;
mod messages;
mod openai;
mod sessions;
mod sum;
mod telemetry;

use std::ops::Add;

use serde::{Deserializer, Serialize};

pub use billed::Billed;
pub use converse::Converse;
pub use gemini::Gemini;
pub use messages::{ByLifetime, Messages, Sampling};
pub use openai::{Chat, Details, Responses};
pub use sessions::{GeminiCli, OpenCode, OpenCodeCache};
pub use sum::UsageSum;
pub use telemetry::Telemetry;

/// What was billed for a request and its response: every vendor's figures in one sense.
///
/// The five input figures add up to the whole input. Sums saturate: a record or a provider may hold
/// any number.
///
/// ```
/// use aside_models::Usage;
///
/// let usage = Usage { read: 9_000, write_5m: 1_000, uncached: 200, ..Usage::default() };
/// assert_eq!((usage.input(), usage.cached()), (10_200, 10_000));
/// let facts = aside_models::find("claude-haiku-4-5").facts;
/// assert_eq!(usage.cost(facts).map(|cost| cost.to_string()).as_deref(), Some("$0.00235"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Input read from the cache.
    pub read: u64,
    /// Input written to the cache for 5 minutes.
    pub write_5m: u64,
    /// Input written to the cache for 1 hour.
    pub write_1h: u64,
    /// Input written for another time (OpenAI). 30 minutes are billed like 5.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_other: u64,
    /// Those of `write_other` that are kept for 12 hours, which have a price of their own.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_12h: u64,
    /// Input neither read from the cache nor written to it.
    pub uncached: u64,
    /// Output, thinking included.
    #[serde(skip_serializing_if = "is_zero")]
    pub output: u64,
    /// Whether it was billed at the prices of fast mode.
    #[serde(rename = "fast", skip_serializing_if = "std::ops::Not::not")]
    pub is_fast: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Creates the usage for a request without its response: input read, written for 5 minutes,
    /// written for 1 hour, and neither.
    #[must_use]
    pub const fn from_input(read: u64, write_5m: u64, write_1h: u64, uncached: u64) -> Self {
        Self {
            read,
            write_5m,
            write_1h,
            write_other: 0,
            write_12h: 0,
            uncached,
            output: 0,
            is_fast: false,
        }
    }

    /// Reads a usage object whose keys alone tell its vendor. Returns `None` if it has none of the
    /// known figures.
    ///
    /// The one ambiguous key is `input_tokens`: next to a Messages API cache figure it excludes
    /// cached tokens; otherwise it is read as a total, which is the same when nothing was cached.
    /// `iterations` and `speed` are the Messages API's too, if the object has no other API's cache
    /// figure.
    ///
    /// ```
    /// use aside_models::Usage;
    ///
    /// let usage = serde_json::json!({"promptTokenCount": 9, "cachedContentTokenCount": 4});
    /// assert_eq!(Usage::from_any_vendor(&usage), Some(Usage::from_input(4, 0, 0, 5)));
    /// ```
    #[must_use]
    pub fn from_any_vendor<'de, D: Deserializer<'de> + Copy>(usage: D) -> Option<Self> {
        Billed::from_any_vendor(usage)?.known()
    }

    /// Returns how many tokens were written to the cache.
    #[must_use]
    pub const fn written(&self) -> u64 {
        let known = self.write_5m.saturating_add(self.write_1h);
        known.saturating_add(self.write_other)
    }

    /// Returns how many tokens were written for another time than 5 minutes, 1 hour or 12 hours,
    /// which is 30 minutes on OpenAI.
    #[must_use]
    pub const fn write_30m(&self) -> u64 {
        self.write_other.saturating_sub(self.write_12h)
    }

    /// Returns how many tokens were read from the cache or written to it.
    #[must_use]
    pub const fn cached(&self) -> u64 {
        self.read.saturating_add(self.written())
    }

    /// Returns the whole input.
    #[must_use]
    pub const fn input(&self) -> u64 {
        self.cached().saturating_add(self.uncached)
    }

    /// Returns input and output together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.input().saturating_add(self.output)
    }

    /// Returns the usage without the output.
    #[must_use]
    pub const fn without_output(self) -> Self {
        Self { output: 0, ..self }
    }

    /// Converts a vendor's figures when the input includes cached tokens. Contradictory figures are
    /// limited, so that none becomes negative and they add up to the total.
    fn from_total(input: Option<u64>, read: Option<u64>, written: Option<u64>) -> Self {
        let input = input.unwrap_or(0);
        let read = read.unwrap_or(0).min(input);
        let written = written.unwrap_or(0).min(input - read);
        Self { read, write_other: written, uncached: input - read - written, ..Self::default() }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read: self.read.saturating_add(other.read),
            write_5m: self.write_5m.saturating_add(other.write_5m),
            write_1h: self.write_1h.saturating_add(other.write_1h),
            write_other: self.write_other.saturating_add(other.write_other),
            write_12h: self.write_12h.saturating_add(other.write_12h),
            uncached: self.uncached.saturating_add(other.uncached),
            output: self.output.saturating_add(other.output),
            is_fast: self.is_fast || other.is_fast,
        }
    }
}

#[cfg(test)]
mod tests;
