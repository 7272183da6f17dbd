//! Users' texts to replace the system prompt or extend it, and a resumed
//! session's recorded ones.

use aside_cache_split::Layout;
use aside_prompt_sections::{
    AgentMode, AgentPrompt, AppendAt, Effective, EffectiveInputs, OutsideText, Product,
    SystemPrompt, coordinator_prompt, effective,
};
use serde::{Deserialize, Serialize};

/// Texts to replace the default system prompt or to append. Blank texts count
/// as missing.
///
/// The user who starts the session provides these texts, so they are not
/// neutralized: a prompt may explain the tag `<system-reminder>`. The agent
/// definition is an exception, since its file may be part of a repository.
///
/// ```
/// use aside_session::PromptOptions;
///
/// let options = PromptOptions {
///     append: Some("Answer in rhymes.".to_owned()),
///     ..PromptOptions::default()
/// };
/// assert!(options.custom.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PromptOptions {
    /// The whole prompt: it replaces everything else, even the identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_prompt: Option<String>,
    /// Coordinator mode, in which the model delegates all work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinator: Option<Coordinator>,
    /// The main thread's agent definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentDefinition>,
    /// A text to replace the default sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
    /// A text for the prompt's end. It is not used with an override.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
}

/// Coordinator mode, in which the model delegates all work to workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordinator {
    /// The name of the tool that starts a worker.
    pub worker_tool: String,
}

impl Default for Coordinator {
    fn default() -> Self {
        Self { worker_tool: "Agent".to_owned() }
    }
}

/// What an agent's definition says about the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentDefinition {
    /// Its name.
    pub name: String,
    /// Its prompt's text, which may come with a repository.
    pub prompt: OutsideText,
    /// Whether its text replaces the default prompt or extends it.
    pub mode: AgentMode,
}

impl PromptOptions {
    /// Fills in a resumed session's options from the recorded ones: a missing
    /// prompt or appended text keeps its recorded value. Returns the
    /// command-line arguments that change the prompt.
    pub(crate) fn resume(&mut self, recorded: &Self) -> Vec<&'static str> {
        let mut changed = Vec::new();
        let given = self.replacing();
        if given.is_empty() {
            let append = self.append.take();
            *self = Self { append, ..recorded.clone() };
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

    /// Returns true if a resumed session keeps its recorded prompt, except for
    /// an appended text.
    #[must_use]
    pub fn keeps_recorded(&self) -> bool {
        self.replacing().is_empty()
    }

    /// Returns the command-line arguments that replace the default prompt.
    fn replacing(&self) -> Vec<&'static str> {
        let given = [
            ("--override-system-prompt", self.override_prompt.is_some()),
            ("--coordinator", self.coordinator.is_some()),
            ("--agent", self.agent.is_some()),
            ("--system-prompt", self.custom.is_some()),
        ]
        .into_iter()
        .filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    fn without_append(&self) -> Self {
        Self { append: None, ..self.clone() }
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

    /// Applies the order of precedence to these options and the default prompt.
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
        let agent =
            self.agent.as_ref().map(|agent| AgentPrompt { text: &agent.prompt, mode: agent.mode });
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
