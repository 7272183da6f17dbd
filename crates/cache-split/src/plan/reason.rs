use std::fmt;

use super::MARKER_LIMIT;

/// What a marker is for, in order of worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The caller put it there.
    Caller,
    /// The end of what every session of a product shares.
    StaticEnd,
    /// The end of what every session of a project shares.
    ProjectEnd,
    /// The end of what stands before the messages, where its layers are not
    /// known or stand in one block.
    PrefixEnd,
    /// The last block that will be there again in the next request.
    LastStable,
    /// The end of the previous user message, which is in the cache already: it
    /// finds the prefix where one look back from the end is too short.
    Anchor,
    /// The identity prefix of the classic layout.
    Identity,
}

/// Why a place is not marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// It will be different, or gone, in the next request.
    Volatile,
    /// Something volatile stands before it.
    BehindVolatile,
    /// It can bear no marker: thinking, empty text, a deferred tool, a block
    /// that the API does not know.
    Unmarkable,
    /// It has a marker already, for this reason.
    Taken(Reason),
    /// All markers are used up by what is worth more.
    NoneLeft,
    /// The automatic marker of the request stands there.
    Automatic,
    /// No request continues this one.
    OneShot,
    /// Prompt caching is off.
    Off,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Caller => "the caller's own",
            Self::StaticEnd => "the end of what every session of the product shares",
            Self::ProjectEnd => "the end of what every session of the project shares",
            Self::PrefixEnd => "the end of what stands before the messages",
            Self::LastStable => "the last block that the next request has too",
            Self::Anchor => "the end of the previous user message, found again from further away",
            Self::Identity => "the identity prefix",
        })
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Volatile => f.write_str("it will be different in the next request"),
            Self::BehindVolatile => f.write_str("it stands behind what will be different"),
            Self::Unmarkable => f.write_str("it can bear no marker"),
            Self::Taken(reason) => write!(f, "it is marked already: {reason}"),
            Self::NoneLeft => write!(
                f,
                "all {MARKER_LIMIT} markers are used for what is worth more"
            ),
            Self::Automatic => f.write_str("the automatic marker stands there"),
            Self::OneShot => f.write_str("no request continues this one"),
            Self::Off => f.write_str("prompt caching is off"),
        }
    }
}
