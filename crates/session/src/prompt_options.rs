use aside_prompt_sections::{
    AgentMode, AgentPrompt, Effective, EffectiveInputs, OutsideText, Product, SystemPrompt,
    coordinator_prompt, effective,
};

/// What is said in the place of the default system prompt, or behind it. Blank
/// texts count as not given.
///
/// These are texts of the user who starts the session, and so are not
/// neutralized: a prompt may explain what `<system-reminder>` is. The agent
/// definition is an exception, as its file may come with a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptOptions {
    /// Takes the place of everything else, the identity included.
    pub override_prompt: Option<String>,
    /// Coordinator mode.
    pub coordinator: Option<Coordinator>,
    /// The agent definition of the main thread.
    pub agent: Option<AgentDefinition>,
    /// Takes the default's place.
    pub custom: Option<String>,
    /// Comes last, except with an override.
    pub append: Option<String>,
}

/// A model that hands all work to workers.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDefinition {
    /// Its name.
    pub name: String,
    /// The text of its prompt, which may come with a repository.
    pub prompt: OutsideText,
    /// What becomes of the default prompt.
    pub mode: AgentMode,
}

impl PromptOptions {
    /// Chooses between these and the default.
    pub(crate) fn effective(&self, product: &Product, default: &SystemPrompt) -> Effective {
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
            default,
        })
    }
}
