//! How much of the context window and of the budget is used.

use serde::{Deserialize, Serialize};

/// How many tokens of the context window are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// How many tokens are used.
    pub used: u64,
    /// How many tokens the whole window has.
    pub total: u64,
}

/// How much of the budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BudgetUsd {
    /// What was spent, in US cents.
    pub used_cents: u64,
    /// The whole budget, in US cents.
    pub total_cents: u64,
}

impl TokenUsage {
    pub(crate) fn into_draft(self) -> String {
        let Self { used, total } = self;
        let left = total.saturating_sub(used);
        format!("Token usage: {used} of {total} tokens are used, {left} are left.")
    }
}

impl BudgetUsd {
    pub(crate) fn into_draft(self) -> String {
        let left = self.total_cents.saturating_sub(self.used_cents);
        format!(
            "Budget: {} of {} are spent, {} are left.",
            dollars(self.used_cents),
            dollars(self.total_cents),
            dollars(left)
        )
    }
}

fn dollars(cents: u64) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}
