use aside_prompt_sections::{Attendance, FunctionResultClearing};
use serde::{Deserialize, Serialize};

/// The inputs of the sections of the default system prompt that only the
/// harness knows. A section without its input is omitted.
///
/// The texts are computed when the session opens, and again after a
/// compaction or a clear.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SectionInputs {
    /// Whether the user is present to answer.
    pub attendance: Option<Attendance>,
    /// The names of the tools that are switched off in this session.
    pub missing_tools: Vec<String>,
    /// Instructions for the model in use, such as a workaround for one of its
    /// habits.
    pub model_override: Option<String>,
    /// The absolute path of the session's directory for temporary files.
    pub scratchpad: Option<String>,
    /// The number of latest tool results that stay, if the harness clears
    /// older ones.
    pub function_result_clearing: Option<FunctionResultClearing>,
    /// Whether the model is asked to write down the important parts of tool
    /// results.
    pub summarise_tool_results: bool,
    /// The number of output tokens that the task may use.
    pub token_budget: Option<u64>,
    /// Whether the user asked for brief answers.
    pub brief: bool,
}
