//! Prefix changes, and their reasons.

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

aside_text::names! {
    /// Why a request does not continue the preceding one's bytes.
    ///
    /// After a reset the provider's prompt cache finds nothing of the conversation,
    /// and a model that binds its thinking to the prefix loses that thinking.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum PrefixReset {
        /// The conversation does not continue the one lowered last.
        Forked = "forked" => "another conversation",
        /// Entries that were sent have been changed, removed or inserted.
        Edited = "edited" => "an edited history",
        /// A boundary was appended: entries before it are no longer sent.
        Boundary = "boundary" => "a boundary",
        /// An entry that was sent has been snipped.
        Snip = "snip" => "a snip",
        /// The request would hold more images and documents than it may.
        MediaLimit = "media_limit" => "too many images and documents",
        /// The options changed.
        Options = "options" => "other options",
        /// Tools were added or removed in place, or a tool that results refer to.
        Tools = "tools" => "other tools",
        /// The system prompt changed.
        Prompt = "prompt" => "another system prompt",
        /// The model, or the platform that serves it, changed.
        Model = "model" => "another model or platform",
        /// The caller's cache breaker changed.
        CacheBreaker = "cache_breaker" => "another cache breaker",
        /// The session delivers reminders and tools in another form.
        Delivery = "delivery" => "another form of delivery",
        /// The prefix under which the thinking was produced is not recorded: the
        /// conversation was imported or written by an older version.
        Unrecorded = "unrecorded" => "no record of the prefix",
        /// The API refused the thinking.
        Refused = "refused" => "thinking that the API refused",
        /// A reason that this version does not know.
        Unknown = "unknown" => "a reason that this version does not know",
    }
}

impl PrefixReset {
    /// Returns the reason with this name, [`PrefixReset::Unknown`] for any
    /// other.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        name.parse().unwrap_or(Self::Unknown)
    }

    /// Returns true if the tools are written again with the change, so that
    /// earlier tool changes are not sent any more.
    #[must_use]
    pub fn rewrites_tools(self) -> bool {
        matches!(self, Self::Tools | Self::Model | Self::Delivery)
    }
}
