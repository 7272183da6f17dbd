//! Skills: which there are, which were used, which would fit.

mod invoked;
mod listing;

pub use invoked::{INVOKED_SKILL_TOKENS, INVOKED_SKILLS_TOKENS, InvokedSkill, InvokedSkills};
pub use listing::{SKILL_LISTING_CHARACTERS, SkillListing};

use aside_messages::conversation::EntryDraft;
use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use crate::draft::reminder;

/// A skill that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// What the Skill tool calls it.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// Skills that seem to fit what is being done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillDiscovery {
    /// The most fitting first.
    pub skills: Vec<Skill>,
}

impl SkillDiscovery {
    pub(crate) fn entry(self, kind: &str) -> Option<EntryDraft> {
        let mut body = "These skills may fit what you are doing. If one does, call the Skill tool \
                        with its name before you go on."
            .to_owned();
        for Skill { name, description } in &self.skills {
            body.push_str(&format!("\n- {}: {}", one_line(name), folded(description)));
        }
        (!self.skills.is_empty()).then(|| reminder(kind, body))
    }
}
