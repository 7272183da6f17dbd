use aside_messages::one_line;
use serde::{Deserialize, Serialize};

/// An agent that the user mentioned in a prompt: `@agent-reviewer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentMention {
    /// The agent's type, without `agent-`.
    pub agent_type: String,
}

impl AgentMention {
    pub(crate) fn into_draft(self) -> String {
        let agent_type = one_line(&self.agent_type);
        format!(
            "The user has expressed a desire to invoke the agent \"{agent_type}\". Start it with \
             the tool for agents, and give it everything that it needs for its task: it does not \
             see this conversation."
        )
    }
}
