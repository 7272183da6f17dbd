//! Cache markers: `cache_control`, in its documented forms and in any other.

use aside_json::{Path, Value};
use serde::{Serialize, Serializer};

use super::object::{ObjectReader, ObjectWriter};
use super::raw::RawJson;
use super::read::{Read, ReadError, Reader};

/// A cache marker (`cache_control`): where a prefix to cache ends.
///
/// ```
/// use aside_messages::wire::{CacheControl, Ttl};
///
/// let hour = CacheControl::lasting(Ttl::OneHour);
/// assert_eq!(serde_json::to_string(&hour)?, r#"{"type":"ephemeral","ttl":"1h"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheControl {
    /// `{"type":"ephemeral"}`, the only kind that the API has.
    Ephemeral {
        /// How long the entry lives. The API's default is five minutes.
        ttl: Option<Ttl>,
        /// True if `"scope":"global"` is written. The public API refuses it.
        global: bool,
    },
    /// Any other value, as it was read.
    ///
    /// It is written back unchanged; `aside_rules::check` reports it.
    Other(RawJson),
}

/// How long an entry in the prompt cache lives after its last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ttl {
    /// `"5m"`, the API's default.
    FiveMinutes,
    /// `"1h"`. Writing costs twice the input price instead of 1.25 times.
    OneHour,
}

impl CacheControl {
    /// `{"type":"ephemeral"}`.
    pub const EPHEMERAL: Self = Self::Ephemeral { ttl: None, global: false };

    /// Creates a marker with this lifetime. The API's default is left out.
    #[must_use]
    pub fn lasting(ttl: Ttl) -> Self {
        let ttl = (ttl != Ttl::FiveMinutes).then_some(ttl);
        Self::Ephemeral { ttl, global: false }
    }

    /// Returns the lifetime, five minutes if none is set; `None` for a value that the API does not
    /// have.
    #[must_use]
    pub fn ttl(&self) -> Option<Ttl> {
        match self {
            Self::Ephemeral { ttl, .. } => Some(ttl.unwrap_or(Ttl::FiveMinutes)),
            Self::Other(_) => None,
        }
    }

    /// Adds `"scope":"global"`. Other values stay the same.
    #[must_use]
    pub fn with_global_scope(self) -> Self {
        match self {
            Self::Ephemeral { ttl, .. } => Self::Ephemeral { ttl, global: true },
            other @ Self::Other(_) => other,
        }
    }
}

impl Ttl {
    fn as_str(self) -> &'static str {
        match self {
            Self::FiveMinutes => "5m",
            Self::OneHour => "1h",
        }
    }

    /// Returns `None` for a lifetime that the API does not have.
    fn from_str(text: &str) -> Option<Self> {
        [Self::FiveMinutes, Self::OneHour].into_iter().find(|ttl| ttl.as_str() == text)
    }
}

impl Serialize for CacheControl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ephemeral { ttl, global } => ObjectWriter::new(serializer)?
                .required("type", "ephemeral")?
                .optional("ttl", ttl.map(Ttl::as_str).as_ref())?
                .optional("scope", global.then_some("global").as_ref())?
                .end(),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl Read for CacheControl {
    const EXPECTED: &'static str = "an object";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        let kind = object.kind(reader)?;
        let ttl: Option<String> = object.optional("ttl", reader)?;
        let scope: Option<String> = object.optional("scope", reader)?;
        let known_ttl = ttl.as_deref().map(Ttl::from_str);
        let known = kind == "ephemeral"
            && known_ttl != Some(None)
            && matches!(scope.as_deref(), None | Some("global"))
            && object.is_empty();
        Ok(if known {
            Self::Ephemeral { ttl: known_ttl.flatten(), global: scope.is_some() }
        } else {
            Self::Other(RawJson::read(value, at, reader)?)
        })
    }
}
