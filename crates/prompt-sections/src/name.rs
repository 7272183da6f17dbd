use aside_text::one_line;

use crate::error::{SectionError, SectionErrorKind};

/// The sections that this crate knows, by name.
pub mod names {
    /// What the agent is for, and what it refuses.
    pub const INTRO: &str = "intro";
    /// How the program around the model works, `<system-reminder>` included.
    pub const SYSTEM_RULES: &str = "system_rules";
    /// How to change code.
    pub const DOING_TASKS: &str = "doing_tasks";
    /// Which actions need the user's approval.
    pub const ACTIONS: &str = "actions";
    /// How to choose tools.
    pub const USING_TOOLS: &str = "using_tools";
    /// How to write to the user.
    pub const TONE_AND_STYLE: &str = "tone_and_style";
    /// How long messages to the user should be.
    pub const OUTPUT_EFFICIENCY: &str = "output_efficiency";

    /// What is special about a session: tools, sub-agents, and whether the user
    /// is present.
    pub const SESSION_GUIDANCE: &str = "session_guidance";
    /// How to use the memory directory.
    pub const MEMORY: &str = "memory";
    /// Instructions for one model.
    pub const MODEL_OVERRIDE: &str = "model_override";
    /// The directory, platform, shell and model.
    pub const ENVIRONMENT: &str = "environment";
    /// Which language to respond in.
    pub const LANGUAGE: &str = "language";
    /// The output style that the user chose.
    pub const OUTPUT_STYLE: &str = "output_style";
    /// Instructions from the connected MCP servers.
    pub const MCP_INSTRUCTIONS: &str = "mcp_instructions";
    /// Where to put temporary files.
    pub const SCRATCHPAD: &str = "scratchpad";
    /// A notice that older tool results will be cleared.
    pub const FUNCTION_RESULT_CLEARING: &str = "function_result_clearing";
    /// A request to write down what matters in tool results.
    pub const SUMMARISE_TOOL_RESULTS: &str = "summarise_tool_results";
    /// How many tokens the task should use.
    pub const TOKEN_BUDGET: &str = "token_budget";
    /// The user's wish for brief responses.
    pub const BRIEF: &str = "brief";

    /// The text that replaces everything.
    pub const OVERRIDE: &str = "override";
    /// The coordinator's prompt.
    pub const COORDINATOR: &str = "coordinator";
    /// The prompt in the main thread's agent definition.
    pub const AGENT: &str = "agent";
    /// The prompt that replaces the default.
    pub const CUSTOM: &str = "custom";
    /// The text appended to the chosen prompt.
    pub const APPEND: &str = "append";
    /// Simple mode's whole prompt.
    pub const SIMPLE: &str = "simple";
    /// Facts about a session, as `key: value` lines.
    pub const SYSTEM_CONTEXT: &str = "system_context";
}

/// Segments that are added after the resolved sections; no section may have
/// such a name.
const RESERVED: [&str; 3] = [names::AGENT, names::APPEND, names::SYSTEM_CONTEXT];

/// The name becomes a heading in the session context and a key in reports, so
/// it has to be one line.
pub(crate) fn check<'a>(
    name: &str,
    mut taken: impl Iterator<Item = &'a str>,
) -> Result<(), SectionError> {
    let kind = if name.trim() != name || name.is_empty() || one_line(name) != name {
        SectionErrorKind::InvalidName
    } else if RESERVED.contains(&name) {
        SectionErrorKind::ReservedName
    } else if taken.any(|other| other == name) {
        SectionErrorKind::DuplicateName
    } else {
        return Ok(());
    };
    Err(SectionError::new(kind, name))
}
