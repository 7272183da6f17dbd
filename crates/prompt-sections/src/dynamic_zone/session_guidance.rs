//! The section about what is special in a session, one line for each condition
//! that applies.

use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::outside_text::line;
use crate::segment::Lifetime;

/// What is special about a session: the input to the `session_guidance`
/// section.
///
/// It follows the boundary because each condition would double the number of
/// distinct static zones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionGuidance {
    /// Whether the user is present to answer.
    pub attendance: Attendance,
    /// Whether the program replaces a conversation that outgrows the context
    /// window by a summary.
    pub compaction: bool,
    /// Tools that the static zone mentions and this session lacks.
    pub missing_tools: Vec<String>,
    /// The tool to ask the user a question, if there is one.
    pub question_tool: Option<String>,
    /// The tool to start a sub-agent, if there is one.
    pub sub_agent_tool: Option<String>,
    /// The tool to load a skill, if there is one.
    pub skill_tool: Option<String>,
}

/// Whether the user is present to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    /// The user follows the session and can answer questions.
    Attended,
    /// No user answers before the work is done, for example in CI.
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
            self.compaction(),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!lines.is_empty()).then(|| format!("# Session guidance\n- {}", lines.join("\n- ")))
    }
}

impl SessionGuidance {
    /// For an absent user, or for the tool that asks questions.
    fn attendance(&self) -> Option<String> {
        match (self.attendance, &self.question_tool) {
            (Attendance::Unattended, _) => Some("Nobody can answer you during this session. If you would ask, choose what is most easily undone, continue, and say at the end what you assumed. Do not do what needs the user's permission.".to_owned()),
            (Attendance::Attended, Some(tool)) => Some(format!(
                "Ask the user questions with `{}`, and offer the likely answers.",
                line(tool)
            )),
            (Attendance::Attended, None) => None,
        }
    }

    fn compaction(&self) -> Option<String> {
        self.compaction.then(|| "When this conversation outgrows the context window, it continues from a summary of itself. Do not cut work short to save room. State what you will need much later, such as a decision, a path or a measured number, in your own words.".to_owned())
    }

    /// Lists the tools that the static zone names and the session lacks.
    fn missing_tools(&self) -> Option<String> {
        let tools: Vec<_> = self.missing_tools.iter().map(|tool| line(tool)).collect();
        (!tools.is_empty()).then(|| {
            format!("Not available in this session: {}. Work without them.", tools.join(", "))
        })
    }

    fn sub_agents(&self) -> Option<String> {
        let tool = line(self.sub_agent_tool.as_deref()?);
        Some(format!(
            "`{tool}` gives a task to a sub-agent with a context of its own. Use it for broad or independent work: a search through many files, a review, parts that can be done at the same time. The sub-agent sees nothing of this conversation, so tell it everything it needs and what to report. Do small tasks yourself, and do not repeat work that you have delegated."
        ))
    }

    fn skills(&self) -> Option<String> {
        let tool = line(self.skill_tool.as_deref()?);
        Some(format!(
            "`{tool}` loads a skill: instructions written for one kind of task. When one of the listed skills fits the request, load it before you start. `/name` in the user's message asks for the skill of that name."
        ))
    }
}
