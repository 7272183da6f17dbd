use aside_attachments::cadence::PlanState;
use aside_attachments::{Attachment, PlanFileReference};
use serde::{Deserialize, Serialize};

/// Whether plan mode is on, and the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Whether plan mode is on.
    pub is_on: bool,
    /// The plan's file.
    pub file: String,
    /// The plan, if that file exists.
    #[serde(default)]
    pub content: Option<String>,
}

impl Plan {
    pub(crate) fn state(&self) -> PlanState {
        PlanState {
            is_on: self.is_on,
            file: Some(self.file.clone()),
            exists: self.content.is_some(),
        }
    }

    /// Returns the plan, to be delivered again.
    pub(crate) fn reference(&self) -> Option<Attachment> {
        let content = self.content.clone()?;
        let path = self.file.clone();
        Some(Attachment::PlanFileReference(PlanFileReference { path, content }))
    }
}
