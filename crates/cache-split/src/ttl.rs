use aside_messages::wire::Ttl;
use serde::{Deserialize, Serialize};

/// How long cache entries live.
///
/// Long-lived entries must stand before short-lived ones, so the conversation
/// cannot outlive what stands before it: there is no such value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TtlPolicy {
    /// Five minutes for everything.
    #[default]
    Short,
    /// An hour for the layers that sessions share, five minutes for the
    /// conversation.
    LongPrefix,
    /// An hour for everything.
    Long,
}

impl TtlPolicy {
    /// For what sessions share.
    #[must_use]
    pub fn prefix(self) -> Ttl {
        match self {
            Self::Short => Ttl::FiveMinutes,
            Self::LongPrefix | Self::Long => Ttl::OneHour,
        }
    }

    /// For the conversation.
    #[must_use]
    pub fn conversation(self) -> Ttl {
        match self {
            Self::Short | Self::LongPrefix => Ttl::FiveMinutes,
            Self::Long => Ttl::OneHour,
        }
    }
}
