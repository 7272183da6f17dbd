use aside_text::REMINDER_TAG;
use serde::{Deserialize, Serialize};

use crate::diagnostic::PromptDiagnostic;
use crate::name::names;
use crate::outside_text::OutsideText;
use crate::prompt::SystemPrompt;
use crate::rule::{PromptInput, PromptRule};
use crate::segment::{Lifetime, Segment, StaticBoundary, Zone};

/// The texts for [`effective`] to choose from. Blank ones count as not given.
///
/// A new field is a breaking change.
#[derive(Clone, Copy, Debug)]
pub struct EffectiveInputs<'a> {
    /// Replaces everything else.
    pub override_prompt: Option<&'a str>,
    /// The coordinator's prompt, in coordinator mode.
    pub coordinator: Option<&'a str>,
    /// The main thread's agent definition.
    pub agent: Option<AgentPrompt<'a>>,
    /// Replaces the default (`--system-prompt`).
    pub custom: Option<&'a str>,
    /// Is appended (`--append-system-prompt`).
    pub append: Option<&'a str>,
    /// Where to append it.
    pub append_at: AppendAt,
    /// The prompt with the registered sections.
    pub default: &'a SystemPrompt,
}

impl<'a> EffectiveInputs<'a> {
    /// Creates inputs with the default prompt only.
    pub fn new(default: &'a SystemPrompt) -> Self {
        Self {
            override_prompt: None,
            coordinator: None,
            agent: None,
            custom: None,
            append: None,
            append_at: AppendAt::default(),
            default,
        }
    }
}

/// Where to put text that is appended to a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AppendAt {
    /// At the end.
    #[default]
    End,
    /// After the static zone, as the first part that a project's sessions share; at the end if the
    /// prompt has no boundary.
    Boundary,
}

/// An agent definition's prompt, and what it does to the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPrompt<'a> {
    /// The definition's text, which may come from a repository.
    pub text: &'a OutsideText,
    /// What it does to the default prompt.
    pub mode: AgentMode,
}

/// What an agent definition's prompt does to the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentMode {
    /// Replaces the default.
    Replace,
    /// Is appended to it, as in proactive mode.
    Proactive,
}

/// What [`effective`] chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The prompt.
    pub prompt: SystemPrompt,
    /// The rule that applied.
    pub rule: PromptRule,
    /// Inputs left unused, and a missing explanation of reminders.
    pub diagnostics: Vec<PromptDiagnostic>,
}

/// Chooses the prompt: override, coordinator, agent definition, custom text or the default, in this
/// order. The appended text goes to its place, except with an override.
///
/// A text that replaces the default is a prompt without boundary, since it is not known which part of
/// it is shared.
///
/// ```
/// use aside_prompt_sections::{EffectiveInputs, PromptRule, SystemPrompt, effective};
///
/// let default = SystemPrompt::builder().fixed("role", "You review code.").build()?;
/// let mut inputs = EffectiveInputs::new(&default);
/// inputs.custom = Some("You write tests.");
/// inputs.append = Some("Answer in German.");
/// let chosen = effective(inputs);
/// assert_eq!(chosen.rule, PromptRule::Custom);
/// assert_eq!(chosen.prompt.to_strings(), ["You write tests.", "Answer in German."]);
/// # Ok::<(), aside_prompt_sections::SectionError>(())
/// ```
pub fn effective(inputs: EffectiveInputs<'_>) -> Effective {
    let coordinator = given(inputs.coordinator);
    let agent = inputs.agent.filter(|agent| !agent.text.is_blank());
    let custom = given(inputs.custom);
    let append = given(inputs.append);

    let (rule, mut prompt) = if let Some(text) = given(inputs.override_prompt) {
        (PromptRule::Override, only(names::OVERRIDE, text))
    } else if let Some(text) = coordinator {
        (PromptRule::Coordinator, only(names::COORDINATOR, text))
    } else if let Some(agent) = agent {
        match agent.mode {
            AgentMode::Replace => {
                (PromptRule::Agent, only(names::AGENT, &agent.text.neutralized()))
            }
            AgentMode::Proactive => {
                let default = inputs.default.clone();
                (
                    PromptRule::ProactiveAgent,
                    default.with_last(own(names::AGENT, &agent.text.neutralized())),
                )
            }
        }
    } else if let Some(text) = custom {
        (PromptRule::Custom, only(names::CUSTOM, text))
    } else {
        (PromptRule::Default, inputs.default.clone())
    };
    if let Some(text) = append.filter(|_| rule != PromptRule::Override) {
        let segment = own(names::APPEND, text);
        prompt = match (inputs.append_at, prompt.boundary()) {
            (AppendAt::Boundary, StaticBoundary::Marked) => prompt.with_first(segment),
            _ => prompt.with_last(segment),
        };
    }

    let candidates = [
        (PromptInput::Coordinator, coordinator.is_some() && rule < PromptRule::Coordinator),
        (PromptInput::Agent, agent.is_some() && rule < PromptRule::Agent),
        (PromptInput::Custom, custom.is_some() && rule < PromptRule::Custom),
        (PromptInput::Append, append.is_some() && rule == PromptRule::Override),
    ];
    let unused = candidates.into_iter().filter(|(_, unused)| *unused);
    let mut diagnostics: Vec<PromptDiagnostic> =
        unused.map(|(input, _)| PromptDiagnostic::InputUnused { input, rule }).collect();
    if !prompt.segments().any(|segment| segment.text().contains(REMINDER_TAG)) {
        diagnostics.push(PromptDiagnostic::ReminderTagUnexplained { rule });
    }
    Effective { prompt, rule, diagnostics }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn only(name: &str, text: &str) -> SystemPrompt {
    SystemPrompt::from_segments(vec![own(name, text)], StaticBoundary::Absent)
}

/// The text is chosen per session, and so is not part of the shared prefix.
fn own(name: &str, text: &str) -> Segment {
    Segment::new(name, Zone::Dynamic, Lifetime::Project, text)
}
