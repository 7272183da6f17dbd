//! How much of something is used up.

use aside_messages::conversation::EntryDraft;
use serde::{Deserialize, Serialize};

use crate::draft::reminder;

/// How many tokens of the context are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// Tokens that are used.
    pub used: u64,
    /// Tokens that there are.
    pub total: u64,
}

/// How much money is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetUsd {
    /// What is spent, in cents of a US dollar.
    pub used_cents: u64,
    /// What may be spent, in cents of a US dollar.
    pub total_cents: u64,
}

impl TokenUsage {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let Self { used, total } = self;
        let left = total.saturating_sub(used);
        let body = format!("Token usage: {used} of {total} tokens are used, {left} are left.");
        reminder(kind, body)
    }
}

impl BudgetUsd {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let left = self.total_cents.saturating_sub(self.used_cents);
        let body = format!(
            "Budget: {} of {} are spent, {} are left.",
            dollars(self.used_cents),
            dollars(self.total_cents),
            dollars(left)
        );
        reminder(kind, body)
    }
}

fn dollars(cents: u64) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}
