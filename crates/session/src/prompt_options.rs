use aside_cache_split::Layout;
use aside_prompt_sections::{
    AgentMode, AgentPrompt, AppendAt, Effective, EffectiveInputs, OutsideText, Product,
    SystemPrompt, coordinator_prompt, effective,
};
use serde::{Deserialize, Serialize};

/// What is said in the place of the default system prompt, or behind it. Blank
/// texts count as not given.
///
/// These are texts of the user who starts the session, and so are not
/// neutralized: a prompt may explain what `<system-reminder>` is. The agent
/// definition is an exception, as its file may come with a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PromptOptions {
    /// Takes the place of everything else, the identity included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_prompt: Option<String>,
    /// Coordinator mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinator: Option<Coordinator>,
    /// The agent definition of the main thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentDefinition>,
    /// Takes the default's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
    /// Comes last, except with an override.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
}

/// A model that hands all work to workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordinator {
    /// The tool that starts a worker.
    pub worker_tool: String,
}

impl Default for Coordinator {
    fn default() -> Self {
        Self {
            worker_tool: "Agent".to_owned(),
        }
    }
}

/// The definition of an agent, as far as the prompt goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentDefinition {
    /// Its name.
    pub name: String,
    /// The text of its prompt, which may come with a repository.
    pub prompt: OutsideText,
    /// What becomes of the default prompt.
    pub mode: AgentMode,
}

impl PromptOptions {
    /// Completes the options of a resumed session from the recorded ones: a
    /// prompt or an appended text that is not given stays as it was. Returns
    /// the arguments of the command that change the prompt.
    pub(crate) fn resume(&mut self, recorded: &Self) -> Vec<&'static str> {
        let mut changed = Vec::new();
        let given = self.replacing();
        if given.is_empty() {
            let append = self.append.take();
            *self = Self {
                append,
                ..recorded.clone()
            };
        } else if self.without_append() != recorded.without_append() {
            changed.extend(given);
        }
        match &self.append {
            None => self.append.clone_from(&recorded.append),
            Some(text) => {
                let before = recorded.append.as_deref().unwrap_or_default();
                if text.trim() != before.trim() {
                    changed.push("--append-system-prompt");
                }
            }
        }
        changed
    }

    /// Returns the arguments that choose another prompt than the default.
    fn replacing(&self) -> Vec<&'static str> {
        let given = [
            ("--override-system-prompt", self.override_prompt.is_some()),
            ("--coordinator", self.coordinator.is_some()),
            ("--agent", self.agent.is_some()),
            ("--system-prompt", self.custom.is_some()),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    fn without_append(&self) -> Self {
        Self {
            append: None,
            ..self.clone()
        }
    }

    /// Returns true if the default sections are not in the prompt.
    pub(crate) fn replaces_default(&self) -> bool {
        let given = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or_default();
            !text.trim().is_empty()
        };
        let agent = self.agent.as_ref().filter(|it| !it.prompt.is_blank());
        given(&self.override_prompt)
            || self.coordinator.is_some()
            || match agent {
                Some(agent) => agent.mode == AgentMode::Replace,
                None => given(&self.custom),
            }
    }

    /// Chooses between these and the default.
    pub(crate) fn effective(
        &self,
        product: &Product,
        layout: Layout,
        default: &SystemPrompt,
    ) -> Effective {
        let coordinator = self
            .coordinator
            .as_ref()
            .map(|coordinator| coordinator_prompt(product, &coordinator.worker_tool));
        let agent = self.agent.as_ref().map(|agent| AgentPrompt {
            text: &agent.prompt,
            mode: agent.mode,
        });
        effective(EffectiveInputs {
            override_prompt: self.override_prompt.as_deref(),
            coordinator: coordinator.as_deref(),
            agent,
            custom: self.custom.as_deref(),
            append: self.append.as_deref(),
            append_at: match layout {
                Layout::Layered => AppendAt::Boundary,
                Layout::Classic => AppendAt::End,
            },
            default,
        })
    }
}
