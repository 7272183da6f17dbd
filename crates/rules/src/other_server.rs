//! What holds on a wire when another server than the vendor's own has it.
//!
//! | fault | example |
//! |---|---|
//! | no messages | `{"model":"llama-5","messages":[]}` |
//! | a key of another wire | `"system":"…"` on Chat Completions |
//! | a wrong type of the body's keys, or of a message's | `"max_tokens":"x"` |
//! | a text that is no JSON, a key that is written twice | |
//!
//! Such a server has keys and values of its own, so everything else is unknown.

use aside_body::wire::messages_key;
use aside_models::Wire;

use crate::rule::{Rule, RuleLevel};

/// Keys that servers took over from other wires.
const SHARED: [&str; 13] = [
    "frequency_penalty",
    "include",
    "logit_bias",
    "logprobs",
    "mcp_servers",
    "n",
    "presence_penalty",
    "reasoning",
    "seed",
    "stop",
    "thinking",
    "top_k",
    "truncation",
];

/// Returns true if a violation on this wire counts on any server.
pub(crate) fn has_rule(wire: Wire, rule: &Rule, level: RuleLevel, path: &str) -> bool {
    match rule.id {
        "json" | "surrogate" | "doubled-key" | "no-message" => true,
        "foreign-key" => !SHARED.contains(&path),
        "value-type" => {
            let key = path.rsplit(']').next().unwrap_or_default();
            let is_of_message = path.starts_with(messages_key(wire))
                && path.matches('[').count() == 1
                && key.matches('.').count() == 1;
            let is_of_body = !path.contains(['.', '[']);
            level == RuleLevel::Refused && (is_of_body || is_of_message)
        }
        _ => false,
    }
}
