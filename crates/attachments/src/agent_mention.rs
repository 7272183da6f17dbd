use aside_messages::one_line;
use serde::{Deserialize, Serialize};

/// An agent that the user mentioned in a prompt: `@agent-reviewer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentMention {
    /// The agent's type, without `agent-`.
    pub agent_type: String,
    /// The path to its definition. Set it when no tool starts this agent, for the model to read the
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl AgentMention {
    pub(crate) fn into_draft(self) -> String {
        let agent_type = one_line(&self.agent_type);
        let how = match &self.path {
            None => "Start it with the tool for agents, and give it everything that it needs for \
                     its task: it does not see this conversation."
                .to_owned(),
            Some(path) => format!(
                "No tool starts it: read its instructions in {} and follow them yourself.",
                one_line(path)
            ),
        };
        format!("The user has expressed a desire to invoke the agent \"{agent_type}\". {how}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_tool_the_model_reads_the_file() {
        let path = Some(".claude/agents/a\nb.md".to_owned());
        let mention = AgentMention { agent_type: "rev".to_owned(), path };
        assert_eq!(
            mention.into_draft(),
            "The user has expressed a desire to invoke the agent \"rev\". No tool starts it: read its instructions in .claude/agents/a\\nb.md and follow them yourself."
        );
    }
}
