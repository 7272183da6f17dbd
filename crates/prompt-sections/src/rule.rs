use serde::{Deserialize, Serialize};

aside_text::names! {
    /// How [`effective`](crate::effective()) chooses, highest priority first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PromptRule {
        /// The override, alone.
        Override = "the override",
        /// The coordinator's prompt.
        Coordinator = "the coordinator's prompt",
        /// The agent definition's prompt in place of the default.
        Agent = "the agent definition",
        /// The default, then the agent definition's prompt.
        ProactiveAgent = "the default with the agent definition",
        /// The custom prompt in place of the default.
        Custom = "the custom prompt",
        /// The registered sections.
        Default = "the default",
    }
}

impl PromptRule {
    /// Returns true if the prompt contains the default prompt.
    #[must_use]
    pub fn has_default(self) -> bool {
        matches!(self, Self::ProactiveAgent | Self::Default)
    }
}

aside_text::names! {
    /// An input to [`effective`](crate::effective()).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PromptInput {
        /// [`EffectiveInputs::coordinator`](crate::EffectiveInputs::coordinator).
        Coordinator = "the coordinator's prompt",
        /// [`EffectiveInputs::agent`](crate::EffectiveInputs::agent).
        Agent = "the agent definition",
        /// [`EffectiveInputs::custom`](crate::EffectiveInputs::custom).
        Custom = "the custom prompt",
        /// [`EffectiveInputs::append`](crate::EffectiveInputs::append).
        Append = "the appended text",
    }
}
