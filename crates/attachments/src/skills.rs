//! Skills: available, invoked and suggested.

mod invoked;
mod listing;

pub use invoked::{InvokedSkill, InvokedSkills};
pub use listing::SkillListing;

use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

/// An available skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// The name by which the Skill tool invokes it.
    pub name: String,
    /// Its purpose, for the model.
    pub description: String,
    /// The path to its `SKILL.md`. Set it when no Skill tool is offered, for the model to read the
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Skills that may fit the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SkillDiscovery {
    /// The skills, best match first.
    pub skills: Vec<Skill>,
}

impl SkillDiscovery {
    pub(crate) fn into_draft(self) -> Option<String> {
        let mut body = "These skills may fit what you are doing. If one does, call the Skill tool \
                        with its name before you continue."
            .to_owned();
        for Skill { name, description, .. } in &self.skills {
            body.push_str(&format!("\n- {}: {}", one_line(name), folded(description)));
        }
        (!self.skills.is_empty()).then_some(body)
    }
}
