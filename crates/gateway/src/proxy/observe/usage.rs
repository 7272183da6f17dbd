//! A message's usage, as a record has it.

use aside_body::response::Facts;
use aside_models::usage::Messages;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::strict::CacheCreation;

/// The figures that are billed, as the Messages API has them. A missing key
/// stays missing.
#[derive(Serialize)]
struct Recorded<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation: Option<CacheCreation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<&'a RawValue>,
}

/// Returns a message's usage as JSON.
pub(super) fn of_message(facts: &Facts) -> Option<String> {
    let usage: Messages = facts.usage_as()?;
    let iterations = facts.usage_member("iterations");
    let recorded = Recorded {
        input_tokens: usage.input,
        cache_creation_input_tokens: usage.written,
        cache_read_input_tokens: usage.read,
        cache_creation: usage.by_lifetime.map(|it| CacheCreation {
            ephemeral_5m_input_tokens: it.five_minutes.unwrap_or(0),
            ephemeral_1h_input_tokens: it.one_hour.unwrap_or(0),
        }),
        output_tokens: usage.output,
        iterations: iterations.and_then(|it| serde_json::from_str(it).ok()),
    };
    serde_json::to_string(&recorded).ok()
}
