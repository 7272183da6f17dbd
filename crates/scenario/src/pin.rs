//! What a scenario compares, if it does not compare every byte.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of text that a repository puts into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pin {
    /// Instruction files, with their imports.
    InstructionFiles,
    /// Reminders.
    Reminders,
    /// What settings add to the system prompt: language and output style.
    Settings,
    /// Names and descriptions of Agent Skills.
    Skills,
    /// Names and descriptions of the agents in files.
    Agents,
}

/// The labels of the entries that list skills and agents.
pub(crate) const SKILLS: &str = "attachment skill_listing";
pub(crate) const AGENTS: &str = "attachment agents_delta";

/// How the codes of diagnostics begin that are about a kind of text. Servers and hooks are settings.
const CODES: [(&str, Pin); 7] = [
    ("reminder-", Pin::Reminders),
    ("settings-", Pin::Settings),
    ("output-style-", Pin::Settings),
    ("mcp-", Pin::Settings),
    ("skill", Pin::Skills),
    ("too-many-skills", Pin::Skills),
    ("agent", Pin::Agents),
];

/// Returns true if a diagnostic with this code is about a kind of text that these pins leave out.
pub(crate) fn is_code_left_out(code: &str, pins: &[Pin]) -> bool {
    let mut kinds = CODES.iter().filter(|(start, _)| code.starts_with(start));
    kinds.any(|(_, pin)| !pins.contains(pin))
}

/// The system prompt sections that settings add.
pub(crate) const SECTIONS_OF_SETTINGS: [&str; 2] = ["language", "output_style"];
