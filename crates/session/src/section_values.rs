//! The section values that follow from a session's state and tools.

use std::future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aside_prompt_sections::{
    Attendance, DynamicSection, FunctionResultClearing, McpDelivery, McpInstructions, OutsideText,
    Registry, SectionError, SectionInputs, ServerInstructions, SessionGuidance,
};

use crate::config::{PromptMode, SessionConfig};
use crate::delivery_form::changes_prompt_in_place;
use crate::on_disk::{OnDisk, SkillAccess};
use crate::tools::SessionTool;

/// The tools that hand work to a sub-agent, by the names in use.
pub(crate) const SUB_AGENT_TOOLS: [&str; 2] = ["Agent", "Task"];
/// The tool that calls skills.
const SKILL_TOOL: &str = "Skill";
/// The tool that asks the user.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// The present values. Clones share them, so that a section that is computed
/// again uses the latest state.
#[derive(Clone, Debug)]
pub(crate) struct SectionValues(Arc<Mutex<Values>>);

#[derive(Clone, Debug)]
struct Values {
    /// The tools that the guidance names, and whether a user attends the
    /// session.
    guidance: SessionGuidance,
    /// The MCP servers' instructions, and how to deliver them.
    mcp_instructions: McpInstructions,
    /// Those in the state; the clearing may be the one that requests ask the
    /// API for.
    inputs: SectionInputs,
}

impl SectionValues {
    pub(crate) fn new(config: &SessionConfig, tools: &[SessionTool], disk: &OnDisk) -> Self {
        Self(Arc::new(Mutex::new(Values::new(config, tools, disk))))
    }

    /// Replaces the values when state or tools change.
    pub(crate) fn set(&self, config: &SessionConfig, tools: &[SessionTool], disk: &OnDisk) {
        *self.lock() = Values::new(config, tools, disk);
    }

    /// Registers the sections that have a value.
    ///
    /// # Errors
    ///
    /// The static zone has a section with the same name.
    pub(crate) fn provide_to(&self, registry: &mut Registry) -> Result<(), SectionError> {
        self.provide(registry, |values| values.guidance.clone())?;
        self.provide(registry, |values| values.mcp_instructions.clone())?;
        let values = self.clone();
        registry.provide_inputs(move || values.lock().inputs.clone())
    }

    /// Registers one section; its value is read when the section is computed.
    fn provide<T: DynamicSection>(
        &self,
        registry: &mut Registry,
        value: fn(&Values) -> T,
    ) -> Result<(), SectionError> {
        let values = self.clone();
        registry.provide_with(move || future::ready(Ok(Some(value(&values.lock())))))
    }

    /// A panic while the lock is held leaves the values whole, so poison is
    /// ignored.
    fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Values {
    fn new(config: &SessionConfig, tools: &[SessionTool], disk: &OnDisk) -> Self {
        let mut inputs = config.state.sections.clone();
        inputs.function_result_clearing = inputs.function_result_clearing.or_else(|| {
            let kept = config.clearing()?.kept;
            Some(FunctionResultClearing { kept })
        });
        Self {
            guidance: guidance(config, tools, disk),
            mcp_instructions: mcp_instructions(config),
            inputs,
        }
    }
}

/// Returns how the model gets a skill's text.
pub(crate) fn skill_access<'a>(mut tools: impl Iterator<Item = &'a SessionTool>) -> SkillAccess {
    if tools.any(|tool| tool.tool.name == SKILL_TOOL) {
        SkillAccess::Tool
    } else {
        SkillAccess::File
    }
}

/// Returns guidance for the offered tools, and for whether a user attends.
fn guidance(config: &SessionConfig, tools: &[SessionTool], disk: &OnDisk) -> SessionGuidance {
    let offered = |name: &str| {
        let mut tools = tools.iter().map(|tool| &tool.tool.name);
        tools.find(|offered| *offered == name).cloned()
    };
    let inputs = &config.state.sections;
    let has_skills = !config.state.skills.is_empty() || !disk.skills.is_empty();
    SessionGuidance {
        attendance: inputs.attendance.unwrap_or(Attendance::Attended),
        compaction: config.is_compacted(),
        missing_tools: inputs.missing_tools.clone(),
        question_tool: offered(QUESTION_TOOL),
        sub_agent_tool: SUB_AGENT_TOOLS.into_iter().find_map(offered),
        skill_tool: has_skills.then(|| offered(SKILL_TOOL)).flatten(),
    }
}

/// Returns the instructions of all servers in the state.
fn mcp_instructions(config: &SessionConfig) -> McpInstructions {
    let servers = config.state.mcp_instructions().into_iter().map(|server| ServerInstructions {
        name: OutsideText::from(server.server),
        instructions: OutsideText::from(server.instructions),
    });
    McpInstructions { delivery: mcp_delivery(config), servers: servers.collect() }
}

/// Returns how to send MCP server instructions.
///
/// They are a system prompt section only if the prompt changes in place and has
/// the default section.
pub(crate) fn mcp_delivery(config: &SessionConfig) -> McpDelivery {
    let name = McpInstructions::NAME;
    let is_default = config.mode == PromptMode::Full
        && !config.prompt.replaces_default()
        && !config.removed_sections.iter().any(|it| it == name)
        && !config.sections.iter().any(|it| it.name() == name);
    if is_default && changes_prompt_in_place(config, config.layout) {
        McpDelivery::Prompt
    } else {
        McpDelivery::Attachments
    }
}
