//! Notes about the context window.

use serde::{Deserialize, Serialize};

/// A hint that old messages can be snipped. Use it in sessions with a snip
/// tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextEfficiency {}

/// A note that the conversation is compacted before the context is full. Use it
/// in sessions with automatic compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactionReminder {}

impl ContextEfficiency {
    pub(crate) fn into_draft(self) -> &'static str {
        "The conversation has grown. If you do not need some earlier messages any more, remove \
             them with the Snip tool, by the [id:…] at their end. Keep what the user asked for, \
             what was decided, and what would be costly to find out again."
    }
}

impl CompactionReminder {
    pub(crate) fn into_draft(self) -> &'static str {
        "Automatic compaction is on: before the context is full, the earlier part of the \
             conversation is replaced by a summary, and the work continues. The context will not \
             run out, so do not hurry, stop early or leave out steps to save room."
    }
}
