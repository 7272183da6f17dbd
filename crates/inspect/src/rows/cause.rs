//! Why caches miss: what bodies show, and what a session's usage and times show.

use std::borrow::Cow;

use aside_cache_model::rules::table;
use aside_cache_model::{Cause, Miss, MissDetail};
use serde::{Serialize, Serializer};

aside_text::names! {
    /// Why a cache missed, found without a body.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum SessionCause {
        /// A session's first request.
        ColdStart = "cold start",
        /// A sub-agent's first request.
        SubagentStart = "sub-agent start",
        /// The agent replaced the conversation by a summary.
        Compaction = "compaction",
        /// Another model than for the request before.
        ModelSwitch = "model switch",
        /// The entry was older than its lifetime.
        Expired = "expired",
        /// The same, for a provider that states no lifetime.
        ProbablyExpired = "probably expired, the provider states no lifetime",
        /// The provider reports that the tools changed.
        ToolsChanged = "tools_changed",
        /// The provider reports that the system prompt changed.
        SystemChanged = "system_changed",
        /// The provider reports that the messages changed.
        MessagesChanged = "messages_changed",
        /// None of these.
        Unknown = "unknown: the log has no bodies",
    }
}

impl SessionCause {
    /// Says in one sentence how to fix it; `None` if there is nothing to fix.
    #[must_use]
    pub const fn fix(self) -> Option<&'static str> {
        Some(match self {
            Self::ColdStart | Self::SubagentStart => return None,
            Self::Expired | Self::ProbablyExpired => return table::EXPIRED_OFTEN.fix,
            Self::Compaction => "compact less often: a summary begins a new prefix",
            Self::ModelSwitch => "keep the model until the session ends",
            Self::ToolsChanged | Self::SystemChanged | Self::MessagesChanged | Self::Unknown => {
                "record the bodies with aside proxy to see the byte"
            }
        })
    }
}

/// Why a cache missed, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowCause {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The fix in one sentence, if there is one.
    pub fix: Option<&'static str>,
}

impl RowCause {
    /// Uses the cache model's explanation.
    #[must_use]
    pub fn from_miss(miss: &Miss) -> Self {
        let fix = match (miss.cause(), &miss.detail) {
            (Some(cause), _) => cause.fix(),
            (None, Some(MissDetail::Parameter { .. })) => Cause::Parameter.fix(),
            (None, Some(MissDetail::NoMarker | MissDetail::OutsideLookBack { .. })) => {
                Some("set a cache marker at the latest message")
            }
            (None, Some(MissDetail::Expired { .. } | MissDetail::LifetimeUnknown { .. })) => {
                table::EXPIRED_OFTEN.fix
            }
            (None, Some(MissDetail::NotYetReadable)) => table::COLD_FAN_OUT.fix,
            (None, Some(MissDetail::ToolResultsCleared)) => {
                Some("set clear_at_least, so that the API clears seldom and much at a time")
            }
            (None, _) => None,
        };
        Self { name: miss_cause(miss).into(), fix }
    }
}

impl From<SessionCause> for RowCause {
    fn from(cause: SessionCause) -> Self {
        Self { name: cause.as_str().into(), fix: cause.fix() }
    }
}

impl Serialize for RowCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

/// Names why a cache missed: a changed parameter, else the difference's cause, else the model's
/// detail, else the reason in the API's words.
#[must_use]
pub fn miss_cause(miss: &Miss) -> String {
    match (miss.cause(), &miss.detail) {
        (_, Some(MissDetail::Parameter { name })) => format!("parameter {name}"),
        (Some(cause), _) => cause.to_string(),
        (None, Some(MissDetail::Expired { .. })) => SessionCause::Expired.to_string(),
        (None, Some(MissDetail::LifetimeUnknown { .. })) => {
            SessionCause::ProbablyExpired.to_string()
        }
        (None, Some(MissDetail::OutsideLookBack { .. })) => "outside look-back".to_owned(),
        (None, Some(MissDetail::NotYetReadable)) => "not yet readable".to_owned(),
        (None, Some(MissDetail::NoMarker)) => "no marker".to_owned(),
        (None, Some(MissDetail::ThinkingRemoved)) => "thinking removed by the model".to_owned(),
        (None, Some(MissDetail::ToolResultsCleared)) => {
            "tool results cleared by the API".to_owned()
        }
        (None, Some(MissDetail::Unexplained)) => "unknown: its entry was alive".to_owned(),
        (None, _) => miss.reason.as_str().to_owned(),
    }
}
