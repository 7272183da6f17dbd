//! A message's usage, as a record has it.

use aside_body::response::Facts;
use aside_models::usage::Messages;
use serde_json::value::RawValue;

use crate::object::Object;
use crate::strict::CacheCreation;

/// Returns a message's usage as JSON: the figures that are billed, as the Messages API has them.
/// A missing key stays missing.
pub(super) fn of_message(facts: &Facts) -> Option<String> {
    let usage: Messages = facts.usage_as()?;
    let by_lifetime = usage.by_lifetime.map(|it| CacheCreation {
        ephemeral_5m_input_tokens: it.five_minutes.unwrap_or(0),
        ephemeral_1h_input_tokens: it.one_hour.unwrap_or(0),
    });
    let iterations = facts.usage_member("iterations");
    let iterations: Option<&RawValue> = iterations.and_then(|it| serde_json::from_str(it).ok());
    let recorded = Object::default()
        .given("input_tokens", usage.input)
        .given("cache_creation_input_tokens", usage.written)
        .given("cache_read_input_tokens", usage.read)
        .given("cache_creation", by_lifetime)
        .given("output_tokens", usage.output)
        .given("iterations", iterations)
        .given("speed", usage.speed);
    Some(recorded.into_json())
}
