use std::fmt;

use serde::Serialize;

use super::MARKER_LIMIT;

aside_text::names! {
    /// What a marker is for, most valuable first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Reason {
        /// You set it yourself.
        Caller = "set by the caller",
        /// Ends the layer that all sessions of a product share.
        StaticEnd = "end of the layer shared by all sessions of the product",
        /// Ends the layer that all sessions in a project share.
        ProjectEnd = "end of the layer shared by all sessions of the project",
        /// Ends the layer that all of a user's sessions in a project share.
        UserEnd = "end of the layer shared by all sessions of the user in the project",
        /// Ends the session's context, in a one-shot request: concurrent ones share
        /// it.
        SessionEnd = "end of the session's context, shared by one-shot requests",
        /// Ends the prefix before the messages, when its layers are unknown or in
        /// one block.
        PrefixEnd = "end of the prefix before the messages",
        /// The last block that the next request will contain unchanged.
        LastStable = "last block that the next request contains unchanged",
        /// The block after the previous request's end, in a checkpoint. Its entry
        /// keeps everything before it for an hour.
        Checkpoint = "checkpoint, after the end of the previous request",
        /// The end of the previous user message, which is already in the cache. It
        /// finds the prefix when the lookback from the end is too short.
        Anchor = "end of the previous user message, where the previous request wrote",
        /// Where the last checkpoint was, on a turn's first request: the entry
        /// there is alive after a pause.
        LastCheckpoint = "last checkpoint, for the case of a pause",
        /// The classic layout's identity block.
        Identity = "identity block",
        /// The last tool, on a session's first request: if tools arrive later,
        /// those before them are found.
        LastTool = "last tool, for tools that arrive later",
    }
}

impl Reason {
    /// Returns the order to give up markers in when the caller's leave too few
    /// places: highest first.
    pub(super) fn give_up_order(self) -> u8 {
        match self {
            Self::Caller => 0,
            Self::LastStable => 1,
            Self::Anchor | Self::LastCheckpoint => 2,
            Self::Checkpoint => 3,
            Self::ProjectEnd => 4,
            Self::PrefixEnd => 5,
            Self::UserEnd => 6,
            Self::StaticEnd => 7,
            Self::SessionEnd => 8,
            Self::LastTool => 9,
            Self::Identity => 10,
        }
    }
}

/// Why a place has no marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RejectReason {
    /// The next request will not contain this block unchanged.
    Volatile,
    /// A volatile block comes before it.
    AfterVolatile,
    /// The block cannot have a marker: thinking, empty text, a deferred tool or
    /// an unknown type.
    Unmarkable,
    /// The place already has a marker, for this purpose.
    AlreadyMarked(Reason),
    /// More valuable markers use up the limit.
    LimitReached,
    /// The marker is at the end of the user's layer instead, if there is one.
    Moved,
    /// The request's automatic marker marks this block.
    Automatic,
    /// No request continues this one.
    OneShot,
    /// Prompt caching is off.
    CachingOff,
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Volatile => f.write_str("the next request does not contain it unchanged"),
            Self::AfterVolatile => f.write_str("a volatile block comes before it"),
            Self::Unmarkable => f.write_str("the block cannot have a marker"),
            Self::AlreadyMarked(reason) => write!(f, "no second marker: {reason}"),
            Self::LimitReached => {
                write!(f, "all {MARKER_LIMIT} markers are used at more valuable places")
            }
            Self::Moved => f.write_str("it is at the end of the user's layer instead"),
            Self::Automatic => f.write_str("the automatic marker marks it"),
            Self::OneShot => f.write_str("no request continues this one"),
            Self::CachingOff => f.write_str("prompt caching is off"),
        }
    }
}
