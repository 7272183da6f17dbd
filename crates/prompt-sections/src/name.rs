use aside_text::one_line;

use crate::error::{SectionError, SectionErrorKind};

/// The names of the sections that this crate knows.
pub mod names {
    /// The purpose of the agent and its refusals.
    pub const INTRO: &str = "intro";
    /// The rules of the program around the model, including
    /// `<system-reminder>`.
    pub const SYSTEM_RULES: &str = "system_rules";
    /// The procedure for changes to code.
    pub const DOING_TASKS: &str = "doing_tasks";
    /// The actions that need the user's approval.
    pub const ACTIONS: &str = "actions";
    /// The choice of tools.
    pub const USING_TOOLS: &str = "using_tools";
    /// The style of messages to the user.
    pub const TONE_AND_STYLE: &str = "tone_and_style";
    /// The length of messages to the user.
    pub const OUTPUT_EFFICIENCY: &str = "output_efficiency";

    /// The conditions of a session: tools, sub-agents, and the presence of the
    /// user.
    pub const SESSION_GUIDANCE: &str = "session_guidance";
    /// The use of the memory directory.
    pub const MEMORY: &str = "memory";
    /// Instructions for one model.
    pub const MODEL_OVERRIDE: &str = "model_override";
    /// The directory, platform, shell and model.
    pub const ENVIRONMENT: &str = "environment";
    /// The language of the answers.
    pub const LANGUAGE: &str = "language";
    /// The output style that the user chose.
    pub const OUTPUT_STYLE: &str = "output_style";
    /// The instructions of the connected MCP servers.
    pub const MCP_INSTRUCTIONS: &str = "mcp_instructions";
    /// The directory for temporary files.
    pub const SCRATCHPAD: &str = "scratchpad";
    /// A notice that older tool results will be cleared.
    pub const FUNCTION_RESULT_CLEARING: &str = "function_result_clearing";
    /// A request to write down the important parts of tool results.
    pub const SUMMARISE_TOOL_RESULTS: &str = "summarise_tool_results";
    /// The number of tokens that the task should use.
    pub const TOKEN_BUDGET: &str = "token_budget";
    /// The user's request for brief answers.
    pub const BRIEF: &str = "brief";

    /// The text that replaces everything.
    pub const OVERRIDE: &str = "override";
    /// The coordinator's prompt.
    pub const COORDINATOR: &str = "coordinator";
    /// The prompt of the main thread's agent definition.
    pub const AGENT: &str = "agent";
    /// The prompt that replaces the default.
    pub const CUSTOM: &str = "custom";
    /// The text that is appended to the chosen prompt.
    pub const APPEND: &str = "append";
    /// The whole prompt of simple mode.
    pub const SIMPLE: &str = "simple";
    /// The facts of a session, as `key: value` lines.
    pub const SYSTEM_CONTEXT: &str = "system_context";
}

/// Names of segments that are added after the resolved sections. No section may
/// have one of them.
const RESERVED: [&str; 3] = [names::AGENT, names::APPEND, names::SYSTEM_CONTEXT];

/// Checks a name. It becomes a heading of the session context and a key of
/// reports, so it has to be one line.
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
