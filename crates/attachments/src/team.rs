use std::fmt::Write as _;

use aside_messages::{folded, one_line};
use serde::{Deserialize, Serialize};

use crate::tasks::Task;

/// The team that the model works in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TeamContext {
    /// The team's name.
    pub team: String,
    /// Who is in the team.
    pub members: Vec<TeamMember>,
    /// The team's tasks.
    #[serde(default)]
    pub tasks: Vec<Task>,
}

/// Someone in a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TeamMember {
    /// The name to address it by.
    pub name: String,
    /// Its role in the team.
    #[serde(default)]
    pub role: Option<String>,
}

impl TeamContext {
    pub(crate) fn into_draft(self) -> String {
        let team = one_line(&self.team);
        let mut body = format!("You are working in the team \"{team}\".");
        if !self.members.is_empty() {
            body.push_str("\n\nIts members:");
            for member in &self.members {
                // Writing to a string cannot fail.
                let _ = write!(body, "\n- {}", one_line(&member.name));
                if let Some(role) = &member.role {
                    let _ = write!(body, ": {}", folded(role));
                }
            }
        }
        if !self.tasks.is_empty() {
            body.push_str("\n\nIts tasks:");
            for task in &self.tasks {
                let _ = write!(body, "\n{}", task.line());
            }
        }
        body.push_str(
            "\n\nWork on one task at a time, report when you start it and when it is done, and do not \
             take tasks that others have started.",
        );
        body
    }
}
