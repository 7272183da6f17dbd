use aside_messages::wire::Ttl;
use serde::{Deserialize, Serialize};

/// The lifetime of cache entries.
///
/// The API requires that markers of one hour come before those of five minutes,
/// so no value has a longer lifetime for the conversation than for the prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TtlPolicy {
    /// Five minutes for everything.
    #[default]
    Short,
    /// One hour for the layers that sessions share, five minutes for the
    /// conversation.
    LongPrefix,
    /// One hour for everything.
    Long,
}

impl TtlPolicy {
    /// Returns the lifetime for the layers that sessions share.
    #[must_use]
    pub fn prefix(self) -> Ttl {
        match self {
            Self::Short => Ttl::FiveMinutes,
            Self::LongPrefix | Self::Long => Ttl::OneHour,
        }
    }

    /// Returns the lifetime for the conversation.
    #[must_use]
    pub fn conversation(self) -> Ttl {
        match self {
            Self::Short | Self::LongPrefix => Ttl::FiveMinutes,
            Self::Long => Ttl::OneHour,
        }
    }
}
