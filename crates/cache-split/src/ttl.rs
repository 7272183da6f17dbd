use std::time::Duration;

use aside_messages::wire::Ttl;
use serde::{Deserialize, Serialize};

aside_text::names! {
    /// How long cache entries live.
    ///
    /// The API wants one-hour markers before five-minute ones, so no value keeps
    /// the conversation longer than the prefix.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum TtlPolicy {
        /// Five minutes for everything.
        #[default]
        Short = "five minutes",
        /// One hour for layers that sessions share, five minutes for the
        /// conversation.
        LongPrefix = "one hour for the prefix",
        /// One hour for everything.
        Long = "one hour",
        /// Five minutes, and one hour at a *checkpoint*: in the first request of a
        /// turn, in the first one after a tool call, every eight positions of a loop,
        /// and where a short block ends a long stretch, a marker right after the end
        /// of the previous request. It costs 0.75 times the tokens of one block, and the whole conversation before it
        /// survives an hour without requests.
        Checkpoints = "checkpoints",
    }
}

impl TtlPolicy {
    /// Returns the lifetime for layers that sessions share, in requests that
    /// are no checkpoints.
    #[must_use]
    pub fn prefix(self) -> Ttl {
        match self {
            Self::Short | Self::Checkpoints => Ttl::FiveMinutes,
            Self::LongPrefix | Self::Long => Ttl::OneHour,
        }
    }

    /// Returns the lifetime for the conversation, in requests that are no
    /// checkpoints.
    #[must_use]
    pub fn conversation(self) -> Ttl {
        match self {
            Self::Short | Self::LongPrefix | Self::Checkpoints => Ttl::FiveMinutes,
            Self::Long => Ttl::OneHour,
        }
    }
}

/// If a session or a request begins this soon after another, a five-minute
/// entry is still there.
pub(crate) const SHORT: Duration = Duration::from_secs(5 * 60);

/// If a session begins this long after another, a one-hour entry is gone.
const LONG: Duration = Duration::from_secs(60 * 60);

/// Sessions that began longer ago say nothing about today's.
const RECENT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Returns how long the layers that sessions share live. Decide once per session.
///
/// It follows from how long ago the project's earlier sessions began: one hour
/// if one of them did 5 to 60 minutes ago. By now a five-minute entry would
/// be gone, and a one-hour entry would not.
///
/// It is also one hour if, in the last seven days, sessions that began 5 to
/// 60 minutes after another are at least as many as those that began later:
/// to write for an hour costs 0.75 times the prefix more, and a session
/// that reads it saves 1.15 times.
///
/// ```
/// use std::time::Duration;
/// use aside_cache_split::{shared_ttl, wire::Ttl};
///
/// let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
/// assert_eq!(shared_ttl([minutes(12)]), Ttl::OneHour);
/// assert_eq!(shared_ttl([minutes(2), minutes(90)]), Ttl::FiveMinutes);
/// // Three sessions of yesterday.
/// let yesterday = [minutes(1_400), minutes(1_412), minutes(1_424)];
/// assert_eq!(shared_ttl(yesterday), Ttl::OneHour);
/// ```
#[must_use]
pub fn shared_ttl(ages: impl IntoIterator<Item = Duration>) -> Ttl {
    let is_between = |age: Duration| (SHORT..=LONG).contains(&age);
    let mut ages: Vec<Duration> = ages.into_iter().filter(|age| *age <= RECENT).collect();
    ages.sort_unstable();
    let pauses = || ages.windows(2).map(|pair| pair[1] - pair[0]);
    let read = pauses().filter(|pause| is_between(*pause)).count();
    let lost = pauses().filter(|pause| *pause > LONG).count();
    if ages.iter().copied().any(is_between) || read > 0 && read >= lost {
        Ttl::OneHour
    } else {
        Ttl::FiveMinutes
    }
}
