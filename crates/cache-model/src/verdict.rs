//! What happens to a request: the prefix that is read, the tokens billed, what
//! each marker does, and the miss, if there is one.

use aside_models::Date;
use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::difference::{Cause, Difference};
use crate::parent::Parent;
use crate::usage::{Cost, Usage};
use aside_body::lifetime::{CacheLifetime, short_time};
use aside_body::path::{BlockPath, Level};

/// What the cache does with one request.
///
/// Token counts are estimates until the provider's usage is known
/// ([`CacheModel::observe`](crate::CacheModel::observe)); which prefixes are
/// read and written does not depend on them, except for the minimum length.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Where the prefix that is read ends; `None` if it has no whole block.
    pub hit: Option<Hit>,
    /// The last block that is in the cache from now on, because it was read or written.
    #[serde(skip)]
    pub end: Option<BlockPath>,
    /// Input tokens by price class.
    pub usage: Usage,
    /// What they cost; `None` if the model's price is unknown.
    pub cost: Option<Cost>,
    /// From which day these prices are.
    pub prices_as_of: Option<Date>,
    /// Every marker, in request order.
    pub markers: Vec<MarkerVerdict>,
    /// The miss, if less was read than the request before had left in the
    /// cache.
    pub miss: Option<Miss>,
    /// The request that it continues.
    pub parent: Option<Parent>,
}

/// Where the prefix that is read ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// The last block that is read as a whole.
    pub path: BlockPath,
    /// How many tokens are read.
    pub tokens: u64,
}

/// What became of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MarkerVerdict {
    /// The block.
    pub path: BlockPath,
    /// How long it lasts.
    pub ttl: CacheLifetime,
    /// What it did.
    pub effect: Effect,
}

/// What a marker did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// It found an entry.
    Hit,
    /// It wrote an entry.
    Wrote,
    /// Nothing: the prefix is too short to cache.
    BelowMinimum,
    /// Nothing: it neither read nor wrote.
    Useless,
}

/// A cache miss: less was read than the request before had left in the cache.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Miss {
    /// The reason, in the words of the API's own diagnostics.
    pub reason: MissReason,
    /// A detail that the API does not report.
    pub detail: Option<MissDetail>,
    /// The first difference from the request before; `None` if the bytes are
    /// the same, or no longer known.
    pub difference: Option<Difference>,
    /// How many tokens the request before read or wrote that are not read now, at most this
    /// request's.
    pub lost_tokens: u64,
    /// What they cost beyond cache reads.
    pub lost_cost: Option<Cost>,
    /// The longest live entry that the request could have read instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Unreached>,
}

impl Miss {
    /// Returns what changed; `None` if nothing did, or if only its parameter or reason is known.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        let is_elsewhere = self.detail == Some(MissDetail::DifferentWorkspace);
        let cause = self.difference.as_ref().map(|it| it.cause);
        cause.or(is_elsewhere.then_some(Cause::OtherWorkspace))
    }
}

/// A live entry for a prefix of this request that no marker reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unreached {
    /// The entry's last block. A marker here would have read the entry.
    pub path: BlockPath,
    /// How many tokens the entry has.
    pub tokens: u64,
    /// How long it lives.
    pub lifetime: CacheLifetime,
    /// How many positions there are from the next marker back to the entry,
    /// counting both; `None` if no marker follows it, or if there is no
    /// look-back.
    pub distance: Option<usize>,
    /// How many positions a marker checks.
    pub window: Option<usize>,
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, tokens, lifetime) = (&self.path, self.tokens, self.lifetime);
        write!(f, "a live {lifetime} entry with {tokens} tokens ends at {path}")?;
        match (self.distance, self.window) {
            (Some(distance), Some(window)) => {
                write!(f, ", {distance} positions before the next marker, which sees {window}")?;
            }
            _ => f.write_str(", with no marker in reach")?,
        }
        f.write_str(": a marker there would have read it")
    }
}

aside_text::names! {
    /// The reasons in the cache diagnostics of the Claude API and of OpenAI.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum MissReason {
        /// Another model.
        ModelChanged = "model_changed",
        /// The key that routes requests (OpenAI).
        PromptCacheKeyChanged = "prompt_cache_key_changed",
        /// The service tier (OpenAI).
        ServiceTierChanged = "service_tier_changed",
        /// The tools, or a parameter that they depend on.
        ToolsChanged = "tools_changed",
        /// The format of the response (OpenAI).
        TextFormatChanged = "text_format_changed",
        /// The effort of reasoning (OpenAI).
        ReasoningEffortChanged = "reasoning_effort_changed",
        /// The verbosity of the response (OpenAI).
        VerbosityChanged = "verbosity_changed",
        /// The system prompt, or a parameter that it depends on.
        SystemChanged = "system_changed",
        /// A message, or a parameter that the messages depend on.
        MessagesChanged = "messages_changed",
        /// The prefix is the same, but its entry was not found.
        PreviousMessageNotFound = "previous_message_not_found",
    }
}

impl From<Level> for MissReason {
    fn from(level: Level) -> Self {
        match level {
            Level::Tools => Self::ToolsChanged,
            Level::System => Self::SystemChanged,
            Level::Messages => Self::MessagesChanged,
        }
    }
}

/// A detail that the API's diagnostics do not report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissDetail {
    /// The entry was too old.
    Expired {
        /// How long ago it was last used, in seconds.
        #[serde(serialize_with = "seconds")]
        age: Duration,
        /// The shortest lifetime that would have been enough; `None` if none
        /// is.
        needed: Option<CacheLifetime>,
    },
    /// The entry probably expired: the provider states no lifetime.
    LifetimeUnknown {
        /// How long ago it was last used, in seconds.
        #[serde(serialize_with = "seconds")]
        age: Duration,
        /// The lifetime that the model assumes.
        assumed: CacheLifetime,
    },
    /// The entry ends too far before the marker.
    OutsideLookBack {
        /// How many positions there are from the marker back to the entry,
        /// counting both.
        distance: usize,
    },
    /// The request that writes the entry had no response yet.
    NotYetReadable,
    /// The prefix is too short to cache.
    BelowMinimum,
    /// No marker is at or after the entry's end.
    NoMarker,
    /// A parameter other than tools, system prompt and messages.
    Parameter {
        /// The name of the parameter.
        name: &'static str,
    },
    /// Another workspace.
    DifferentWorkspace,
    /// A new user turn removed thinking from the turn before (by model).
    ThinkingRemoved,
    /// The API cleared tool results that the request before still had (`clear_tool_uses`).
    ToolResultsCleared,
    /// The entry was alive, but the recorded usage shows that it was not read: the provider
    /// dropped it early, or handled the request elsewhere.
    Unexplained,
}

impl fmt::Display for MissDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expired { age, needed } => {
                write!(f, "expired after {}, ", short_time(*age))?;
                match needed {
                    Some(lifetime) => write!(f, "{lifetime} would do"),
                    None => f.write_str("no lifetime would do"),
                }
            }
            Self::LifetimeUnknown { age, assumed } => write!(
                f,
                "probably expired after {}: the provider states no lifetime, {assumed} is assumed",
                short_time(*age)
            ),
            Self::OutsideLookBack { distance } => {
                write!(f, "the entry ends {distance} positions back, a marker sees 20")
            }
            Self::NotYetReadable => {
                f.write_str("the response that makes it readable had not begun")
            }
            Self::BelowMinimum => f.write_str("too short to be cached"),
            Self::NoMarker => f.write_str("no marker at or after the end of the entry"),
            Self::Parameter { name } => write!(f, "the parameter {name} changed"),
            Self::DifferentWorkspace => f.write_str(Cause::OtherWorkspace.as_str()),
            Self::ThinkingRemoved => f.write_str("a new turn removed thinking of the turn before"),
            Self::ToolResultsCleared => f.write_str("the API cleared old tool results"),
            Self::Unexplained => {
                f.write_str("the provider did not read an entry that was alive, by its rules")
            }
        }
    }
}

fn seconds<S: Serializer>(age: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(age.as_secs())
}
