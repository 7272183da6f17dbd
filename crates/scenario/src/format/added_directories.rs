use schemars::JsonSchema;
use serde::Deserialize;

/// Directories to add as `--add-dir` does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddedSpec {
    /// Directories in `tree`, in the order of the options.
    pub paths: Vec<String>,
    /// What makes their instruction files load; by default nothing.
    pub asked: Option<InstructionSwitch>,
}

/// What makes instruction files in added directories load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstructionSwitch {
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`: they load in addition
    /// to the others.
    Variable,
    /// Bare mode: no others load.
    Bare,
}

impl AddedSpec {
    /// Returns the environment variable that is set, if any.
    pub(crate) fn variable(&self) -> Option<&'static str> {
        let is_set = self.asked == Some(InstructionSwitch::Variable);
        is_set.then_some("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD")
    }
}
