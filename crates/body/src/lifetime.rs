//! How long cache entries live: the values of `ttl` on the wire.

use std::time::Duration;

use serde::Serialize;

aside_text::names! {
    /// How long a cache entry lives after its last use.
    ///
    /// Ordered by length. `"5m"` is the Messages API's default; `"1h"` costs more
    /// to write.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    pub enum CacheLifetime {
        /// 5 minutes.
        #[serde(rename = "5m")]
        FiveMinutes = "5m",
        /// 30 minutes (OpenAI).
        #[serde(rename = "30m")]
        ThirtyMinutes = "30m",
        /// 1 hour.
        #[serde(rename = "1h")]
        OneHour = "1h",
        /// 12 hours (OpenAI).
        #[serde(rename = "12h")]
        TwelveHours = "12h",
        /// 24 hours (OpenAI before GPT-5.6, which has no markers).
        #[serde(rename = "24h")]
        TwentyFourHours = "24h",
    }
}

impl CacheLifetime {
    /// Returns how long this is.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::FiveMinutes => 5 * 60,
            Self::ThirtyMinutes => 30 * 60,
            Self::OneHour => 60 * 60,
            Self::TwelveHours => 12 * 60 * 60,
            Self::TwentyFourHours => 24 * 60 * 60,
        })
    }
}

/// Formats a time as `9s`, `1m09s` or `1h02m03s`, dropping fractions of a
/// second.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(aside_body::lifetime::short_time(Duration::from_secs(69)), "1m09s");
/// ```
#[must_use]
pub fn short_time(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, seconds) => format!("{hours}h{minutes:02}m{seconds:02}s"),
    }
}
