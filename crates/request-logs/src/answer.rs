//! Adding a response's facts to an exchange.

use aside_body::response::Facts;
use serde_json::Value;

use crate::exchange::Exchange;

/// Reads a response that was parsed with its log.
pub(crate) fn add(exchange: &mut Exchange, response: Option<&Value>) {
    match response {
        Some(Value::String(text)) => add_text(exchange, text.as_bytes()),
        Some(other) => add_text(exchange, other.to_string().as_bytes()),
        None => add_facts(exchange, Facts::default()),
    }
}

pub(crate) fn add_text(exchange: &mut Exchange, response: &[u8]) {
    let mut facts = Facts::default();
    facts.add_text(response);
    add_facts(exchange, facts);
}

/// Writes a response's facts into its exchange.
///
/// Usage, id, model and diagnostics that the exchange already has stay, since a log knows
/// them better than a response that it may have cut. The ids of tool uses, the
/// output items and the text are replaced.
pub(crate) fn add_facts(exchange: &mut Exchange, mut facts: Facts) {
    exchange.bill(facts.billed());
    let failure = facts.error.take().map(|kind| match facts.error_message.take() {
        Some(message) => format!("{kind}: {message}"),
        None => kind,
    });
    exchange.error = exchange.error.take().or(failure);
    exchange.reasoning_tokens = exchange.reasoning_tokens.or(facts.reasoning_tokens());
    exchange.answer_text = facts.text().map(str::to_owned);
    exchange.id = exchange.id.take().or(facts.id);
    exchange.model = exchange.model.take().or(facts.model);
    exchange.diagnostics = exchange.diagnostics.take().or(facts.cache_miss);
    exchange.answer_tool_ids = facts.call_ids;
    exchange.answer_output = facts.output;
}
