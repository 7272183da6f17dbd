use super::body::Body;
use crate::wire::{CacheControl, ClearAt, ContentBlock, Message, Role};

/// The beta of `clear_at`.
pub const CLEAR_AT_BETA: &str = "mid-conversation-system-clear-at-2026-08-21";
/// The beta of tools added and removed by reference.
pub const TOOL_CHANGES_BETA: &str = "mid-conversation-tool-changes-2026-07-01";
/// The beta of settings that a system message changes.
pub const OUTPUT_CONFIG_BETA: &str = "mid-conversation-output-config-2026-07-01";
/// The beta of a compaction on demand, and of every request with its block.
pub const COMPACTION_BETA: &str = "compact-2026-09-04";
/// The beta of `"scope":"global"`.
const GLOBAL_SCOPE_BETA: &str = "prompt-caching-scope-2026-01-05";

/// The features of messages that need a beta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features(u8);

const CLEAR_AT: Features = Features(1);
const TOOL_CHANGES: Features = Features(2);
const OUTPUT_CONFIG: Features = Features(4);
const COMPACTION: Features = Features(8);

impl Features {
    /// Returns the features of one message.
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
                let first = message.content.first();
                if first.is_some_and(|block| block.kind() == "compaction") {
                    features = features.and(COMPACTION);
                }
            }
            Role::User | Role::Other(_) => {}
        }
        features
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, feature: Self) -> bool {
        self.0 & feature.0 != 0
    }
}

impl Body {
    /// Returns the values of the header `anthropic-beta` that the API requires
    /// for these messages and cache markers, in a fixed order. The history is
    /// not searched for them.
    #[must_use]
    pub fn betas(&self) -> Vec<&'static str> {
        let parts = self.parts();
        let tail = parts.tail.iter().map(|message| message.features());
        let features = tail.fold(parts.history.features(), Features::and);
        let is_global = |control: &CacheControl| {
            matches!(control, CacheControl::Ephemeral { global: true, .. })
        };
        let is_global = parts.markers.iter().any(|it| is_global(&it.control));
        let betas = [
            (CLEAR_AT_BETA, features.has(CLEAR_AT)),
            (TOOL_CHANGES_BETA, features.has(TOOL_CHANGES)),
            (OUTPUT_CONFIG_BETA, features.has(OUTPUT_CONFIG)),
            (COMPACTION_BETA, features.has(COMPACTION)),
            (GLOBAL_SCOPE_BETA, is_global),
        ];
        let needed = betas.into_iter().filter(|(_, is_needed)| *is_needed);
        needed.map(|(beta, _)| beta).collect()
    }
}
