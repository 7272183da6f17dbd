use aside_text::one_line;

use crate::error::{SectionError, SectionErrorKind};

/// The names of the sections that this crate knows.
pub mod names {
    /// Who the agent is for and what it will not do.
    pub const INTRO: &str = "intro";
    /// How the program around the model works, `<system-reminder>` included.
    pub const SYSTEM_RULES: &str = "system_rules";
    /// How to go about a change to code.
    pub const DOING_TASKS: &str = "doing_tasks";
    /// Which actions need the user's word first.
    pub const ACTIONS: &str = "actions";
    /// Which tool for what.
    pub const USING_TOOLS: &str = "using_tools";
    /// How to write to the user.
    pub const TONE_AND_STYLE: &str = "tone_and_style";
    /// How much to write.
    pub const OUTPUT_EFFICIENCY: &str = "output_efficiency";

    /// What differs by session: tools, helpers, whether somebody is there to answer.
    pub const SESSION_GUIDANCE: &str = "session_guidance";
    /// How to use the memory directory.
    pub const MEMORY: &str = "memory";
    /// Instructions for one model.
    pub const MODEL_OVERRIDE: &str = "model_override";
    /// Directory, platform, shell, model.
    pub const ENVIRONMENT: &str = "environment";
    /// The language to answer in.
    pub const LANGUAGE: &str = "language";
    /// The output style that the user chose.
    pub const OUTPUT_STYLE: &str = "output_style";
    /// What the connected MCP servers say about themselves.
    pub const MCP_INSTRUCTIONS: &str = "mcp_instructions";
    /// The directory for temporary files.
    pub const SCRATCHPAD: &str = "scratchpad";
    /// Older tool results will be cleared.
    pub const FUNCTION_RESULT_CLEARING: &str = "function_result_clearing";
    /// Write down what matters in a tool result.
    pub const SUMMARISE_TOOL_RESULTS: &str = "summarise_tool_results";
    /// How many tokens the task is meant to use.
    pub const TOKEN_BUDGET: &str = "token_budget";
    /// The user asked for brief answers.
    pub const BRIEF: &str = "brief";

    /// The text that replaces everything.
    pub const OVERRIDE: &str = "override";
    /// The coordinator's prompt.
    pub const COORDINATOR: &str = "coordinator";
    /// The prompt of the main thread's agent definition.
    pub const AGENT: &str = "agent";
    /// The prompt that replaces the default.
    pub const CUSTOM: &str = "custom";
    /// The text appended to whichever prompt won.
    pub const APPEND: &str = "append";
    /// The whole prompt of simple mode.
    pub const SIMPLE: &str = "simple";
    /// What is true for a session, as `key: value` lines.
    pub const SYSTEM_CONTEXT: &str = "system_context";
}

/// Put behind the sections once they are resolved, so no section may be called so.
const RESERVED: [&str; 3] = [names::AGENT, names::APPEND, names::SYSTEM_CONTEXT];

/// A name becomes a heading of the session context and a key of reports: it has to be one line.
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
