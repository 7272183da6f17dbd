//! The kinds of text that a scenario compares, if it does not compare every
//! byte.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of text that a repository contributes to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pin {
    /// Instruction files, with their imports.
    InstructionFiles,
    /// Reminders.
    Reminders,
    /// The sections of the system prompt that settings add: language and output style.
    Settings,
    /// Names and descriptions of Agent Skills.
    Skills,
}

/// The sections of the system prompt that settings add.
pub(crate) const SECTIONS_OF_SETTINGS: [&str; 2] = ["language", "output_style"];
