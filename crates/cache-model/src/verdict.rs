//! The result of a request: the prefix that is read, the billed tokens, the
//! effect of each marker, and the miss, if there is one.

use aside_models::Date;
use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::difference::Difference;
use crate::parent::Parent;
use crate::usage::{Cost, Usage};
use aside_body::lifetime::{CacheLifetime, short_time};
use aside_body::path::BlockPath;

/// The result of one request on the cache.
///
/// Token counts are estimates until the provider's usage is known
/// ([`CacheModel::observe`](crate::CacheModel::observe)); the prefixes that are
/// read and written do not depend on them, except for the minimum length.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The end of the prefix that is read.
    pub hit: Option<Hit>,
    /// The last block that is in the cache from now on, because it was read or written.
    #[serde(skip)]
    pub end: Option<BlockPath>,
    /// The input by price class.
    pub usage: Usage,
    /// Its price; `None` if the price of the model is not known.
    pub cost: Option<Cost>,
    /// The day whose prices these are.
    pub prices_as_of: Option<Date>,
    /// Every marker, in the order of the request.
    pub markers: Vec<MarkerVerdict>,
    /// The miss, if less was read than the request before had left in the cache.
    pub miss: Option<Miss>,
    /// The request that it continues.
    pub parent: Option<Parent>,
}

/// The end of the prefix that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// The last block that is read.
    pub path: BlockPath,
    /// The number of tokens that are read.
    pub tokens: u64,
}

/// The result of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MarkerVerdict {
    /// The block.
    pub path: BlockPath,
    /// The lifetime.
    pub ttl: CacheLifetime,
    /// Its effect.
    pub effect: Effect,
}

/// The effect of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// It found an entry.
    Hit,
    /// It wrote an entry.
    Wrote,
    /// The prefix is too short to be cached.
    BelowMinimum,
    /// Neither.
    Useless,
}

/// A cache miss: less was read than the request before had left in the cache.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Miss {
    /// The reason, in the vocabulary of the API's own diagnostics.
    pub reason: MissReason,
    /// A detail that the API does not report.
    pub detail: Option<MissDetail>,
    /// The first difference to the request before; `None` if the bytes are
    /// the same, or no longer known.
    pub difference: Option<Difference>,
    /// The number of tokens that the request before read or wrote and that are
    /// not read now.
    pub lost_tokens: u64,
    /// Their additional cost compared to cache reads.
    pub lost_cost: Option<Cost>,
    /// The longest live entry that the request could have read instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Unreached>,
}

/// A live entry of a prefix of the request that no marker reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unreached {
    /// The last block of the entry. A marker on it would have read the entry.
    pub path: BlockPath,
    /// The tokens of the entry.
    pub tokens: u64,
    /// Its lifetime.
    pub lifetime: CacheLifetime,
    /// The positions from the next marker back to the entry, both included;
    /// `None` if no marker follows it, or if there is no look-back.
    pub distance: Option<usize>,
    /// The number of positions that a marker checks.
    pub window: Option<usize>,
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, tokens, lifetime) = (&self.path, self.tokens, self.lifetime);
        write!(
            f,
            "a live {lifetime} entry with {tokens} tokens ends at {path}"
        )?;
        match (self.distance, self.window) {
            (Some(distance), Some(window)) => write!(
                f,
                ", {distance} positions before the next marker, which sees {window}"
            )?,
            _ => f.write_str(", with no marker in reach")?,
        }
        f.write_str(": a marker there would have read it")
    }
}

aside_text::names! {
    /// The reasons of the API's cache diagnostics.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum MissReason {
        /// Another model.
        ModelChanged = "model_changed",
        /// The tools, or a parameter on which they depend.
        ToolsChanged = "tools_changed",
        /// The system prompt, or a parameter on which it depends.
        SystemChanged = "system_changed",
        /// A message, or a parameter on which the messages depend.
        MessagesChanged = "messages_changed",
        /// The prefix is the same, and its entry was not found.
        PreviousMessageNotFound = "previous_message_not_found",
    }
}

/// A detail that the API's diagnostics do not report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissDetail {
    /// The entry was too old.
    Expired {
        /// The time since it was last used, in seconds.
        #[serde(serialize_with = "seconds")]
        age: Duration,
        /// The shortest lifetime that would have been enough; `None` if none
        /// is.
        needed: Option<CacheLifetime>,
    },
    /// The entry is assumed to have expired: the provider states no lifetime.
    LifetimeUnknown {
        /// The time since it was last used, in seconds.
        #[serde(serialize_with = "seconds")]
        age: Duration,
        /// The lifetime that the model assumes.
        assumed: CacheLifetime,
    },
    /// The entry ends too far before the marker.
    OutsideLookBack {
        /// The positions from the marker back to the entry, both included.
        distance: usize,
    },
    /// The response to the request that writes the entry had not begun.
    NotYetReadable,
    /// The prefix is too short to be cached.
    BelowMinimum,
    /// No marker at or after the end of the entry.
    NoMarker,
    /// A parameter other than tools, system prompt and messages.
    Parameter {
        /// The name of the parameter.
        name: &'static str,
    },
    /// Another workspace.
    DifferentWorkspace,
    /// A new turn of the user removed thinking of the turn before (by model).
    ThinkingRemoved,
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
            Self::OutsideLookBack { distance } => write!(
                f,
                "the entry ends {distance} positions back, a marker sees 20"
            ),
            Self::NotYetReadable => {
                f.write_str("the response that makes it readable had not begun")
            }
            Self::BelowMinimum => f.write_str("too short to be cached"),
            Self::NoMarker => f.write_str("no marker at or after the end of the entry"),
            Self::Parameter { name } => write!(f, "the parameter {name} changed"),
            Self::DifferentWorkspace => f.write_str("another workspace"),
            Self::ThinkingRemoved => f.write_str("a new turn removed thinking of the turn before"),
        }
    }
}

fn seconds<S: Serializer>(age: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(age.as_secs())
}
