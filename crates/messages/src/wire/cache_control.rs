//! Cache markers: `cache_control`, in its documented forms and in any other.

use aside_json::{Path, Value};
use serde::{Deserialize, Serialize, Serializer};

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

aside_text::names! {
    /// How long an entry in the prompt cache lives after its last use.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub enum Ttl {
        /// `"5m"`, the API's default.
        #[default]
        #[serde(rename = "5m")]
        FiveMinutes = "5m",
        /// `"1h"`. Writing costs twice the input price instead of 1.25 times.
        #[serde(rename = "1h")]
        OneHour = "1h",
    }
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
        let known_ttl = ttl.as_deref().map(str::parse).transpose();
        let known = kind == "ephemeral"
            && matches!(scope.as_deref(), None | Some("global"))
            && object.is_empty();
        Ok(match known_ttl {
            Ok(ttl) if known => Self::Ephemeral { ttl, global: scope.is_some() },
            _ => Self::Other(RawJson::read(value, at, reader)?),
        })
    }
}
