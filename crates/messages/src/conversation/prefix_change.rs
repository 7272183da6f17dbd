//! Prefix changes, and their reasons.

use std::fmt;

use super::entry_id::EntryId;

/// A change in a request's prefix, recorded with the first request after it.
///
/// A model that binds its thinking to the prefix cannot read thinking that it
/// produced under another prefix: the API refuses it. So thinking in the
/// entries from [`PrefixChange::from`] up to this entry is not sent any more.
/// It stays left out even if the prefix changes back, because thinking produced
/// meanwhile is bound to a conversation without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixChange {
    /// Why the prefix changed.
    pub reason: PrefixReset,
    /// The first entry whose thinking is lost.
    pub from: ChangeStart,
    /// How many images and documents are replaced by text from this change on,
    /// if there were too many.
    pub replaced_media: Option<u64>,
    /// How many thinking blocks this change loses.
    ///
    /// For reports to the user; lowering does not read it.
    pub lost_thinking: u64,
}

/// The first entry that a [`PrefixChange`] concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStart {
    /// The start of the conversation.
    Start,
    /// This entry.
    Entry(EntryId),
}

impl PrefixChange {
    /// Creates a change that concerns the whole conversation.
    #[must_use]
    pub fn from_start(reason: PrefixReset) -> Self {
        Self { reason, from: ChangeStart::Start, replaced_media: None, lost_thinking: 0 }
    }
}

/// Why a request does not continue the preceding one's bytes.
///
/// After a reset the provider's prompt cache finds nothing of the conversation,
/// and a model that binds its thinking to the prefix loses that thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrefixReset {
    /// The conversation does not continue the one lowered last.
    Forked,
    /// Entries that were sent have been changed, removed or inserted.
    Edited,
    /// A boundary was appended: entries before it are no longer sent.
    Boundary,
    /// An entry that was sent has been snipped.
    Snip,
    /// The request would hold more images and documents than it may.
    MediaLimit,
    /// The options changed.
    Options,
    /// Tools were added or removed in place, or a tool that results refer to.
    Tools,
    /// The system prompt changed.
    Prompt,
    /// The model, or the platform that serves it, changed.
    Model,
    /// The caller's cache breaker changed.
    CacheBreaker,
    /// The session delivers reminders and tools in another form.
    Delivery,
    /// The prefix under which the thinking was produced is not recorded: the
    /// conversation was imported or written by an older version.
    Unrecorded,
    /// The API refused the thinking.
    Refused,
    /// A reason that this version does not know.
    Unknown,
}

impl PrefixReset {
    /// The reasons that this version knows.
    pub const ALL: [Self; 13] = [
        Self::Forked,
        Self::Edited,
        Self::Boundary,
        Self::Snip,
        Self::MediaLimit,
        Self::Options,
        Self::Tools,
        Self::Prompt,
        Self::Model,
        Self::CacheBreaker,
        Self::Delivery,
        Self::Unrecorded,
        Self::Refused,
    ];

    /// Returns the name used in files, such as `media_limit`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forked => "forked",
            Self::Edited => "edited",
            Self::Boundary => "boundary",
            Self::Snip => "snip",
            Self::MediaLimit => "media_limit",
            Self::Options => "options",
            Self::Tools => "tools",
            Self::Prompt => "prompt",
            Self::Model => "model",
            Self::CacheBreaker => "cache_breaker",
            Self::Delivery => "delivery",
            Self::Unrecorded => "unrecorded",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the reason with this name, [`PrefixReset::Unknown`] for any
    /// other.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        let known = Self::ALL.into_iter().find(|reason| reason.name() == name);
        known.unwrap_or(Self::Unknown)
    }

    /// Returns true if the tools are written again with the change, so that
    /// earlier tool changes are not sent any more.
    #[must_use]
    pub fn rewrites_tools(self) -> bool {
        matches!(self, Self::Tools | Self::Model | Self::Delivery)
    }
}

impl fmt::Display for PrefixReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forked => "another conversation",
            Self::Edited => "an edited history",
            Self::Boundary => "a boundary",
            Self::Snip => "a snip",
            Self::MediaLimit => "too many images and documents",
            Self::Options => "other options",
            Self::Tools => "other tools",
            Self::Prompt => "another system prompt",
            Self::Model => "another model or platform",
            Self::CacheBreaker => "another cache breaker",
            Self::Delivery => "another form of delivery",
            Self::Unrecorded => "no record of the prefix",
            Self::Refused => "thinking that the API refused",
            Self::Unknown => "a reason that this version does not know",
        })
    }
}
