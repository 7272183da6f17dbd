//! Which features in messages need a beta header, as a set collected while
//! encoding.

use crate::wire::{ClearAt, ContentBlock, Message, Other, Role};

/// Features in messages that need a beta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features(u8);

/// A turn-scoped message.
pub(super) const CLEAR_AT: Features = Features(1);
/// A `tool_addition` or a `tool_removal`.
pub(super) const TOOL_CHANGES: Features = Features(2);
/// A message's `output_config`.
pub(super) const OUTPUT_CONFIG: Features = Features(4);
/// A signed compaction block at the start of a response.
pub(super) const COMPACTION: Features = Features(8);
/// A response that another model completed.
pub(super) const FALLBACK: Features = Features(16);
/// A compaction block without signature at the start of a response.
pub(super) const THRESHOLD_COMPACTION: Features = Features(32);

impl Features {
    /// Returns one message's features.
    ///
    /// Only the first block can be a compaction, and only system messages
    /// change tools.
    pub(super) fn of(message: &Message) -> Self {
        let mut features = Self::default();
        match &message.role {
            Role::System => {
                if message.clear_at == Some(ClearAt::NextUserMessage) {
                    features = features.and(CLEAR_AT);
                }
                if message.output_config.is_some() {
                    features = features.and(OUTPUT_CONFIG);
                }
                let mut kinds = message.content.iter().map(ContentBlock::kind);
                if kinds.any(|kind| matches!(kind, "tool_addition" | "tool_removal")) {
                    features = features.and(TOOL_CHANGES);
                }
            }
            Role::Assistant => {
                let first = message.content.first().and_then(ContentBlock::as_other);
                if let Some(summary) = first.and_then(Other::compaction) {
                    let feature = if summary.is_signed { COMPACTION } else { THRESHOLD_COMPACTION };
                    features = features.and(feature);
                }
                let mut kinds = message.content.iter().map(ContentBlock::kind);
                if kinds.any(|kind| kind == "fallback") {
                    features = features.and(FALLBACK);
                }
            }
            Role::User | Role::Other(_) => {}
        }
        features
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, feature: Self) -> bool {
        self.0 & feature.0 != 0
    }
}
