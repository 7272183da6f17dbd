use aside_prompt_sections::{Attendance, FunctionResultClearing};
use serde::{Deserialize, Serialize};

/// The inputs of those sections of the default system prompt that only the
/// harness knows. A section without its input is left out.
///
/// The texts are computed when the session opens, and again after a
/// compaction or a clear.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionInputs {
    /// Whether somebody can answer the model while it works.
    pub attendance: Option<Attendance>,
    /// The names of tools that are switched off in this session.
    pub missing_tools: Vec<String>,
    /// Instructions for the model in use, such as how to work around a habit
    /// of it.
    pub model_override: Option<String>,
    /// The absolute path of the session's directory for temporary files.
    pub scratchpad: Option<String>,
    /// How many of the latest tool results stay, if the harness clears older
    /// ones.
    pub function_result_clearing: Option<FunctionResultClearing>,
    /// Whether the model notes what it will need of a tool result.
    pub summarise_tool_results: bool,
    /// The number of output tokens that the task may use.
    pub token_budget: Option<u64>,
    /// Whether the user asked for brief answers.
    pub brief: bool,
}
