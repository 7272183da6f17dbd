//! What one session may use.

use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::outside_text::OutsideText;
use crate::segment::Lifetime;

/// The directory for temporary files: the input to the `scratchpad` section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratchpad {
    /// The directory's absolute path; it differs between sessions.
    pub path: OutsideText,
}

/// How many tokens the task should use: the input to the `token_budget`
/// section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenBudget {
    /// How many output tokens, thinking and tool calls included.
    pub tokens: u64,
}

impl DynamicSection for Scratchpad {
    const NAME: &'static str = names::SCRATCHPAD;
    const LIFETIME: Lifetime = Lifetime::Session;

    fn render(&self) -> Option<String> {
        Some(format!(
            "# Scratchpad\nPut files that the project does not need, such as scripts for one use, intermediate results and captured output, into `{}`, not into the project and not into `/tmp`. The directory belongs to this session; you may write there without asking.",
            self.path.one_line()
        ))
    }
}

impl DynamicSection for TokenBudget {
    const NAME: &'static str = names::TOKEN_BUDGET;
    const LIFETIME: Lifetime = Lifetime::Session;

    fn render(&self) -> Option<String> {
        Some(format!(
            "# Token budget\nThe user gave this task a budget of {} output tokens. You may use all of it: if the work is done early, look deeper, test more and remove doubts, but add nothing that was not requested. When it runs low, leave the project in a working state and say what remains.",
            self.tokens
        ))
    }
}
