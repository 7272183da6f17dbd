//! The names of the rules, with the fix that each recommends.

use std::fmt;

use serde::Serialize;

/// A fault in the use of the cache by a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LintRule {
    /// A request that is continued has no marker near its end.
    NoTailMarker,
    /// The last marker is on a block that the next request does not have.
    MarkerOnVolatile,
    /// More than four markers; the API refuses them.
    OverFour,
    /// A marker of one hour after one of five minutes; the API refuses it.
    TtlOrder,
    /// A marker on a thinking block; the API refuses it.
    MarkerOnThinking,
    /// The entry exists, more than 20 positions before the marker.
    LookBackGap,
    /// The prefix of the last marker is too short to be cached.
    BelowMinimum,
    /// A block that sessions share is after one that differs.
    SharedAfterSession,
    /// The same tools in another order.
    ToolsReordered,
    /// A prefix that was cached has changed.
    PrefixChanged,
    /// A request that nothing continues writes its messages.
    OneShotWritesTail,
    /// A request was sent before the response that would have let it read.
    ColdFanOut,
    /// An entry of one hour that five minutes would have served.
    HourNeverRead,
    /// Entries were too old three times or more.
    ExpiredOften,
    /// Thinking after a prefix that changed.
    ThinkingBoundPrefixChanged,
    /// A long prefix is sent again, and nothing is marked.
    CacheableButUnmarked,
}

impl LintRule {
    /// Every rule.
    pub const ALL: [Self; 16] = [
        Self::NoTailMarker,
        Self::MarkerOnVolatile,
        Self::OverFour,
        Self::TtlOrder,
        Self::MarkerOnThinking,
        Self::LookBackGap,
        Self::BelowMinimum,
        Self::SharedAfterSession,
        Self::ToolsReordered,
        Self::PrefixChanged,
        Self::OneShotWritesTail,
        Self::ColdFanOut,
        Self::HourNeverRead,
        Self::ExpiredOften,
        Self::ThinkingBoundPrefixChanged,
        Self::CacheableButUnmarked,
    ];

    /// Returns its id.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::NoTailMarker => "no-tail-marker",
            Self::MarkerOnVolatile => "marker-on-volatile",
            Self::OverFour => "over-four",
            Self::TtlOrder => "ttl-order",
            Self::MarkerOnThinking => "marker-on-thinking",
            Self::LookBackGap => "look-back-gap",
            Self::BelowMinimum => "below-minimum",
            Self::SharedAfterSession => "shared-after-session",
            Self::ToolsReordered => "tools-reordered",
            Self::PrefixChanged => "prefix-changed",
            Self::OneShotWritesTail => "one-shot-writes-tail",
            Self::ColdFanOut => "cold-fan-out",
            Self::HourNeverRead => "hour-never-read",
            Self::ExpiredOften => "expired-often",
            Self::ThinkingBoundPrefixChanged => "thinking-bound-prefix-changed",
            Self::CacheableButUnmarked => "cacheable-but-unmarked",
        }
    }

    /// Finds a rule by its id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.id() == id)
    }

    /// Returns the fix.
    #[must_use]
    pub const fn fix(self) -> &'static str {
        match self {
            Self::NoTailMarker => "put a marker on the last block of the last message",
            Self::MarkerOnVolatile => {
                "put the marker before the block that changes, on the last one that stays"
            }
            Self::OverFour => {
                "keep four markers: the end of the shared prefix, and the end of the conversation"
            }
            Self::TtlOrder => "put the markers of one hour before those of five minutes",
            Self::MarkerOnThinking => "mark the block before or after the thinking",
            Self::LookBackGap => "keep a marker at the end of the previous request too",
            Self::BelowMinimum => "mark a longer prefix, or none",
            Self::SharedAfterSession => "move what sessions share before what differs between them",
            Self::ToolsReordered => "sort the tools by name",
            Self::PrefixChanged => "send the prefix as it was, and append what is new",
            Self::OneShotWritesTail => "do not mark messages of one-shot requests",
            Self::ColdFanOut => "wait for the first response before sending the others",
            Self::HourNeverRead => "use the lifetime of five minutes",
            Self::ExpiredOften => "use the lifetime of one hour, or warm the cache",
            Self::ThinkingBoundPrefixChanged => {
                "leave tools, system prompt and earlier messages as they were sent"
            }
            Self::CacheableButUnmarked => {
                "put markers at the end of the system prompt and of the conversation"
            }
        }
    }
}

impl fmt::Display for LintRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
