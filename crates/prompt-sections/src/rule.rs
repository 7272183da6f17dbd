use std::fmt;

use serde::{Deserialize, Serialize};

/// The rules of [`effective`](crate::effective()), highest priority first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptRule {
    /// The override, alone.
    Override,
    /// The coordinator's prompt.
    Coordinator,
    /// The agent definition's prompt in place of the default.
    Agent,
    /// The default, then the agent definition's prompt.
    ProactiveAgent,
    /// The custom prompt in place of the default.
    Custom,
    /// The registered sections.
    Default,
}

/// An input of [`effective`](crate::effective()).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptInput {
    /// [`EffectiveInputs::coordinator`](crate::EffectiveInputs::coordinator).
    Coordinator,
    /// [`EffectiveInputs::agent`](crate::EffectiveInputs::agent).
    Agent,
    /// [`EffectiveInputs::custom`](crate::EffectiveInputs::custom).
    Custom,
    /// [`EffectiveInputs::append`](crate::EffectiveInputs::append).
    Append,
}

impl fmt::Display for PromptRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Override => "the override",
            Self::Coordinator => "the coordinator's prompt",
            Self::Agent => "the agent definition",
            Self::ProactiveAgent => "the default with the agent definition",
            Self::Custom => "the custom prompt",
            Self::Default => "the default",
        })
    }
}

impl fmt::Display for PromptInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Coordinator => "the coordinator's prompt",
            Self::Agent => "the agent definition",
            Self::Custom => "the custom prompt",
            Self::Append => "the appended text",
        })
    }
}
