use std::fmt;

use aside_text::one_line;
use serde::{Deserialize, Serialize};

use crate::kinds;
use crate::rule::{PromptInput, PromptRule};

/// A problem with a prompt that does not prevent the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptDiagnostic {
    /// A section could not be computed, and is left out until it is cleared or
    /// retried.
    SectionFailed {
        /// The section's name.
        section: String,
        /// The error.
        message: String,
    },
    /// A section's computation panicked; it is left out until it is cleared or
    /// retried.
    SectionPanicked {
        /// The section's name.
        section: String,
        /// The panic's message.
        message: String,
    },
    /// You gave an input, and a rule with higher priority left it unused.
    InputUnused {
        /// The unused input.
        input: PromptInput,
        /// The rule that applied.
        rule: PromptRule,
    },
    /// The prompt does not explain `<system-reminder>`, so the model may take
    /// reminders for the user's words.
    ReminderTagUnexplained {
        /// The rule that chose the prompt.
        rule: PromptRule,
    },
    /// A kind that this version does not know.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for PromptDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SectionFailed { section, message } => {
                write!(f, "section `{}` is left out: {}", one_line(section), one_line(message))
            }
            Self::SectionPanicked { section, message } => write!(
                f,
                "section `{}` is left out: it panicked: {}",
                one_line(section),
                one_line(message)
            ),
            Self::InputUnused { input, rule } => {
                write!(f, "{input} is not used: {rule} comes first")
            }
            Self::ReminderTagUnexplained { rule } => write!(
                f,
                "the system prompt ({rule}) does not mention <system-reminder>: the model may take reminders for the user's words"
            ),
            Self::Unknown => f.write_str("a diagnostic of a kind that this version does not know"),
        }
    }
}

impl From<&PromptDiagnostic> for aside_diagnostic::Diagnostic {
    fn from(diagnostic: &PromptDiagnostic) -> Self {
        let kind = match diagnostic {
            PromptDiagnostic::SectionFailed { .. } => kinds::SECTION_FAILED,
            PromptDiagnostic::SectionPanicked { .. } => kinds::SECTION_PANICKED,
            PromptDiagnostic::InputUnused { .. } => kinds::INPUT_UNUSED,
            PromptDiagnostic::ReminderTagUnexplained { .. } => kinds::REMINDER_TAG_UNEXPLAINED,
            PromptDiagnostic::Unknown => kinds::UNKNOWN,
        };
        kind.diagnostic(diagnostic)
    }
}
