//! Known betas: from rules, the official client and observed clients.

use std::collections::BTreeSet;

use super::seen_from_clients::SEEN_FROM_CLIENTS;
use crate::table::RULES;

/// Betas that no rule depends on.
///
/// Source: the official client's types (`anthropic` (Python) 2.14.0), and
/// Claude Code's documentation.
const WITHOUT_RULE: &[&str] = &[
    "admin-user-sign-out-2026-10-08",
    "agent-memory-2026-07-22",
    "analytics-usage-cost-2026-08-24",
    "cache-diagnosis-2026-04-07",
    "ce-claude-code-managed-settings-2026-10-06",
    "ce-plugins-2026-09-01",
    "ce-user-management-2026-07-13",
    "code-execution-2025-05-22",
    "context-1m-2025-08-07",
    "dev-full-thinking-2025-05-14",
    "dreaming-2026-04-21",
    "efs-2026-10-01",
    "experimental-claude-tag-2026-10-21",
    "extended-cache-ttl-2025-04-11",
    "files-api-2025-04-14",
    "google-managed-data-controls-2026-09-01",
    "managed-agents-2026-04-01",
    "mcp-tunnels-2026-06-22",
    "message-batches-2024-09-24",
    "mid-conversation-system-2026-04-07",
    "model-context-window-exceeded-2025-08-26",
    "output-128k-2025-02-19",
    "pdfs-2024-09-25",
    "prompt-caching-2024-07-31",
    "skills-2025-10-02",
    "spend-limit-reads-2026-09-26",
    "structured-outputs-2025-11-13",
    "telemetry-destinations-2026-08-11",
    "thinking-token-count-2026-05-13",
    "token-counting-2024-11-01",
    "token-efficient-tools-2025-02-19",
    "user-profiles-2026-03-24",
    "webhooks-2026-10-07",
];

/// Returns true for a beta that a rule, the official client or an observed
/// client names.
fn is_known(beta: &str) -> bool {
    let of_rule = || RULES.iter().any(|rule| rule.betas.contains(&beta));
    let is_seen = || SEEN_FROM_CLIENTS.iter().any(|seen| seen.betas.contains(&beta));
    WITHOUT_RULE.contains(&beta) || of_rule() || is_seen()
}

/// Returns the unknown betas among those that are sent, each once, without
/// white space around them.
pub(crate) fn unknown<'a>(sent: impl Iterator<Item = &'a String>) -> Vec<String> {
    let sent = sent.map(|beta| beta.trim());
    let unknown: BTreeSet<_> = sent.filter(|beta| !is_known(beta)).collect();
    unknown.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_no_beta_of_a_rule() {
        assert!(WITHOUT_RULE.is_sorted());
        let of_rules: Vec<_> = RULES.iter().flat_map(|rule| rule.betas).collect();
        for beta in WITHOUT_RULE {
            assert!(!of_rules.contains(&beta), "{beta}");
        }
    }
}
