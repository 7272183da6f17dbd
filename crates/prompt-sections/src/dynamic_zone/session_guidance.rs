use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::outside_text::line;
use crate::segment::Lifetime;

/// The conditions of a session: the input of the `session_guidance` section.
///
/// It follows the boundary because each of these conditions would double the
/// number of distinct static zones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionGuidance {
    /// Whether the user is present to answer.
    pub attendance: Attendance,
    /// Tools that the static zone mentions and that this session does not have.
    pub missing_tools: Vec<String>,
    /// The tool that asks the user a question, if there is one.
    pub question_tool: Option<String>,
    /// The tool that starts a sub-agent, if there is one.
    pub sub_agent_tool: Option<String>,
    /// The tool that loads a skill, if there is one.
    pub skill_tool: Option<String>,
}

/// Whether the user is present to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    /// The user follows the session and can answer questions.
    Attended,
    /// No user answers before the work is done, as in CI.
    Unattended,
}

impl DynamicSection for SessionGuidance {
    const NAME: &'static str = names::SESSION_GUIDANCE;
    const LIFETIME: Lifetime = Lifetime::Session;

    fn render(&self) -> Option<String> {
        let lines: Vec<String> = [
            self.attendance(),
            self.missing_tools(),
            self.sub_agents(),
            self.skills(),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!lines.is_empty()).then(|| format!("# Session guidance\n- {}", lines.join("\n- ")))
    }
}

impl SessionGuidance {
    fn attendance(&self) -> Option<String> {
        match (self.attendance, &self.question_tool) {
            (Attendance::Unattended, _) => Some("Nobody can answer you during this session. Where you would ask, choose what is most easily undone, go on, and say at the end what you assumed. What needs the user's permission stays undone.".to_owned()),
            (Attendance::Attended, Some(tool)) => Some(format!(
                "Put questions to the user with `{}`, together with the answers you can think of.",
                line(tool)
            )),
            (Attendance::Attended, None) => None,
        }
    }

    fn missing_tools(&self) -> Option<String> {
        let tools: Vec<_> = self.missing_tools.iter().map(|tool| line(tool)).collect();
        (!tools.is_empty()).then(|| {
            format!(
                "Not available in this session: {}. Do without.",
                tools.join(", ")
            )
        })
    }

    fn sub_agents(&self) -> Option<String> {
        let tool = line(self.sub_agent_tool.as_deref()?);
        Some(format!(
            "`{tool}` hands a task to a helper with a context of its own. It pays for work that is wide or that stands by itself: a search through many files, a review, parts that can be done at the same time. The helper sees nothing of this conversation, so tell it everything it needs and what to report. Do small things yourself, and do not do again what you have handed over."
        ))
    }

    fn skills(&self) -> Option<String> {
        let tool = line(self.skill_tool.as_deref()?);
        Some(format!(
            "`{tool}` loads a skill: instructions written for one kind of task. When a skill that was announced to you fits the request, load it before you begin. `/name` in the user's message asks for the skill of that name."
        ))
    }
}
